package live

import (
	"slices"

	"mkt/publish/football"
)

type fall struct {
	metric football.Metric
	side   int
	peak   int // its value before
	tau    int // when
}

type change struct {
	up     pair // movement: never negative, corrections left out
	down   pair // the counter fell: a correction
	back   pair // the counter climbed back to the value before its fall
	turned pair // the counter rose by as much as the other side's fell: the count changed sides
}

func (c change) plus(d change) change {
	return change{c.up.plus(d.up), c.down.plus(d.down), c.back.plus(d.back), c.turned.plus(d.turned)}
}

// cards adds up yellow and red cards. If the yellow count falls while the red count
// rises, that is a second yellow card, and no card is withdrawn.
func cards(yellow, red change) change {
	for side := range yellow.down {
		yellow.down[side] = max(0, yellow.down[side]-red.up[side])
	}
	return yellow.plus(red)
}

// delta returns how one metric changed. A rise together with the other side's fall is
// a correction too, and a counter that climbs back to its old value has not moved.
func delta(falls *[]fall, metric football.Metric, before, now pair, tau int) change {
	var c change
	var fellFrom [2]int // its place in falls, -1 for none
	for side := range now {
		i := slices.IndexFunc(*falls, func(f fall) bool { return f.metric == metric && f.side == side })
		fellFrom[side] = i
		c.down[side] = max(0, before[side]-now[side])
		from := before[side]
		if i >= 0 {
			from = max(from, (*falls)[i].peak)
			c.back[side] = max(0, min(now[side], from)-before[side])
		}
		if c.up[side] = max(0, now[side]-from); c.up[side] > maxDelta {
			c.up[side] = 0
		}
	}
	if c.down != (pair{}) {
		for side := range now {
			c.turned[side] = min(c.up[side]+c.back[side], c.down[1-side])
			c.down[1-side] -= c.turned[side]
			c.back[side] -= min(c.back[side], c.turned[side])
		}
		c.up = pair{}
	}
	for side, i := range fellFrom {
		if i < 0 && c.down[side] > 0 {
			*falls = append(*falls, fall{metric, side, now[side] + c.down[side], tau})
		}
	}
	*falls = slices.DeleteFunc(*falls, func(f fall) bool { return f.metric == metric && now[f.side] >= f.peak })
	return c
}
