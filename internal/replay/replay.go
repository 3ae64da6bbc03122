package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
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

// Options are the options of a replay.
type Options struct {
	ClientID string
	Product  football.Product
	Source   durable.ReadFS // of the tenant and product; only read
	Target   durable.FS     // the same in the other data root, and empty
	Data     durable.FS     // the other data root
	From, To snapshot.Moment
	Key      identity.Key // of the source
	Version  string       // of this binary
	// Fingerprint is the id key's fingerprint recorded by the source.
	Fingerprint string

	Details        int  // live, see transform.Options
	Workers        int  // see transform.Options
	AcceptRemovals bool // see publish.Options
	Retention      retention.Policy
	Provider       func(name string) (provider.Provider, bool) // nil: all providers
	Log            *slog.Logger
	Progress       func(done, total int) // may be nil
}

// ErrNothing is the error for a range without an archived cycle.
var ErrNothing = errors.New("no archived cycle in the range")

type run struct {
	Options
	from, to snapshot.Commit
	then     map[layout.CycleID]snapshot.Commit // publications of the range
	report   Report
}

// Run replays. After an error the report covers the cycles until then. Its errors include
// [ErrNothing], [snapshot.ErrUnknown] and [transform.ErrKey].
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &run{Options: o, then: map[layout.CycleID]snapshot.Commit{}}
	r.report = Report{Tenant: o.ClientID, Product: o.Product, Rules: rulesOf(o.Product), Version: o.Version, Cycles: []Cycle{}}
	cycles, err := r.choose()
	if err != nil {
		return nil, err
	}
	if err := r.prepare(ctx, cycles); err != nil {
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

// choose lists the archived cycles of the range and the publications in it.
func (r *run) choose() (cycles []layout.CycleID, err error) {
	r.from, err = snapshot.Find(r.Source, r.From)
	if _, timed := r.From.Time(); timed && errors.Is(err, snapshot.ErrUnknown) && !errors.Is(err, snapshot.ErrNothing) { // it is before the first one
		r.from, err = r.first()
	}
	if err != nil {
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
	cycles, err = raw.Between(r.Source, layout.TimeOf(r.from.CycleID), layout.TimeOf(r.to.CycleID))
	if err != nil {
		return nil, err
	}
	r.report.Published = len(r.then)
	if len(cycles) == 0 {
		return nil, fmt.Errorf("%w: from %s to %s; retention.cycle_age says how long they are kept", ErrNothing, r.from.CycleID, r.to.CycleID)
	}
	r.noteMissing(cycles)
	r.report.From, r.report.To = string(cycles[0]), string(cycles[len(cycles)-1])
	return cycles, nil
}

// noteMissing notes the publications of the range without an archived cycle.
func (r *run) noteMissing(cycles []layout.CycleID) {
	var missing []layout.CycleID
	for id := range r.then {
		if _, archived := slices.BinarySearch(cycles, id); !archived {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return
	}
	slices.Sort(missing)
	r.report.Notes = append(r.report.Notes, fmt.Sprintf("left out, because their payloads are not kept: %d of %d publications, from %s to %s; later ones follow another one than then, and their events have other numbers",
		len(missing), len(r.then), missing[0], missing[len(missing)-1]))
}

// first returns the first publication.
func (r *run) first() (snapshot.Commit, error) {
	version, err := snapshot.First(r.Source)
	if err != nil {
		return snapshot.Commit{}, err
	}
	return snapshot.ReadCommit(r.Source, version)
}

// cycle transforms and publishes one cycle again and compares the result. A failure of the cycle
// goes into the report; an error of the disk or of the key is returned.
func (r *run) cycle(ctx context.Context, id layout.CycleID) (Cycle, error) {
	then := r.originalOf(id)
	c := Cycle{Cycle: string(id), Then: then.versions()}
	_, err := transform.Rebuild(ctx, transform.Options{ClientID: r.ClientID, Product: r.Product, Cycle: id, Root: r.Target, Data: r.Data,
		Key: r.Key, Log: r.Log, Workers: r.Workers, Version: r.Version, Details: r.Details, Provider: r.Provider, Published: then.commit, Records: r.Source}, then.manifest)
	if errors.Is(err, transform.ErrKey) {
		return c, err
	}
	if err == nil {
		_, err = publish.Run(ctx, publish.Options{ClientID: r.ClientID, Product: r.Product, Cycle: id, Root: r.Target, RunID: then.commit.RunID,
			Now: func() time.Time { return then.publishedAt }, Log: r.Log, Version: r.Version, AcceptRemovals: r.AcceptRemovals, Retention: r.Retention})
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

type original struct {
	published   bool
	commit      snapshot.Commit
	manifest    *snapshot.Manifest // of the snapshot, or of the canonical cycle if the snapshot is deleted; nil if both are
	publishedAt time.Time          // if it was not published, the cycle's own time: publish refuses a time before processed_at
	dir         string             // of the manifest
	fault       string             // why neither manifest can be read
}

func (b *original) versions() Versions {
	if b.manifest == nil {
		return Versions{}
	}
	return Versions{b.manifest.DerivationVersion, b.manifest.BinaryVersion}
}

func (r *run) originalOf(id layout.CycleID) *original {
	b := &original{publishedAt: layout.TimeOf(id)}
	b.commit, b.published = r.then[id]
	if b.published {
		b.publishedAt = b.commit.PublishedAt
		if m, err := snapshot.Open(r.Source, b.commit); err == nil {
			b.manifest, b.dir = &m, b.commit.Dir()
		}
	}
	if b.manifest == nil {
		if m, _, err := snapshot.OpenCanonical(r.Source, id); err == nil {
			b.manifest, b.dir = &m, layout.Cycle(layout.CanonicalDir, id)
		} else if !errors.Is(err, fs.ErrNotExist) {
			b.fault = err.Error()
		}
	}
	return b
}
