package transform

import (
	"context"
	"fmt"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/transform/live"
)

// What is believed of a list that lacks fixtures.
const (
	// missingFor is how long a complete list must lack a fixture for it to have
	// left play: one answer that leaves it out is a slip.
	missingFor = 20 * time.Second
	// A list that lacks more than this share and this number of the fixtures in
	// play is not believed until they have been missing for live.Linger.
	holdShare  = 0.20
	holdNumber = 20
)

// LiveSummary is what a cycle of live intelligence came to.
type LiveSummary struct {
	InPlay    int // of the fixtures followed
	Momentum  int // of these, with momentum
	Sampled   int // found on the list
	Baselines int // met for the first time
	Details   int // fixtures whose own events were read
	Left      int // left play in this cycle
	Held      int // missing, and kept because too many were at once
	Gone      int // not followed any more
	Refused   int // stored states that this version does not read
}

func liveCounts(s *Summary) []count {
	l := &s.Live
	return []count{{"fixtures", s.Fixtures}, {"in_play", l.InPlay}, {"momentum_available", l.Momentum}, {"sampled", l.Sampled},
		{"baselines", l.Baselines}, {"details_read", l.Details}, {"left", l.Left}, {"held", l.Held}, {"gone", l.Gone},
		{"states_refused", l.Refused}, {"broken", s.Broken}, {"damaged", s.Damaged}, {"failed", s.Failed}}
}

// foldLive is the engine of live_intelligence: what the list and the details say
// is folded into the states of the cycle before. Every time in it is one of the
// raw cycle's.
func foldLive(ctx context.Context, r *run) error {
	list, details, err := r.readLive()
	if err != nil {
		return err
	}
	// Not before it is known to be readable: in a row of cycles that are not, each
	// would make up for all before it, in vain.
	if err := r.findPrevious(ctx); err != nil {
		return err
	}
	followed, err := r.readStates()
	if err != nil {
		return err
	}
	samples := live.Join(list.Samples, details)
	followed = settle(match(followed, samples))
	followed = r.advance(followed)
	r.arrange(followed)
	return nil
}

// advance takes every fixture one step on, and lets those go that left play long
// ago.
func (r *run) advance(followed []*follow) (kept []*follow) {
	l, at := &r.summary.Live, r.result.newest
	mayLeave := r.result.listingComplete && !r.tooManyMissing(followed)
	for _, f := range followed {
		hadNotLeft := f.state != nil && !f.state.Left()
		if f.sample != nil {
			l.Sampled++
			f.fold()
			if !f.known {
				l.Baselines++
			}
		} else {
			f.unlisted(at, mayLeave)
		}
		if hadNotLeft && f.state.Left() {
			l.Left++
		}
		if f.state.Expired(at) {
			l.Gone++
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// tooManyMissing tells whether a list lacks more fixtures than is believed, and
// counts them.
func (r *run) tooManyMissing(followed []*follow) bool {
	missing, listed := 0, 0
	for _, f := range followed {
		if f.state != nil && !f.state.Left() {
			listed++
		}
		if f.missing(r.result.newest) {
			missing++
		}
	}
	if missing <= holdNumber || float64(missing) <= holdShare*float64(listed) {
		return false
	}
	r.summary.Live.Held = missing
	return true
}

// liveAdapter reads the cycle's payloads.
func (r *run) liveAdapter() (provider.LiveAdapter, error) {
	return liveAdapterOf(r.archive, r.Provider)
}

func liveAdapterOf(a *raw.Archive, lookup func(string) (provider.Provider, bool)) (provider.LiveAdapter, error) {
	name := a.Cycle().Provider
	p, ok := lookup(name)
	if !ok || p.Live == nil {
		return nil, fmt.Errorf("provider %q: nothing here reads its live data", name)
	}
	return p.Live, nil
}

// readLive reads the list, and the details as far as they can be read.
func (r *run) readLive() (list provider.LiveSheet, details []input.Sample, err error) {
	adapter, err := r.liveAdapter()
	if err != nil {
		return list, nil, err
	}
	res := &r.result
	res.counters = map[string]int64{}
	var pages []provider.Payload
	unknown, damaged := map[string]int{}, map[string]int{}
	for _, response := range r.archive.Responses() {
		if !response.Accepted() || !adapter.IsList(response.Endpoint) && !adapter.IsDetail(response.Endpoint) {
			continue
		}
		p, err := r.archive.Payload(response)
		if err != nil {
			return list, nil, err
		}
		res.counters["payloads"]++
		res.counters["payload_bytes"] += int64(len(p.Body))
		if adapter.IsList(response.Endpoint) {
			pages = append(pages, p)
			if p.FetchedAt.After(res.newest) {
				res.newest = p.FetchedAt
			}
			continue
		}
		sheet, err := guarded(func() (provider.LiveSheet, error) { return adapter.ReadDetail(p) })
		if err != nil {
			r.unreadable(response, err)
			continue
		}
		add(unknown, sheet.Unknown)
		add(damaged, sheet.Damaged)
		add(damaged, keyed("detail", sheet.Broken))
		details = append(details, sheet.Samples...)
	}
	if len(pages) == 0 {
		return list, nil, fmt.Errorf("%w: no list of fixtures in play", ErrNoCycle)
	}
	if list, err = guarded(func() (provider.LiveSheet, error) { return adapter.ReadList(pages) }); err != nil {
		return list, nil, fmt.Errorf("%w: the list of fixtures in play: %w", ErrQuarantined, err)
	}
	res.filtered, res.broken, res.damaged, res.unknown = list.Filtered, sums(list.Broken), damaged, unknown
	add(res.damaged, list.Damaged)
	add(res.unknown, list.Unknown)
	r.summary.Damaged = total(res.damaged)
	r.summary.Live.Details = len(details)
	res.listingComplete = list.Complete && r.archive.Cycle().ListingComplete
	r.summary.Broken, r.summary.Failed = total(list.Broken), len(r.archive.Cycle().Failed)
	r.summary.Bytes = res.counters["payload_bytes"]
	return list, details, tooManyBroken(list)
}

// keyed puts the kind of record before the reasons why some could not be read.
func keyed(kind string, broken map[string]int) map[string]int {
	all := make(map[string]int, len(broken))
	for reason, n := range broken {
		all[kind+": "+reason] = n
	}
	return all
}

// tooManyBroken refuses a list of which too much could not be read.
func tooManyBroken(list provider.LiveSheet) error {
	bad, whole := total(list.Broken), total(list.Broken)+len(list.Samples)
	if bad > 1 && float64(bad) > maxBroken*float64(whole) {
		return fmt.Errorf("%w: %d of %d fixtures in play", ErrQuarantined, bad, whole)
	}
	return nil
}
