package betsapi

import (
	"fmt"
	"slices"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
)

// readLive reads the pages of one events/inplay list, in archive order, or an event/view
// answer: up to ten fixtures as the list has them, with their events. A fixture on two pages is
// read from the later one. Fixtures no longer in play are in the sheet as well, with their
// status: a list keeps them for a while.
func readLive(pages []provider.Payload) (provider.LiveSheet, error) {
	r := liveReader{decode.NewLive()}
	doc := decode.Document()
	defer decode.Release(doc)
	totals := make([]int, 0, len(pages))
	for _, p := range pages {
		envelope, results, err := readEnvelope(doc, p)
		if err != nil {
			return provider.LiveSheet{}, fmt.Errorf("%s payload %d: %w", p.Endpoint, p.Number, err)
		}
		r.Page(results.Len())
		for v := range results.Items() {
			r.item(v, p)
		}
		said, ok := readPager(envelope.Get(api.KeyPager))
		if !ok {
			r.Damaged.Add(pagerDamaged)
		}
		if said.perPage == 0 {
			r.Incomplete = true // a list without a count is never known to be complete
		}
		totals = append(totals, said.total)
	}
	// Each page must count as many items as all pages have.
	r.Incomplete = r.Incomplete || slices.ContainsFunc(totals, func(n int) bool { return n != r.Items() })
	return r.Sheet(pages)
}

// item reads one item. An item other than football played by people is counted and left
// out before anything else of it is read.
func (r *liveReader) item(v strictjson.Value, p provider.Payload) {
	i, broken := readItem(v, p.Trace, &r.Damaged)
	if s, ok := r.Start(p, &i, broken, "time_status", playStatuses); ok {
		s.Score = r.score(v)
		r.event(v, &s)
		r.Keep(i.ID, s)
	}
}

// event reads one item of events/inplay or event/view.
func (r *liveReader) event(v strictjson.Value, s *input.Sample) {
	r.Report(provider.FieldFixtureID, "", v.Get("bet365_id"))
	if s.ProviderFixtureID = r.otherID(v, "bet365_id"); s.ProviderFixtureID == "" {
		s.ProviderFixtureID = input.ByEvent + s.ProviderEventID // the bookmaker does not list it: no FI, no markets
	}
	s.Clock = r.timer(v)
	s.Counters = r.stats(v)
	s.Incidents = r.events(v)
	r.Compare(formatOf(v, liveFields))
}

// otherID returns the id of an item in the other family of ids, "" if it has none. A
// value that is no id is counted.
func (r *liveReader) otherID(item strictjson.Value, key string) string {
	v, once := item.Once(key)
	if !once {
		return ""
	}
	id := decode.ID(v)
	if id == "" && !decode.IsEmpty(v) && v.Text() != "" {
		r.Damaged.Add(itemOtherID)
	}
	return id
}
