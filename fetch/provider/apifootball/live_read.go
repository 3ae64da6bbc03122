package apifootball

import (
	"fmt"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/publish/football"
)

func readLive(pages []provider.Payload) (provider.LiveSheet, error) {
	r := liveReader{decode.NewLive()}
	doc := decode.Document()
	defer decode.Release(doc)
	for _, p := range pages {
		envelope, items, err := readEnvelope(doc, p)
		if err != nil {
			return provider.LiveSheet{}, fmt.Errorf("%s payload %d: %w", p.Endpoint, p.Number, err)
		}
		said, ok := readPaging(envelope)
		if !ok {
			r.Damaged.Add(pagingBroken)
		}
		r.Incomplete = r.Incomplete || !ok || said.total > 1
		r.Page(0)
		for v := range items.Items() {
			r.item(v, p)
		}
	}
	return r.Sheet(pages)
}

// statisticsEvery is how often the provider renews the statistics of a match in play.
//
// Source: provider notes, section 2.
const statisticsEvery = time.Minute

// item reads one fixture. A fixture other than football played by people is counted and
// left out before anything else of it is read.
func (r *liveReader) item(v strictjson.Value, p provider.Payload) {
	i, broken := readItem(v, p.Trace, &r.Damaged)
	if broken == "" && r.Found(i.ID) {
		r.Damaged.Add(fixtureTwice)
	}
	s, ok := r.Start(p, &i, broken, "status", playStatuses)
	if !ok {
		return
	}
	r.Report(provider.FieldFixtureID, "", v.Get("fixture").Get("id"))
	s.Score, s.Clock, s.CountersLag = r.score(v), r.clock(v, i.State), statisticsEvery
	s.Counters, s.CountersNotAsked = r.statistics(v, &i)
	s.Incidents = r.events(v, &i)
	r.Compare(formatOf(v))
	r.Keep(i.ID, s)
}

// score reads the member goals, which does not include the shoot-out.
func (r *liveReader) score(item strictjson.Value) football.Score {
	v, once := item.Once("goals")
	r.Report(provider.FieldScore, "", v)
	if v.Kind() != strictjson.Object && !decode.IsEmpty(v) || !once {
		r.Damaged.Add(itemScore)
		return football.Score{Home: football.NullField[int](), Away: football.NullField[int]()}
	}
	return football.Score{Home: r.Damaged.Number(v, "home", maxGoals, itemScore), Away: r.Damaged.Number(v, "away", maxGoals, itemScore)}
}

// clock reads fixture.status. elapsed is the minute on the scoreboard, which stops at the
// end of a half; extra counts the minutes after that. No seconds are sent.
// fixture.periods are the scheduled times in every recording, and are not read.
func (r *liveReader) clock(item strictjson.Value, status string) (c input.ClockReading) {
	v := item.Get("fixture").Get("status")
	r.Report(provider.FieldClock, "", v)
	c.Minute = r.Damaged.Number(v, "elapsed", maxMinute, itemClock)
	extra := r.Damaged.Number(v, "extra", maxMinute, itemClock).Or(0)
	c.Shootout = status == api.StatusShootout
	minute, sent := c.Minute.Get()
	if !sent {
		return c
	}
	switch status {
	case api.StatusFirstHalf:
		c.Half, c.Minute, c.Running = football.Of(1), football.Of(minute+extra), football.Of(true)
	case api.StatusHalfTime:
		c.Half, c.Minute, c.Running = football.Of(2), football.Of(football.HalfBegins(2)), football.Of(false)
	case api.StatusSecondHalf:
		c.Half, c.Minute, c.Running = football.Of(2), football.Of(minute+extra), football.Of(true)
	case api.StatusExtraTime:
		c.Half, c.Minute, c.Running = football.Of(extraHalf(minute)), football.Of(minute+extra), football.Of(true)
	case api.StatusBreak:
		if minute >= football.HalfEnds(4) { // a shoot-out follows
			c.Half, c.Running, c.Shootout = football.Of(5), football.Of(false), true
			break
		}
		half := extraHalf(minute + 1)
		c.Half, c.Minute, c.Running = football.Of(half), football.Of(football.HalfBegins(half)), football.Of(false)
	case api.StatusShootout:
		c.Half, c.Running = football.Of(5), football.Of(false)
	case api.StatusSuspended, api.StatusInterrupted:
		c.Minute, c.Running = football.Of(minute+extra), football.Of(false)
	case api.StatusLive:
		c.Minute = football.Of(minute + extra)
	}
	return c
}

// extraHalf returns the half of extra time that a minute belongs to.
func extraHalf(minute int) int {
	if minute <= football.HalfEnds(3) {
		return 3
	}
	return 4
}
