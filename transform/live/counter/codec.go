package counter

import (
	"mkt/publish/football"
	"mkt/transform/live/codec"
	"mkt/transform/live/rules"
)

// Encode writes the counters, with times relative to since; Decode reads them.
func (c *Counters) Encode(e *codec.Encoder, version int, since int64) {
	e.Number(c.Score.Home)
	e.Number(c.Score.Away)
	encodeCounters(e, c.Newest)
	c.encodeCounted(e, since)
	encodeFalls(e, c.falls)
	if version > 2 {
		e.Flag(c.sentAt != 0)
		if c.sentAt != 0 {
			e.Int(c.sentAt - since)
		}
		e.Int(c.sentFrom - since)
	}
}

// Decode reads counters. Those of version 2 were sent at freshAt.
func Decode(d *codec.Decoder, version int, since, freshAt int64) Counters {
	c := Counters{Score: football.Score{Home: d.Number(), Away: d.Number()}}
	c.Newest = decodeNewest(d)
	c.counted = decodeCounted(d, since)
	c.falls = decodeFalls(d)
	c.sentAt = freshAt
	if version > 2 {
		if c.sentAt = 0; d.Flag() {
			c.sentAt = since + d.Int()
		}
		c.sentFrom = since + d.Int()
	}
	return c
}

func encodeCounters(e *codec.Encoder, counters []football.Counter) {
	e.Len(len(counters))
	for _, c := range counters {
		code := codec.MetricCodes.Of(c.Metric) + 1
		e.Len(code)
		if code == 0 {
			e.Text(string(c.Metric))
		}
		e.Byte(int(c.Home.State())<<4 | int(c.Away.State()))
		for _, f := range []football.Field[football.Number]{c.Home, c.Away} {
			if v, ok := f.Get(); ok {
				e.Text(v.Text())
			}
		}
	}
}

func decodeNewest(d *codec.Decoder) []football.Counter {
	n := d.Len(rules.MaxCounters, 2)
	if n == 0 {
		return nil
	}
	counters := make([]football.Counter, n)
	for i := range counters {
		c := &counters[i]
		if code := d.Len(len(codec.MetricCodes), 0); code > 0 {
			c.Metric = codec.MetricCodes[code-1]
		} else {
			c.Metric = football.Metric(d.Text())
		}
		states := d.Code(256)
		c.Home, c.Away = decodeCounter(d, states>>4), decodeCounter(d, states&15)
	}
	return counters
}

func decodeCounter(d *codec.Decoder, state int) football.Field[football.Number] {
	switch football.State(state) {
	case football.Null:
		return football.NullField[football.Number]()
	case football.Present:
		n, ok := football.ParseNumber(d.Text())
		if !ok {
			d.Fail()
		}
		return football.Of(n)
	}
	return football.Field[football.Number]{}
}

func (c *Counters) encodeCounted(e *codec.Encoder, since int64) {
	for _, c := range c.counted {
		e.Flag(c.at != 0)
		if c.at != 0 {
			e.Int(c.at - since)
			e.Int(int64(c.Pair[0]))
			e.Int(int64(c.Pair[1]))
		}
	}
}

func decodeCounted(d *codec.Decoder, since int64) (counted [len(eventMetrics)]lastCount) {
	for i := range counted {
		if d.Flag() {
			counted[i] = lastCount{at: since + d.Int(), Pair: Pair{d.Whole(), d.Whole()}}
		}
	}
	return counted
}

func encodeFalls(e *codec.Encoder, falls []fall) {
	e.Len(len(falls))
	for _, f := range falls {
		e.Byte(codec.MetricCodes.Of(f.metric))
		e.Byte(f.side)
		e.Int(int64(f.peak))
		e.Int(int64(f.tau))
	}
}

func decodeFalls(d *codec.Decoder) []fall {
	n := d.Len(rules.MaxCounters, 4)
	if n == 0 {
		return nil
	}
	falls := make([]fall, n)
	for i := range falls {
		falls[i] = fall{codec.MetricCodes[d.Code(len(codec.MetricCodes))], d.Code(2), d.Whole(), d.Whole()}
	}
	return falls
}
