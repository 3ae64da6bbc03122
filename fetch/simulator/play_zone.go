package simulator

// lot is one random number shared among all that may happen in a second.
type lot float64

func (l *lot) falls(hazard float64) bool {
	*l -= lot(hazard)
	return *l < 0
}

func (p *play) build() {
	l, push := lot(p.rng.unit()), p.push[p.ball]
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
	l, push := lot(p.rng.unit()), p.push[p.ball]
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
	l, push := lot(p.rng.unit()), p.push[p.ball]
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
