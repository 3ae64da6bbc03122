package play

// corner is dated when the ball leaves play.
func (p *play) corner() {
	p.count(Corners, p.ball)
	p.record(Incident{Kind: Corner, Side: p.ball})
	p.stop(p.rng.Between(20, 38), p.ball, danger)
}

func (p *play) goalKick() {
	p.count(GoalKicks, p.ball.Other())
	p.stop(p.rng.Between(18, 32), p.ball.Other(), buildUp)
}

func (p *play) throwIn() {
	side := p.ball
	if p.rng.Chance(0.4) {
		side = side.Other()
	}
	p.count(ThrowIns, side)
	next := p.zone
	if side != p.ball {
		next = buildUp
	}
	p.stop(p.rng.Between(7, 16), side, next)
}

func (p *play) offside() {
	p.count(Offsides, p.ball)
	p.count(FreeKicks, p.ball.Other())
	p.stop(p.rng.Between(15, 30), p.ball.Other(), buildUp)
}

// foul is committed by the side without the ball two times in three.
func (p *play) foul(where zone) {
	guilty, next := p.ball.Other(), where
	if p.rng.Chance(0.35) {
		guilty, next = p.ball, buildUp
	}
	p.count(Fouls, guilty)
	p.count(FreeKicks, guilty.Other())
	p.punish(guilty, 0.18)
	seconds := p.rng.Between(15, 45)
	if p.human && p.rng.Chance(0.04) {
		p.count(Injuries, guilty.Other())
		seconds += p.rng.Between(40, 120)
	}
	p.stop(seconds, guilty.Other(), next)
}

// punish books a player of a side with probability yellow, or sends one off.
func (p *play) punish(side Side, yellow float64) {
	l := lot(p.rng.Unit())
	switch t := &p.teams[side]; {
	case l.falls(0.004):
		p.sendOff(side, t.someone(&p.rng))
	case l.falls(yellow):
		i := t.someone(&p.rng)
		if t.booked[i] && p.rng.Chance(0.5) {
			return // not punished
		}
		if t.booked[i] {
			p.count(SecondYellows, side)
			p.sendOff(side, i)
			return
		}
		t.booked[i] = true
		p.count(YellowCards, side)
		p.record(Incident{Kind: YellowCard, Side: side, Player: t.name(i)})
	}
}

func (p *play) sendOff(side Side, player int) {
	t := &p.teams[side]
	p.count(RedCards, side)
	p.record(Incident{Kind: RedCard, Side: side, Player: t.name(player)})
	t.leave(player)
	t.sentOff++
}
