package play

import "math"

func (p *play) build() {
	l, push := lot(p.rng.Unit()), p.push[p.ball]
	switch {
	case l.falls(0.112 * push * p.quick):
		p.advance()
	case l.falls(0.045 / push):
		p.lose()
	case l.falls(0.009):
		p.throwIn()
	case l.falls(0.0048):
		p.foul(buildUp)
	case l.falls(0.085):
		p.count(BallSafe, p.ball)
	}
}

func (p *play) press() {
	l, push := lot(p.rng.Unit()), p.push[p.ball]
	switch {
	case l.falls(0.058 * push * p.quick):
		p.advance()
	case l.falls(0.062 / push):
		p.lose()
	case l.falls(0.024):
		p.zone = buildUp
	case l.falls(0.010):
		p.throwIn()
	case l.falls(0.0075):
		p.foul(attack)
	case l.falls(0.0024):
		p.offside()
	}
}

func (p *play) threaten() {
	l, push := lot(p.rng.Unit()), p.push[p.ball]
	switch {
	case l.falls(0.032 * push * p.quick):
		p.shoot()
	case l.falls(0.0095 * p.quick):
		p.corner()
	case l.falls(0.085 / push):
		p.lose()
	case l.falls(0.012):
		p.goalKick()
	case l.falls(0.006):
		p.foul(danger)
	case l.falls(0.00042):
		p.award()
	case l.falls(0.06):
		p.count(Crosses, p.ball)
	}
}

// updatePush updates how hard each side presses: by strength, momentum, players sent off, and
// the score, which drives a side that is behind forward towards the end.
func (p *play) updatePush() {
	behind := float64(min(max(p.goals[Away]-p.goals[Home], -2), 2))
	late := 0.06
	if p.period.Phase >= SecondHalf {
		late = 0.14
	}
	men := float64(p.teams[Away].sentOff - p.teams[Home].sentOff)
	tilt := math.Exp((p.swing.step(&p.rng) + late*behind + 0.3*men) / 2)
	tired := 1 + 0.06*float64(p.period.Phase/2) // defences open up
	p.push = [2]float64{p.edge[Home] * tilt * tired, p.edge[Away] / tilt * tired}
}
