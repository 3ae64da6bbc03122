package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/transform"
	"mkt/transform/identity"
)

// Options of a replay.
type Options struct {
	ClientID string
	Product  football.Product
	Source   durable.ReadFS // of the tenant and product; only read
	Target   durable.FS     // the same in the other data root; the caller made it empty
	Data     durable.FS     // the other data root
	From, To snapshot.Moment
	Key      identity.Key // the source's
	Version  string       // of this binary
	// Fingerprint is what the source records of its id key.
	Fingerprint string

	Details        int  // live, as transform.Options has it
	Workers        int  // as transform.Options has it
	AcceptRemovals bool // as publish.Options has it
	Retention      retention.Policy
	Provider       func(name string) (provider.Provider, bool) // nil = every one there is
	Log            *slog.Logger
	Progress       func(done, total int) // may be nil
}

// ErrNothing: there is nothing to replay in the range.
var ErrNothing = errors.New("no archived cycle in the range")

// run is one replay under way.
type run struct {
	Options
	from, to snapshot.Commit
	then     map[layout.CycleID]snapshot.Commit // publications of the range
	report   Report
}

// Run replays. The report stands beside an error as far as it came. Errors to
// branch on: ErrNothing, snapshot.ErrUnknown, transform.ErrKey.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &run{Options: o, then: map[layout.CycleID]snapshot.Commit{}}
	r.report = Report{Tenant: o.ClientID, Product: o.Product, Rules: rulesOf(o.Product), Version: o.Version, Cycles: []Cycle{}}
	cycles, err := r.choose()
	if err != nil {
		return nil, err
	}
	if err := r.prepare(cycles); err != nil {
		return nil, err
	}
	for i, id := range cycles {
		if ctx.Err() != nil {
			return &r.report, context.Cause(ctx)
		}
		if o.Progress != nil {
			o.Progress(i, len(cycles))
		}
		c, err := r.cycle(ctx, id)
		if err != nil {
			return &r.report, err
		}
		r.report.add(c)
	}
	return &r.report, nil
}

// choose lists the archived cycles of the range, and what was published in it.
func (r *run) choose() (cycles []layout.CycleID, err error) {
	if r.from, err = snapshot.Find(r.Source, r.From); err != nil {
		return nil, fmt.Errorf("--from %w", err)
	}
	if r.to, err = snapshot.Find(r.Source, r.To); err != nil {
		return nil, fmt.Errorf("--to %w", err)
	}
	if r.to.Version < r.from.Version {
		return nil, fmt.Errorf("%w: --to (version %d) comes before --from (version %d)", ErrNothing, r.to.Version, r.from.Version)
	}
	for c, err := range snapshot.Backward(r.Source, r.to) {
		if err == nil && c.CycleID < r.from.CycleID {
			break
		}
		if err == nil {
			r.then[c.CycleID] = c
		}
	}
	cycles, err = raw.Between(r.Source, timeOf(r.from.CycleID), timeOf(r.to.CycleID))
	if err != nil {
		return nil, err
	}
	r.report.Published = len(r.then)
	if len(cycles) == 0 {
		return nil, fmt.Errorf("%w: from %s to %s; retention.cycle_age says how long they are kept", ErrNothing, r.from.CycleID, r.to.CycleID)
	}
	r.report.From, r.report.To = string(cycles[0]), string(cycles[len(cycles)-1])
	return cycles, nil
}

func timeOf(c layout.CycleID) time.Time {
	at, _, _ := layout.ParseCycleID(string(c)) // of our own names
	return at
}

// cycle runs one cycle again and compares. A failure of the cycle is told in the
// report; one of the disk, or of the key, is an error.
func (r *run) cycle(ctx context.Context, id layout.CycleID) (Cycle, error) {
	then := r.thenOf(id)
	c := Cycle{Cycle: string(id), Then: then.versions()}
	_, err := transform.Run(ctx, transform.Options{ClientID: r.ClientID, Product: r.Product, Cycle: id, Root: r.Target, Data: r.Data,
		Key: r.Key, Now: clock(then.processedAt), Log: r.Log, Workers: r.Workers, Version: r.Version, Details: r.Details, Provider: r.Provider})
	if errors.Is(err, transform.ErrKey) {
		return c, err
	}
	if err == nil {
		_, err = publish.Run(ctx, publish.Options{ClientID: r.ClientID, Product: r.Product, Cycle: id, Root: r.Target, RunID: then.runID,
			Now: clock(then.publishedAt), Log: r.Log, Version: r.Version, AcceptRemovals: r.AcceptRemovals, Retention: r.Retention})
	}
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, durable.ErrNoSpace) {
			return c, err
		}
		c.Outcome, c.Error = Failed, err.Error()
		if !then.published {
			c.Outcome = AsBefore
		}
		return c, nil
	}
	return c, r.compare(&c, then)
}

func clock(at time.Time) func() time.Time { return func() time.Time { return at } }

// before is what the first run of a cycle left.
type before struct {
	published    bool
	commit       snapshot.Commit
	manifest     *snapshot.Manifest // of the snapshot, or the canonical cycle when that is gone; nil when both are
	runID        string
	processedAt  time.Time
	publishedAt  time.Time
	nowhere, dir string
}

func (b *before) versions() Versions {
	if b.manifest == nil {
		return Versions{}
	}
	return Versions{b.manifest.DerivationVersion, b.manifest.BinaryVersion}
}

// thenOf finds what the first run of a cycle left, and its times.
func (r *run) thenOf(id layout.CycleID) *before {
	b := &before{runID: ""}
	b.commit, b.published = r.then[id]
	if b.published {
		b.runID, b.publishedAt = b.commit.RunID, b.commit.PublishedAt
		if m, err := snapshot.Open(r.Source, b.commit); err == nil {
			b.manifest, b.dir = &m, b.commit.Dir()
		}
	}
	if b.manifest == nil {
		if m, _, err := snapshot.OpenCanonical(r.Source, id); err == nil {
			b.manifest, b.dir = &m, layout.Cycle(layout.CanonicalDir, id)
		} else if !errors.Is(err, fs.ErrNotExist) {
			b.nowhere = err.Error()
		}
	}
	if a, err := raw.Open(r.Source, id); err == nil {
		b.processedAt = a.Cycle().FinishedAt
	}
	if b.manifest != nil && b.manifest.ProcessedAt != nil {
		b.processedAt = *b.manifest.ProcessedAt
	}
	if b.publishedAt.IsZero() {
		b.publishedAt = b.processedAt
	}
	return b
}
