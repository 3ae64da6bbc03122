package play

import (
	"time"

	"mkt/fetch/simulator/random"
)

// play generates a match second by second: who has the ball, how far they are, and the next
// event. The probability of each step depends on the sides' strengths and on
// momentum. Rates are set for about the counts of professional matches (per
// side: 100 attacks, 45 dangerous ones, 12 shots, 5 corners, 2 cards) and for the goals
// expected by the price model.
type play struct {
	script *Script
	rng    random.Stream
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

// change brings on substitutes while the ball is out of play: occasionally in the second
// half, sometimes two at once.
func (p *play) change() {
	if !p.human || p.period.Phase < SecondHalf {
		return
	}
	for side := range p.teams {
		for hazard := 0.055; p.rng.Chance(hazard); hazard = 0.3 {
			t := &p.teams[side]
			on, off, ok := t.substitute(&p.rng)
			if !ok {
				break
			}
			p.dead += 20
			p.count(Substitutions, Side(side))
			p.record(Incident{Kind: Substitution, Side: Side(side), Player: on, Second: off})
		}
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
	p.script.Incidents = append(p.script.Incidents, i)
}

// lot is one random number shared among all that may happen in a second.
type lot float64

func (l *lot) falls(hazard float64) bool {
	*l -= lot(hazard)
	return *l < 0
}
