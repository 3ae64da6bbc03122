package feed

import (
	"fmt"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed/internal/api"
)

// Damage of values of the right kind.
const (
	badTime   = "a time is not RFC 3339 with a zone"
	badStatus = "its status is none"
	badEvent  = "an event cannot be read"
	badNumber = "a number cannot be read"
)

// statuses are the states of fixtures, in lists and in play.
var statuses = map[string]input.PlayStatus{
	api.NotStarted: input.NotStarted, api.InPlay: input.InPlay, api.Halted: input.Halted, api.Over: input.Over, api.Off: input.Off,
}

// fixtureID returns the id of an item, "" if it has none.
func fixtureID(v strictjson.Value) string {
	if id := textOf(v, "id").Or(""); isFixtureID(id) {
		return id
	}
	return ""
}

// readFixture reads a fixture of a list, or of matches in play, and counts damage. broken is why
// it cannot be used at all, "" if it can.
func readFixture(s *shape, v strictjson.Value, trace *provider.Trace, damaged, unknown *decode.Counts) (f decode.Item, broken string) {
	if f.ID = fixtureID(v); f.ID == "" {
		return f, "without an id"
	}
	of := provider.Subject{Fixture: f.ID}
	trace.Report(of, provider.FieldThing, v)
	for _, key := range [...]string{"home", "away", "league", "starts_at", "status"} { // as a trace calls them
		trace.Report(of, key, v.Get(key))
		if m := v.Get(key); decode.IsWrong(m) || m.Kind() == strictjson.Number {
			f.Damaged = append(f.Damaged, decode.Head(m.Text(), decode.MaxSigns))
		}
	}
	f.Home, f.Away, f.League = textOf(v, "home"), textOf(v, "away"), textOf(v, "league")
	f.State = textOf(v, "status").Or("")
	starts, timed := timeOf(v, "starts_at")
	f.StartsAt = starts
	_, known := statuses[f.State]
	why := s.fault(v, unknown)
	switch {
	case why != "":
		damaged.Add(why)
	case !timed:
		damaged.Add(s.name + ": " + badTime)
	case !known:
		damaged.Add(s.name + ": " + badStatus)
	}
	return f, ""
}

// ReadListing implements provider.MarketAdapter. The account's mapping table is among the
// payloads if it has one.
func (a marketAdapter) ReadListing(pages []provider.Payload) (l provider.Listing, err error) {
	r := decode.NewListing()
	d := decode.Document()
	defer decode.Release(d)
	own := table()
	for _, p := range pages {
		if p.Endpoint == provider.EndpointMapping {
			if own, err = ParseTable(string(p.Body)); err != nil {
				return l, fmt.Errorf("the account's mapping table: %w", err)
			}
			continue
		}
		root, err := a.open(d, p, api.EndpointFixtures)
		if err != nil {
			return l, err
		}
		for v := range root.Get("fixtures").Items() {
			f, broken := readFixture(&fixtureShape, v, p.Trace, &r.Damaged, &r.Unknown)
			if !r.Count(broken) {
				continue
			}
			status := statuses[f.State]
			r.Keep(provider.ListedFixture{Fixture: f.Fixture(a.provider(), p.FetchedAt), Over: status == input.Over || status == input.Off,
				InPlay: status == input.InPlay || status == input.Halted}, f.Rule(), decode.Format{})
		}
	}
	l, err = r.Result(api.EndpointFixtures)
	l.Table = own
	return l, err
}
