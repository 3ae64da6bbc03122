package counter

import (
	"slices"

	"mkt/publish/football"
	"mkt/transform/live/rules"
)

type fall struct {
	metric football.Metric
	side   int
	peak   int // its value before
	tau    int // when
}

type change struct {
	Up     Pair // movement: never negative, corrections left out
	Down   Pair // the counter fell: a correction
	Back   Pair // the counter climbed back to the value before its fall
	Turned Pair // the counter rose by as much as the other side's fell: the count changed sides
}

func (c change) plus(d change) change {
	return change{c.Up.Plus(d.Up), c.Down.Plus(d.Down), c.Back.Plus(d.Back), c.Turned.Plus(d.Turned)}
}

// cards adds up yellow and red cards. If the yellow count falls while the red count
// rises, that is a second yellow card, and no card is withdrawn.
func cards(yellow, red change) change {
	for side := range yellow.Down {
		yellow.Down[side] = max(0, yellow.Down[side]-red.Up[side])
	}
	return yellow.plus(red)
}

// delta returns how one metric changed. A rise together with the other side's fall is
// a correction too, and a counter that climbs back to its old value has not moved.
func delta(falls *[]fall, metric football.Metric, before, now Pair, tau int) change {
	var c change
	var fellFrom [2]int // its place in falls, -1 for none
	for side := range now {
		i := slices.IndexFunc(*falls, func(f fall) bool { return f.metric == metric && f.side == side })
		fellFrom[side] = i
		c.Down[side] = max(0, before[side]-now[side])
		from := before[side]
		if i >= 0 {
			from = max(from, (*falls)[i].peak)
			c.Back[side] = max(0, min(now[side], from)-before[side])
		}
		if c.Up[side] = max(0, now[side]-from); c.Up[side] > rules.MaxDelta {
			c.Up[side] = 0
		}
	}
	if c.Down != (Pair{}) {
		for side := range now {
			c.Turned[side] = min(c.Up[side]+c.Back[side], c.Down[1-side])
			c.Down[1-side] -= c.Turned[side]
			c.Back[side] -= min(c.Back[side], c.Turned[side])
		}
		c.Up = Pair{}
	}
	for side, i := range fellFrom {
		if i < 0 && c.Down[side] > 0 {
			*falls = append(*falls, fall{metric, side, now[side] + c.Down[side], tau})
		}
	}
	*falls = slices.DeleteFunc(*falls, func(f fall) bool { return f.metric == metric && now[f.side] >= f.peak })
	return c
}
