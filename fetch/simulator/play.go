package simulator

import (
	"math"
	"time"
)

func perform(f Fixture) *script {
	p := newPlay(f)
	for _, period := range draft(f) {
		p.run(period)
	}
	goesOn, straight := knockout(f)
	if goesOn && !straight && p.goals[Home] == p.goals[Away] {
		p.run(prolong(f, p.script.periods, ExtraFirst))
		p.run(prolong(f, p.script.periods, ExtraSecond))
	}
	if goesOn && p.goals[Home] == p.goals[Away] {
		p.script.periods = append(p.script.periods, prolong(f, p.script.periods, Shootout))
		p.script.kicks = p.shootout(f)
	}
	return p.script.close()
}

func newPlay(f Fixture) *play {
	home, away := f.expected()
	lean := math.Pow(home/away, 0.21)
	p := &play{
		script: &script{increments: make([]Increment, 0, 1600)},
		rng:    stream(f.Dice.of(70)),
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
