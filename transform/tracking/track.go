package tracking

import (
	"cmp"
	"slices"
	"time"

	"mkt/fetch/input"
	"mkt/transform/bounds"
	"mkt/transform/live"
	"mkt/transform/live/rules"
)

// track is one fixture on its way through a cycle.
type track struct {
	state     *live.State // nil before its first fold
	known     bool        // it had a state before this cycle
	before    *live.State // that state
	shown     live.Shown  // by the publications before this cycle
	fetchedAt time.Time   // newest retrieval with the fixture in it
	// sample is the fixture in this cycle, with its final identity; nil if it is not listed.
	sample *input.Sample
}

// match joins the tracked fixtures with the samples of the list: by the id of the live record, or
// by the fixture's id if another record replaced it. It adds a track for a new fixture in play.
// It modifies the samples.
func match(tracks []*track, samples []input.Sample) []*track {
	byEvent, byFixture := map[string]*track{}, map[string]*track{}
	for _, t := range tracks {
		if id := t.state.EventID(); id != "" {
			byEvent[id] = t
		}
		byFixture[t.state.FixtureID()] = t
	}
	var unmatched []*input.Sample
	for i := range samples {
		s := &samples[i]
		if t := byEvent[s.ProviderEventID]; s.ProviderEventID != "" && t != nil {
			t.sample = s
			continue
		}
		unmatched = append(unmatched, s)
	}
	for _, s := range unmatched {
		if t := byFixture[s.ProviderFixtureID]; t != nil && t.sample == nil {
			t.sample = s
			continue
		}
		if t := byEvent[s.ProviderEventID]; s.ProviderEventID != "" && t != nil {
			t.sample = s // listed twice: the later item counts
			continue
		}
		if !live.Tracks(nil, s) {
			continue
		}
		t := &track{sample: s}
		byEvent[s.ProviderEventID] = t
		tracks = append(tracks, t)
	}
	return tracks
}

// assignIdentities gives every fixture an identity of its own. As soon as the market engine's is
// known, it stays for good: a field which is missing later, or changes, must not make another
// fixture. Of two fixtures with the same identity, the one which had it before keeps it. The
// other is identified by its live record, or dropped if it is not listed.
func assignIdentities(tracks []*track) []*track {
	for _, t := range tracks {
		t.keepIdentity()
	}
	order := slices.Clone(tracks)
	slices.SortStableFunc(order, func(a, b *track) int { return cmp.Compare(a.priority(), b.priority()) })
	taken, dropped := map[string]bool{}, map[*track]bool{}
	for _, t := range order {
		if taken[t.identity()] {
			if t.sample == nil || t.sample.ProviderEventID == "" || taken[input.ByEvent+t.sample.ProviderEventID] {
				dropped[t] = true
				continue
			}
			t.sample.ProviderFixtureID = input.ByEvent + t.sample.ProviderEventID
		}
		taken[t.identity()] = true
	}
	return slices.DeleteFunc(tracks, func(t *track) bool { return dropped[t] })
}

// keepIdentity gives the sample the fixture's earlier identity of the market engine, if there was
// one.
func (t *track) keepIdentity() {
	if t.sample != nil && t.known && !isByEvent(t.state.FixtureID()) {
		t.sample.ProviderFixtureID = t.state.FixtureID()
	}
}

func isByEvent(id string) bool { return (&input.Sample{ProviderFixtureID: id}).IsByEvent() }

// identity returns the provider's id for the fixture.
func (t *track) identity() string {
	if t.sample != nil {
		return t.sample.ProviderFixtureID
	}
	return t.state.FixtureID()
}

// priority orders the tracks with the same identity; the lowest one keeps it.
func (t *track) priority() int {
	switch {
	case t.sample == nil:
		return 2
	case t.known && t.state.FixtureID() == t.identity():
		return 0
	}
	return 1
}

// fold adds the cycle's sample to the state. If the state became stale since the last cycle, it
// becomes stale first.
func (t *track) fold() {
	s := t.sample
	t.fetchedAt = s.RetrievedAt
	if t.state == nil {
		t.set(live.Fold(nil, s))
		return
	}
	previous := *t.state
	if stale := previous.StaleAt(); previous.InPlay() && previous.At().Before(stale) && s.RetrievedAt.After(stale) {
		previous = live.Pass(previous, stale.Add(time.Millisecond))
	}
	t.set(live.Fold(&previous, s))
}

// passUnlisted takes an unlisted fixture to the time of the cycle. It leaves play if complete
// lists have lacked it for a while, or no list has had it for long.
func (t *track) passUnlisted(at time.Time, isComplete bool) {
	step := live.Pass
	if t.isMissing(at) && (isComplete || t.unlistedFor(at) >= rules.Linger) {
		step = live.Leave
	}
	next := step(*t.state, at)
	if next.At().Before(t.state.At()) { // the clock was set back, and when the fixture was retrieved is not known
		t.fetchedAt = next.FreshAt()
	}
	if t.fetchedAt.After(at) {
		t.fetchedAt = at
	}
	t.set(next)
}

func (t *track) set(next live.State) { t.state = &next }

// unlistedFor returns the time since a list last had the fixture, or since the clock was set back after that.
func (t *track) unlistedFor(at time.Time) time.Duration {
	return min(at.Sub(t.fetchedAt), at.Sub(t.state.FirstAt()))
}

// isMissing reports whether a fixture has not left play but was in no list for a while.
func (t *track) isMissing(at time.Time) bool {
	return t.sample == nil && !t.state.Left() && t.unlistedFor(at) >= bounds.MissingFor
}
