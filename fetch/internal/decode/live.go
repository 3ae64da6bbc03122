package decode

import (
	"fmt"
	"slices"

	"mkt/fetch/input"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// Live joins the items of live payloads.
type Live struct {
	Broken, Damaged, Unknown Counts
	Incomplete               bool // the list is known not to be complete

	items, read int
	changed     int            // items of another format
	nameless    bool           // an item without an id was found
	page        int            // the current one
	foundOn     map[string]int // the page of an item
	moved       bool           // an item was found on two pages
	unread      []string       // ids of items that are not used
	ids         []string
	samples     []input.Sample
	place       map[string]int    // of an item in ids and samples
	filtered    map[string]string // the rule by which an item was left out, by its id
	doubted     map[string]bool   // ids of two fixtures

	trace *provider.Trace
	of    provider.Subject // the current item
}

// NewLive returns a Live without items.
func NewLive() *Live {
	return &Live{foundOn: make(map[string]int), place: make(map[string]int), filtered: make(map[string]string), doubted: make(map[string]bool)}
}

// maxExpected is more items than an answer has.
const maxExpected = 1 << 10

// Page begins a page of n items. It reserves memory for up to maxExpected, because a sample is much
// larger than an item that is not one.
func (l *Live) Page(n int) {
	l.page++
	n = min(n, maxExpected)
	l.samples, l.ids = slices.Grow(l.samples, n), slices.Grow(l.ids, n)
}

// Count counts an item and reports whether it can be used: broken says why it cannot,
// "" if it can.
func (l *Live) Count(broken string) bool {
	if l.items++; broken != "" {
		l.Broken.Add(broken)
		l.nameless = true
		return false
	}
	l.read++
	return true
}

// Items returns the number of items.
func (l *Live) Items() int { return l.items }

// Found reports whether an item with that id was found before. If one was on another page, the
// list changed while it was read and may lack another item. Twice on one page says nothing about
// others.
func (l *Live) Found(id string) bool {
	page, found := l.foundOn[id]
	l.moved = l.moved || found && page != l.page
	l.foundOn[id] = l.page
	return found
}

// Start begins an item of a payload, whose format is that of the adapter, and returns its sample
// so far. It returns false if the item is not used. That is so if broken says why it cannot be
// read, if it is not football played by people, and if statuses lacks its state. member is the
// provider's name of the state.
func (l *Live) Start(p provider.Payload, i *Item, broken, member string, statuses map[string]input.PlayStatus) (s input.Sample, ok bool) {
	if !l.Count(broken) {
		return s, false
	}
	l.Found(i.ID)
	if rule := i.Rule(); rule != "" {
		l.LeaveOut(i.ID, rule)
		return s, false
	}
	status, known := statuses[i.State]
	if !known {
		l.Broken.Add("unknown " + member)
		l.unread = append(l.unread, i.ID)
		return s, false
	}
	l.Trace(p.Trace, i.ID)
	return input.Sample{ProviderFixtureID: i.ID, ProviderEventID: i.ID, Home: i.Home, Away: i.Away, League: i.League, StartsAt: i.StartsAt,
		RetrievedAt: p.FetchedAt, Status: status}, true
}

// Hurt counts the current item as one of another format.
func (l *Live) Hurt() { l.changed++ }

// LeaveOut leaves out an item, as rule says.
func (l *Live) LeaveOut(id, rule string) {
	if _, sampled := l.place[id]; sampled {
		l.doubted[id] = true
	}
	l.filtered[id] = rule
}

// Compare records how an item compares with the known format.
func (l *Live) Compare(format Format) {
	for _, name := range format.Unknown {
		l.Unknown.Add(name)
	}
	if format.Changed {
		l.Damaged.Add(Renamed)
	}
	if format.Null {
		l.Damaged.Add(WithNull)
	}
	if format.Changed || format.Null {
		l.changed++
	}
}

// Trace makes an item the one whose parts are reported.
func (l *Live) Trace(t *provider.Trace, id string) {
	l.trace, l.of = t.For(id), provider.Subject{Fixture: id}
}

// Report traces where something of the current item was read; which names one of several
// of its kind.
func (l *Live) Report(field, which string, v strictjson.Value) {
	if l.trace != nil {
		l.trace.Report(l.of, field+which, v)
	}
}

// Keep adds the sample of an item, or replaces an earlier one of the same item. If one
// item is left out and another is not, or their teams are others, they are of two
// fixtures: which of them the id belongs to is not known, and neither is used.
func (l *Live) Keep(id string, s input.Sample) {
	at, sampled := l.place[id]
	if l.filtered[id] != "" || sampled && isOther(teamsOf(&l.samples[at]), teamsOf(&s)) {
		l.doubted[id] = true
	}
	if at, twice := l.place[id]; twice {
		l.samples[at] = s
		return
	}
	l.place[id] = len(l.samples)
	l.samples, l.ids = append(l.samples, s), append(l.ids, id)
}

func teamsOf(s *input.Sample) *football.Fixture {
	return &football.Fixture{Home: s.Home, Away: s.Away, League: s.League}
}

// Sheet returns the content of the payloads. It is an error if none of several items had
// an id.
func (l *Live) Sheet(pages []provider.Payload) (provider.LiveSheet, error) {
	if err := CheckIDs(l.items, l.read); err != nil {
		return provider.LiveSheet{}, fmt.Errorf("%s: %w", pages[0].Endpoint, err)
	}
	for id := range l.doubted {
		delete(l.filtered, id)
		l.Broken.Add(TwoFixtures)
		l.unread = append(l.unread, id)
	}
	s := provider.LiveSheet{Unread: l.unread, Filtered: countRules(l.filtered), Broken: l.Broken, Damaged: l.Damaged, Unknown: l.Unknown, Met: l.items, Changed: l.changed}
	s.Samples = l.samples[:0]
	for at, sample := range l.samples {
		if id := l.ids[at]; l.filtered[id] == "" && !l.doubted[id] { // else a later page leaves it out
			s.Samples = append(s.Samples, sample)
		}
	}
	s.Complete = len(pages) > 0 && !l.nameless && !l.moved && !l.Incomplete
	return s, nil
}
