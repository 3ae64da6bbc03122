package transform

import (
	"cmp"
	"slices"
	"time"

	"mkt/fetch/input"
	"mkt/transform/live"
)

// follow is one fixture that is followed from cycle to cycle.
type follow struct {
	state     *live.State // nil before its first fold
	known     bool        // it had a state before this cycle
	fetchedAt time.Time   // newest retrieval that held it
	// sample is what this cycle found of it, under the identity that it is to
	// have; nil when it was not listed.
	sample *input.Sample
}

// match joins the fixtures followed with what the list holds: by the live
// record's own id, and by the fixture's where a record was replaced by another.
// New ones are followed when they are in play. The samples are changed.
func match(followed []*follow, samples []input.Sample) []*follow {
	byEvent, byFixture := map[string]*follow{}, map[string]*follow{}
	for _, f := range followed {
		if id := f.state.EventID(); id != "" {
			byEvent[id] = f
		}
		byFixture[f.state.FixtureID()] = f
	}
	var unmatched []*input.Sample
	for i := range samples {
		s := &samples[i]
		if f := byEvent[s.ProviderEventID]; s.ProviderEventID != "" && f != nil {
			f.sample = s
			continue
		}
		unmatched = append(unmatched, s)
	}
	for _, s := range unmatched {
		if f := byFixture[s.ProviderFixtureID]; f != nil && f.sample == nil {
			f.sample = s
			continue
		}
		if f := byEvent[s.ProviderEventID]; s.ProviderEventID != "" && f != nil {
			f.sample = s // listed twice: the later item counts
			continue
		}
		if !live.Tracks(nil, s) {
			continue
		}
		f := &follow{sample: s}
		byEvent[s.ProviderEventID] = f
		followed = append(followed, f)
	}
	return followed
}

// settle gives every fixture its identity, each to one: that of the market
// engine from when it is known, and for good, so that neither a field that
// vanishes nor one that changes makes another fixture of it. Of two that claim
// the same, it is that one's which had it before; the other is known by its live
// record. One that is not listed gives way.
func settle(followed []*follow) []*follow {
	for _, f := range followed {
		if f.sample != nil && f.known && !isByEvent(f.state.FixtureID()) {
			f.sample.ProviderFixtureID = f.state.FixtureID()
		}
	}
	order := slices.Clone(followed)
	slices.SortStableFunc(order, func(a, b *follow) int { return cmp.Compare(a.claim(), b.claim()) })
	taken, out := map[string]bool{}, map[*follow]bool{}
	for _, f := range order {
		if taken[f.identity()] {
			if f.sample == nil || f.sample.ProviderEventID == "" || taken[input.ByEvent+f.sample.ProviderEventID] {
				out[f] = true
				continue
			}
			f.sample.ProviderFixtureID = input.ByEvent + f.sample.ProviderEventID
		}
		taken[f.identity()] = true
	}
	return slices.DeleteFunc(followed, func(f *follow) bool { return out[f] })
}

func isByEvent(id string) bool { return (&input.Sample{ProviderFixtureID: id}).IsByEvent() }

// identity is the provider's id of the fixture that it is to have.
func (f *follow) identity() string {
	if f.sample != nil {
		return f.sample.ProviderFixtureID
	}
	return f.state.FixtureID()
}

// claim orders those that may claim the same identity, the best claim first.
func (f *follow) claim() int {
	switch {
	case f.sample == nil:
		return 2
	case f.known && f.state.FixtureID() == f.identity():
		return 0
	}
	return 1
}

// fold takes the cycle's sample in. Time that went by without any cycle counts as
// that: what was known grew too old in between.
func (f *follow) fold() {
	s := f.sample
	f.fetchedAt = s.RetrievedAt
	if f.state == nil {
		f.step(live.Fold(nil, s))
		return
	}
	previous := *f.state
	if stale := previous.StaleAt(); previous.InPlay() && previous.At().Before(stale) && s.RetrievedAt.After(stale) {
		previous = live.Pass(previous, stale.Add(time.Millisecond))
	}
	f.step(live.Fold(&previous, s))
}

// unlisted takes a fixture on that the list does not hold. It leaves play when a
// list that is believed has lacked it for a while, or none has held it for long.
func (f *follow) unlisted(at time.Time, believed bool) {
	if f.missing(at) && (believed || f.silent(at) >= live.Linger) {
		f.step(live.Leave(*f.state, at))
		return
	}
	f.step(live.Pass(*f.state, at))
}

func (f *follow) step(next live.State) { f.state = &next }

// silent is for how long no list has held it.
func (f *follow) silent(at time.Time) time.Duration { return at.Sub(f.fetchedAt) }

// missing reports whether a fixture that has not left play has been in no list
// for a while.
func (f *follow) missing(at time.Time) bool {
	return f.sample == nil && !f.state.Left() && f.silent(at) >= missingFor
}
