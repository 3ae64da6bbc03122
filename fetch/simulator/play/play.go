// Package play has what truly happens in matches: their periods, counters and incidents, from
// the kick-off whistle on. A match is invented second by second ([Perform]), or recorded
// ([ReadMatches]).
package play

import (
	"math"
	"time"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/random"
)

func Perform(f competition.Fixture) *Script {
	p := newPlay(f)
	for _, period := range draft(f) {
		p.run(period)
	}
	goesOn, straight := knockout(f)
	if goesOn && !straight && p.goals[Home] == p.goals[Away] {
		p.run(prolong(f, p.script.Periods, ExtraFirst))
		p.run(prolong(f, p.script.Periods, ExtraSecond))
	}
	if goesOn && p.goals[Home] == p.goals[Away] {
		p.script.Periods = append(p.script.Periods, prolong(f, p.script.Periods, Shootout))
		p.script.Kicks = p.shootout(f)
	}
	return p.script.close()
}

func newPlay(f competition.Fixture) *play {
	home, away := f.ExpectedGoals()
	lean := math.Pow(home/away, 0.21)
	p := &play{
		script: &Script{Increments: make([]Increment, 0, 1600)},
		rng:    random.Stream(f.Dice.Of(70)),
		edge:   [2]float64{lean, 1 / lean},
		target: 0.36,
		quick:  1,
		human:  f.League.Kind != competition.Esoccer,
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
	p.script.Periods = append(p.script.Periods, period)
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
