package reader

import (
	"sync/atomic"
	"time"

	"mkt/publish/snapshot"
	"mkt/publish/steps"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/engine"
	"mkt/serve/internal/reader/feed"
	"mkt/serve/internal/reader/markets"
	"mkt/serve/internal/reader/pages"
	"mkt/serve/internal/reader/segments"
)

// View is one pinned, loaded snapshot: it does not change, and it is not closed
// before Release. Safe for concurrent use.
type View struct {
	*markets.Tables // nil on a live snapshot
	*pages.Cache    // nil on a live snapshot
	*feed.Set       // nil unless it is a live snapshot

	commit   snapshot.Commit
	manifest snapshot.Manifest
	held     int64  // see Held
	order    uint64 // see Order
	segments *segments.Reader

	engine *engine.Engine // of the tables
	refs   atomic.Int64   // including the dataset's own one
	closed func(error)    // called when the engine is closed
}

// Release releases the view. The caller must not use it afterwards.
func (v *View) Release() {
	if v.refs.Add(-1) > 0 {
		return
	}
	if v.engine == nil {
		return
	}
	// No request waits for the engine to close.
	go func() {
		v.closed(v.engine.Close())
	}()
}

// Commit returns the publication that the view shows.
func (v *View) Commit() snapshot.Commit { return v.commit }

// Order returns a number. A view has a greater one than all views this process loaded before it, also
// after a restore, when versions do not say which view is newer.
func (v *View) Order() uint64 { return v.order }

// Freshness returns the times of the whole dataset: the newest retrieval in it.
func (v *View) Freshness() api.Freshness {
	return api.Freshness{ProviderFetchedAt: v.manifest.ProviderFetchedAt, ProcessedAt: v.manifest.ProcessedAt, PublishedAt: v.manifest.PublishedAt}
}

// Provider returns the provider that the data comes from, or "" if it is unknown.
func (v *View) Provider() string { return v.manifest.Provider }

// Held returns the number of fixtures that were kept although the provider's list lacks
// them, because too many were missing at once to be credible.
func (v *View) Held() int64 { return v.held }

// FixtureFreshness returns the times of one fixture: its own retrieval, and the other
// times of the dataset.
func (v *View) FixtureFreshness(f markets.Fixture) api.Freshness {
	fresh := v.Freshness()
	fresh.ProviderFetchedAt = &f.FetchedAt
	return fresh
}

// LiveFreshness returns the times of one fixture: its own retrieval, and the other
// times of the snapshot.
func (v *View) LiveFreshness(f *api.LiveFixture) api.Freshness {
	fresh := v.Freshness()
	fresh.ProviderFetchedAt = &f.FetchedAt
	return fresh
}

// Window returns the retained part of the change log.
func (v *View) Window() api.Window {
	w := v.commit.Window()
	window := api.Window{FirstSeq: w.First, LastSeq: w.Last}
	if len(v.manifest.Changes) > 0 {
		at := v.manifest.Changes[0].At
		window.RetainedFrom = &at
	}
	return window
}

// Events calls do with at most limit events after seq after, oldest first. The body
// is valid only until do returns. last is the seq to continue after; more reports
// whether there are further events. after must lie in the window.
func (v *View) Events(after uint64, limit int, do func(body []byte)) (last uint64, more bool, err error) {
	last, err = v.segments.Events(v.manifest.Changes, after, limit, do)
	return last, err == nil && last < v.commit.LastSeq, err
}

// EventsCached reports whether the page of events after seq after is in memory.
func (v *View) EventsCached(after uint64, limit int) bool {
	return v.segments.EventsCached(v.manifest.Changes, after+1, min(after+uint64(limit), v.commit.LastSeq))
}

// PricePath reads the part of the path of the prices of a market that a span needs, up to a time; zero for
// all.
func (v *View) PricePath(fixture, market string, until time.Time, of steps.Span) (*steps.Path, error) {
	return v.segments.PricePath(&v.manifest, v.commit.ManifestSHA256, fixture, market, until, of)
}

// StepsSince returns when the oldest recorded step was published; nil if none is recorded.
func (v *View) StepsSince() *time.Time {
	if len(v.manifest.Steps) == 0 {
		return nil
	}
	at := v.manifest.Steps[0].Begins()
	return &at
}
