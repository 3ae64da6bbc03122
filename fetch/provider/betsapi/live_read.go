package betsapi

import (
	"fmt"

	"mkt/fetch/input"
	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/wire"
)

// ReadInplay reads the pages of one events/inplay list, in archive order. A fixture
// that is on two pages is read from the later one. Fixtures that are not in play any
// more are in the sheet as well, with their status: a list keeps them for a while.
func ReadInplay(pages []provider.Payload) (provider.LiveSheet, error) {
	return readLive(pages)
}

// ReadView reads one event/view answer: what the list says of up to ten
// fixtures, and their events.
func ReadView(p provider.Payload) (provider.LiveSheet, error) {
	return readLive([]provider.Payload{p})
}

// liveReader reads the items of live payloads.
type liveReader struct {
	sheet    provider.LiveSheet
	ids      []string          // of the samples' items
	place    map[string]int    // of an item in the samples, by its id
	filtered map[string]string // rule by item id, as the last page that has it says
	items    int               // seen, and those of them with an id
	known    int
	repeated bool // an item was seen more than once
	broken   answer.Tally
	damaged  answer.Tally
	unknown  answer.Tally
	pagers   []pager
	trace    *provider.Trace
	of       provider.Subject // the item at hand
}

// report traces where something of the current item was read; which names one of
// several of its kind.
func (r *liveReader) report(field, which string, v strictjson.Value) {
	if r.trace != nil {
		r.trace.Report(r.of, field+which, v)
	}
}

func readLive(pages []provider.Payload) (provider.LiveSheet, error) {
	r := liveReader{place: make(map[string]int), filtered: make(map[string]string)}
	var doc strictjson.Document
	for _, p := range pages {
		results, err := readResults(&doc, p.Body)
		if err != nil {
			return provider.LiveSheet{}, fmt.Errorf("%s payload %d: %w", p.Endpoint, p.Number, err)
		}
		r.page(results, p)
		said, ok := readPager(doc.Root().Get(wire.KeyPager))
		if !ok {
			r.damaged.Add(pagerDamaged)
		}
		r.pagers = append(r.pagers, said)
	}
	if err := answer.CheckIDs(r.items, r.known); err != nil {
		return provider.LiveSheet{}, fmt.Errorf("%s: %w", pages[0].Endpoint, err)
	}
	return r.finish(), nil
}

// page reads the items of one payload. An item that is not football played by people
// is counted and left out before anything else of it is read.
func (r *liveReader) page(results strictjson.Value, p provider.Payload) {
	for v := range results.Items() {
		r.items++
		i, broken := readItem(v, p.Trace, &r.damaged)
		if broken != "" {
			r.broken.Add(broken)
			continue
		}
		r.known++
		_, sampled := r.place[i.id]
		_, leftOut := r.filtered[i.id]
		r.repeated = r.repeated || sampled || leftOut
		if rule := filterOf(&i); rule != "" {
			r.filtered[i.id] = rule
			continue
		}
		status, ok := playStatuses[i.status]
		if !ok {
			r.broken.Add("unknown time_status")
			continue
		}
		r.trace, r.of = p.Trace, provider.Subject{Fixture: i.id}
		s := input.Sample{ProviderFixtureID: i.id, Home: i.home, Away: i.away, League: i.league, StartsAt: i.startsAt,
			RetrievedAt: p.FetchedAt, Status: status, Score: r.score(v)}
		r.event(v, &s)
		r.keep(i.id, s)
	}
}

// keep adds a sample to the sheet, or replaces that of the same item.
func (r *liveReader) keep(id string, s input.Sample) {
	delete(r.filtered, id)
	if at, twice := r.place[id]; twice {
		r.sheet.Samples[at] = s
		return
	}
	r.place[id] = len(r.sheet.Samples)
	r.sheet.Samples, r.ids = append(r.sheet.Samples, s), append(r.ids, id)
}

func (r *liveReader) finish() provider.LiveSheet {
	var rules answer.Tally
	for _, rule := range r.filtered {
		rules.Add(rule)
	}
	kept := r.sheet.Samples[:0]
	for at, s := range r.sheet.Samples {
		if r.filtered[r.ids[at]] == "" { // else a later page says that no people play it
			kept = append(kept, s)
		}
	}
	r.sheet.Samples = kept
	r.sheet.Filtered, r.sheet.Broken, r.sheet.Damaged, r.sheet.Unknown = rules, r.broken, r.damaged, r.unknown
	r.sheet.Complete = r.isComplete()
	return r.sheet
}

// isComplete reports whether the pages hold as many different items as each of them
// counts, and all could be read. A list without a count is never known to be
// complete.
func (r *liveReader) isComplete() bool {
	for _, p := range r.pagers {
		if p.perPage == 0 || p.total != r.items {
			return false
		}
	}
	return len(r.pagers) > 0 && len(r.broken) == 0 && !r.repeated
}

// event reads one item of events/inplay or event/view.
func (r *liveReader) event(v strictjson.Value, s *input.Sample) {
	s.ProviderEventID = s.ProviderFixtureID
	r.report(provider.FieldFixtureID, "", v.Get("bet365_id"))
	if s.ProviderFixtureID = r.otherID(v, "bet365_id"); s.ProviderFixtureID == "" {
		s.ProviderFixtureID = input.ByEvent + s.ProviderEventID // the bookmaker does not list it: no FI, no markets
	}
	s.Clock = r.timer(v)
	s.Counters = r.stats(v)
	s.Incidents = r.events(v)
	r.unknown.AddUnknown(v, "item", liveFields)
}

// otherID returns the id of an item in the other family of ids, "" if it has none. A
// value that is no id is counted.
func (r *liveReader) otherID(item strictjson.Value, key string) string {
	v, once := item.Once(key)
	if !once {
		return ""
	}
	id := answer.ID(v)
	if id == "" && !answer.IsEmpty(v) && v.Text() != "" {
		r.damaged.Add(itemOtherID)
	}
	return id
}
