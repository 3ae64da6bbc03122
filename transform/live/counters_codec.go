package live

import "mkt/publish/football"

// encode writes the counters, with times relative to since; decodeCounters reads them.
func (c *counters) encode(e *encoder, version int, since int64) {
	e.number(c.score.Home)
	e.number(c.score.Away)
	encodeCounters(e, c.newest)
	c.encodeCounted(e, since)
	encodeFalls(e, c.falls)
	if version > 2 {
		e.flag(c.sentAt != 0)
		if c.sentAt != 0 {
			e.int(c.sentAt - since)
		}
		e.int(c.sentFrom - since)
	}
}

// decodeCounters reads counters. Those of version 2 were sent at freshAt.
func decodeCounters(d *decoder, version int, since, freshAt int64) counters {
	c := counters{score: football.Score{Home: d.number(), Away: d.number()}}
	c.newest = decodeNewest(d)
	c.counted = decodeCounted(d, since)
	c.falls = decodeFalls(d)
	c.sentAt = freshAt
	if version > 2 {
		if c.sentAt = 0; d.flag() {
			c.sentAt = since + d.int()
		}
		c.sentFrom = since + d.int()
	}
	return c
}

func encodeCounters(e *encoder, counters []football.Counter) {
	e.len(len(counters))
	for _, c := range counters {
		code := metricCodes.of(c.Metric) + 1
		e.len(code)
		if code == 0 {
			e.text(string(c.Metric))
		}
		e.byte(int(c.Home.State())<<4 | int(c.Away.State()))
		for _, f := range []football.Field[football.Number]{c.Home, c.Away} {
			if v, ok := f.Get(); ok {
				e.text(v.Text())
			}
		}
	}
}

func decodeNewest(d *decoder) []football.Counter {
	n := d.len(maxCounters, 2)
	if n == 0 {
		return nil
	}
	counters := make([]football.Counter, n)
	for i := range counters {
		c := &counters[i]
		if code := d.len(len(metricCodes), 0); code > 0 {
			c.Metric = metricCodes[code-1]
		} else {
			c.Metric = football.Metric(d.text())
		}
		states := d.code(256)
		c.Home, c.Away = decodeCounter(d, states>>4), decodeCounter(d, states&15)
	}
	return counters
}

func decodeCounter(d *decoder, state int) football.Field[football.Number] {
	switch football.State(state) {
	case football.Null:
		return football.NullField[football.Number]()
	case football.Present:
		n, ok := football.ParseNumber(d.text())
		if !ok {
			d.fail()
		}
		return football.Of(n)
	}
	return football.Field[football.Number]{}
}

func (c *counters) encodeCounted(e *encoder, since int64) {
	for _, c := range c.counted {
		e.flag(c.at != 0)
		if c.at != 0 {
			e.int(c.at - since)
			e.int(int64(c.pair[0]))
			e.int(int64(c.pair[1]))
		}
	}
}

func decodeCounted(d *decoder, since int64) (counted [len(eventMetrics)]lastCount) {
	for i := range counted {
		if d.flag() {
			counted[i] = lastCount{at: since + d.int(), pair: pair{d.whole(), d.whole()}}
		}
	}
	return counted
}

func encodeFalls(e *encoder, falls []fall) {
	e.len(len(falls))
	for _, f := range falls {
		e.byte(metricCodes.of(f.metric))
		e.byte(f.side)
		e.int(int64(f.peak))
		e.int(int64(f.tau))
	}
}

func decodeFalls(d *decoder) []fall {
	n := d.len(maxCounters, 4)
	if n == 0 {
		return nil
	}
	falls := make([]fall, n)
	for i := range falls {
		falls[i] = fall{metricCodes[d.code(len(metricCodes))], d.code(2), d.whole(), d.whole()}
	}
	return falls
}
