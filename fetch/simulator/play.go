package simulator

import (
	"math"
	"time"
)

// play generates a match second by second: who has the ball, how far they are, and the next
// event. The probability of each step depends on the sides' strengths and on
// momentum. Rates are set for about the counts of professional matches (per
// side: 100 attacks, 45 dangerous ones, 12 shots, 5 corners, 2 cards) and for the goals
// expected by the price model.
type play struct {
	script *script
	rng    stream
	at     time.Duration
	period Period

	ball    Side
	zone    zone
	held    int  // seconds of possession not yet recorded
	dead    int  // seconds until the ball is in play again
	next    zone // where it will be then
	penalty bool // a penalty follows

	swing  swing
	edge   [2]float64 // how much stronger than average a side is
	push   [2]float64 // edge, momentum and state of the match: multiplies hazards
	finish [2]float64 // probability that a shot on target goes in
	target float64    // that a shot is on target
	quick  float64    // 1 for football; an eSoccer match is over in minutes

	human bool
	teams [2]lineup
	goals [2]int
}

// zone is how far the side with the ball has come.
type zone uint8

const (
	buildUp zone = iota
	attack
	danger
)

func perform(f Fixture) *script {
	p := newPlay(f)
	for _, period := range draft(f) {
		p.run(period)
	}
	goesOn, straight := f.knockout()
	if goesOn && !straight && p.goals[Home] == p.goals[Away] {
		p.run(f.prolong(p.script.periods, ExtraFirst))
		p.run(f.prolong(p.script.periods, ExtraSecond))
	}
	if goesOn && p.goals[Home] == p.goals[Away] {
		p.script.periods = append(p.script.periods, f.prolong(p.script.periods, Shootout))
		p.script.kicks = p.shootout(f)
	}
	return p.script.close()
}

func newPlay(f Fixture) *play {
	home, away := f.expected()
	lean := math.Pow(home/away, 0.21)
	p := &play{
		script: &script{increments: make([]Increment, 0, 1600)},
		rng:    stream(f.dice.of(70)),
		edge:   [2]float64{lean, 1 / lean},
		target: 0.36,
		quick:  1,
		human:  f.League.Kind != Esoccer,
		teams:  [2]lineup{newLineup(f.Home), newLineup(f.Away)},
	}
	for side, mean := range [2]float64{home, away} {
		p.finish[side] = min(max((mean-0.09)/(4.17*math.Pow(p.edge[side], 2.35)), 0.03), 0.75)
	}
	if !p.human {
		p.quick, p.target = 2.4, 0.65
		p.finish = [2]float64{min(home/4.1, 0.85), min(away/4.1, 0.85)}
	}
	return p
}

func (p *play) run(period Period) {
	p.script.periods = append(p.script.periods, period)
	p.period = period
	p.ball, p.zone, p.dead, p.penalty = Side(period.Phase/2%2), buildUp, 0, false
	for p.at = period.From + time.Second; p.at <= period.To; p.at += time.Second {
		if p.at%(10*time.Second) == 0 {
			p.updatePush()
		}
		p.second()
	}
	p.at = period.To
	p.recordPossession()
}

func (p *play) second() {
	if p.dead > 0 {
		if p.dead--; p.dead == 0 {
			p.restart()
		}
		return
	}
	if p.held++; p.held >= 6 {
		p.recordPossession()
	}
	switch p.zone {
	case buildUp:
		p.build()
	case attack:
		p.press()
	default:
		p.threaten()
	}
}

func (p *play) advance() {
	p.zone++
	p.count([...]Metric{attack: Attacks, danger: DangerousAttacks}[p.zone], p.ball)
}

func (p *play) lose() {
	p.recordPossession()
	p.ball, p.zone = p.ball.Other(), buildUp
}

// stop puts the ball out of play for some seconds; then side ball has it in zone next.
func (p *play) stop(seconds int, ball Side, next zone) {
	p.recordPossession()
	p.ball, p.next = ball, next
	p.dead = max(int(float64(seconds)/(p.quick*p.quick)), 1)
	p.change()
}

// restart brings the ball back into play. An attack that continues is a new one.
func (p *play) restart() {
	if p.penalty {
		p.penalty = false
		p.kick()
		return
	}
	for p.zone = buildUp; p.zone < p.next; {
		p.advance()
	}
}

// recordPossession adds the possession since the last call.
func (p *play) recordPossession() {
	if p.held > 0 {
		p.script.count(p.at, Possession, p.ball, p.held*10)
		p.held = 0
	}
}

func (p *play) count(m Metric, side Side) { p.script.count(p.at, m, side, 1) }

func (p *play) record(i Incident) {
	i.At = p.at
	p.script.incidents = append(p.script.incidents, i)
}
