package reader

import (
	"sync/atomic"
	"time"

	"mkt/publish/snapshot"
	"mkt/serve/internal/api"
)

// View is one loaded snapshot, pinned: it does not change and does not close
// before Release. Safe for concurrent use.
type View struct {
	commit   snapshot.Commit
	manifest snapshot.Manifest
	held     int64 // see Held
	index    *index
	engine   *engine  // nil on a live snapshot
	live     *liveSet // nil but on a live snapshot, which has neither index nor engine
	log      *changeLog
	dataset  *Dataset // whose snapshot it is; nil on a view that is only checked

	pages   *lru[string, *api.Page]
	flights flights
	matches *lru[FixtureFilter, []int32]

	refs   atomic.Int64 // the dataset's own one included
	closed func(error)  // told how closing went
}

// Release gives the view back. Using it afterwards is a mistake.
func (v *View) Release() {
	if v.refs.Add(-1) > 0 {
		return
	}
	if v.engine == nil {
		return
	}
	// Closing waits for nobody's request.
	go func() { v.closed(v.engine.close()) }()
}

// Commit is the publication that the view shows.
func (v *View) Commit() snapshot.Commit { return v.commit }

// Freshness is that of the whole dataset: the newest retrieval in it.
func (v *View) Freshness() api.Freshness {
	return api.Freshness{ProviderFetchedAt: v.manifest.ProviderFetchedAt, ProcessedAt: v.manifest.ProcessedAt, PublishedAt: v.manifest.PublishedAt}
}

// Provider is the adapter the data comes from; "" when unknown.
func (v *View) Provider() string { return v.manifest.Provider }

// Held is how many fixtures were kept although the provider's list lacks them,
// because it lacks too many at once to be believed.
func (v *View) Held() int64 { return v.held }

// FixtureCount is how many fixtures there are.
func (v *View) FixtureCount() int { return v.index.fixtures() }

// Fixture is one fixture's place in a view.
type Fixture struct {
	n         int
	ID        string
	Markets   int       // how many it has
	FetchedAt time.Time // when it was retrieved from the provider
}

// Find looks a fixture up by its id.
func (v *View) Find(id string) (Fixture, bool) {
	n, ok := v.index.find(id)
	if !ok {
		return Fixture{}, false
	}
	from, to := v.index.markets(n)
	return Fixture{n: n, ID: v.index.id(n), Markets: to - from, FetchedAt: v.index.fetchedAt(n)}, true
}

// FixtureFreshness is that of one fixture: its own retrieval, the dataset's other
// times.
func (v *View) FixtureFreshness(f Fixture) api.Freshness {
	fresh := v.Freshness()
	fresh.ProviderFetchedAt = &f.FetchedAt
	return fresh
}
