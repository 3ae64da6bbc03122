package tracking

import (
	"context"
	"log/slog"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/identity"
	"mkt/transform/reading"
)

// Cycle is one raw cycle of live_intelligence. [Cycle.Derive] makes its rows, and [Cycle.Write] writes them.
type Cycle struct {
	Root     durable.ReadFS // of the tenant and product, with the cycles before
	Records  durable.ReadFS // has the records of publications that Root lacks; may be nil
	Archive  *raw.Archive
	Provider func(name string) (provider.Provider, bool) // finds an adapter by name
	Key      identity.Key
	Details  int // fixtures whose timeline and minutes are published
	Log      *slog.Logger
	Received *raw.Received      // answers fetched by this process; may be nil
	States   *States            // keeps the beginning of the next cycle; nil keeps nothing
	Before   *snapshot.Manifest // header of an earlier run of the same cycle; nil if there was none
	Observed *reading.Observed  // counts what the answers have; may be nil
	// Backfill transforms an earlier cycle. It returns false for one whose content cannot be
	// transformed. If it is nil, no earlier cycle is transformed.
	Backfill func(context.Context, layout.CycleID) (done bool, err error)

	Header *snapshot.Manifest // of the canonical cycle; Derive and Write add their part
	Totals *reading.Totals    // these are counted in
	Counts *Counts

	previous *snapshot.Manifest // of the cycle continued by this one; nil if there is none
	rows     canonicalRows
	observer *reading.Observer
}

// Counts counts the fixtures in play.
type Counts struct {
	InPlay    int // fixtures tracked in play
	Momentum  int // of those, with momentum
	Sampled   int // found on the list
	Baselines int // sampled for the first time
	Details   int // fixtures whose own events were read
	Left      int // left play in this cycle
	Held      int // missing, and kept because too many were missing at once
	Gone      int // no longer tracked
	Refused   int // stored states unreadable for this version
}

// Named returns the counts, and those of t, by their names in the header, the log and the state file.
func (c *Counts) Named(t *reading.Totals) []slog.Attr {
	return []slog.Attr{slog.Int("fixtures", t.Fixtures), slog.Int("in_play", c.InPlay), slog.Int("momentum_available", c.Momentum),
		slog.Int("sampled", c.Sampled), slog.Int("baselines", c.Baselines), slog.Int("details_read", c.Details), slog.Int("left", c.Left),
		slog.Int("held", c.Held), slog.Int("gone", c.Gone), slog.Int("states_refused", c.Refused), slog.Int("broken", t.Broken),
		slog.Int("damaged", t.Damaged), slog.Int("failed", t.Failed)}
}
