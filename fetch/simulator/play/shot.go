package play

import "math"

// shoot is a shot in open play: in football a little more than one in three is on target,
// one in five is blocked.
func (p *play) shoot() {
	p.count(KeyPasses, p.ball)
	odds := p.finish[p.ball]
	p.script.count(p.at, ExpectedGoals, p.ball, min(2+int(-30*odds*logOf(p.rng.Unit())), 85))
	l := lot(p.rng.Unit())
	switch {
	case l.falls(p.target):
		p.count(OnTarget, p.ball)
		if p.rng.Chance(odds) {
			p.score([...]string{"Shot", "Shot", "Shot", "Header", ""}[p.rng.Under(5)])
			return
		}
		p.save()
	case l.falls((1 - p.target) * 0.67):
		p.count(OffTarget, p.ball)
		p.goalKick()
	default:
		p.count(Blocked, p.ball)
		if p.rng.Chance(0.35) {
			p.corner()
			return
		}
		p.lose()
	}
}

func (p *play) save() {
	p.count(Saves, p.ball.Other())
	if p.rng.Chance(0.28) {
		p.corner()
		return
	}
	p.stop(p.rng.Between(4, 9), p.ball.Other(), buildUp)
}

func (p *play) score(method string) {
	p.goals[p.ball]++
	p.count(Goals, p.ball)
	i := Incident{Kind: Goal, Side: p.ball, Method: method}
	i.Player = p.teams[p.ball].anyone(&p.rng)
	if method != "" && method != "Penalty" && p.rng.Chance(0.65) {
		if mate := p.teams[p.ball].anyone(&p.rng); mate != i.Player {
			i.Second = mate
		}
	}
	p.record(i)
	p.stop(p.rng.Between(50, 85), p.ball.Other(), buildUp)
}

// award is a foul that gives a penalty.
func (p *play) award() {
	p.count(Penalties, p.ball)
	p.count(Fouls, p.ball.Other())
	p.record(Incident{Kind: Penalty, Side: p.ball})
	p.punish(p.ball.Other(), 0.3)
	p.penalty = true
	p.stop(p.rng.Between(55, 100), p.ball, buildUp)
}

func (p *play) kick() {
	p.script.count(p.at, ExpectedGoals, p.ball, 76)
	l := lot(p.rng.Unit())
	switch {
	case l.falls(0.77):
		p.count(OnTarget, p.ball)
		p.score("Penalty")
	case l.falls(0.15):
		p.missed()
		p.count(OnTarget, p.ball)
		p.save()
	default:
		p.missed()
		p.count(OffTarget, p.ball)
		p.goalKick()
	}
}

// missed records a penalty that was not scored. The player is not drawn by lot: the rest of
// the match must not depend on it.
func (p *play) missed() {
	t := &p.teams[p.ball]
	p.record(Incident{Kind: PenaltyMissed, Side: p.ball, Player: t.name(t.pitch[len(t.pitch)-1])})
}

func logOf(u float64) float64 { return math.Log(max(u, 1e-6)) }
