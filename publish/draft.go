package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Draft is a publication in progress, below staging.
type Draft struct {
	Options // Cycle, Version and AcceptRemovals are those of the publication
	// Dir holds the snapshot, in its folder "snapshot", and the change segments.
	Dir      string
	Manifest snapshot.Manifest
	Segments map[string]string // paths of the staged segments of changes and steps, by name

	base         Base
	canonical    snapshot.Manifest
	canonicalSum string
	plan         plan
	segment      *snapshot.Segment // the new one; nil if there were no events
}

// NewDraft begins the publication of o.Cycle on a base, in an empty folder below staging.
// It checks the cycle; the error is [ErrNoCycle] if there is none.
func NewDraft(o Options, base Base, dir string) (*Draft, error) {
	m, sum, err := openCycle(&o, &base)
	if err != nil {
		return nil, err
	}
	d := &Draft{Options: o, Dir: dir, Segments: map[string]string{}, base: base, canonical: m, canonicalSum: sum}
	return d, o.Root.MkdirAll(d.SnapshotDir()) // below staging, where names need not be durable
}

// openCycle opens the canonical cycle and returns it with the hash of its header. The cycle must
// belong to the account, have its sealed files, and have the id key of the base.
func openCycle(o *Options, base *Base) (m snapshot.Manifest, sum string, err error) {
	m, sum, err = snapshot.OpenCanonical(o.Root, o.Cycle)
	if errors.Is(err, fs.ErrNotExist) {
		return m, "", fmt.Errorf("%w: run mkt transform first", ErrNoCycle)
	}
	if err == nil {
		err = checkOwner(o, base, &m)
	}
	if err == nil {
		err = snapshot.Verify(o.Root, layout.Cycle(layout.CanonicalDir, o.Cycle), m)
	}
	return m, sum, err
}

// checkOwner refuses a cycle of another account or product, and one made with another id
// key: every id would change, and every fixture would seem to be gone.
func checkOwner(o *Options, base *Base, c *snapshot.Manifest) error {
	if c.ClientID != o.ClientID || c.Product != o.Product {
		return fmt.Errorf("canonical cycle belongs to %s %s: %w", c.ClientID, c.Product, snapshot.ErrDamaged)
	}
	if c.ProcessedAt == nil {
		return fmt.Errorf("canonical cycle has no processed_at: %w", snapshot.ErrDamaged)
	}
	if m := base.Manifest; m != nil && m.IDKeyFingerprint != c.IDKeyFingerprint {
		return fmt.Errorf("canonical cycle was made with id key %s, but the published snapshot with %s", c.IDKeyFingerprint, m.IDKeyFingerprint)
	}
	return nil
}

// SnapshotDir is the path of the staged snapshot.
func (d *Draft) SnapshotDir() string { return d.Dir + "/snapshot" }

// Write decides about every fixture, and writes the tables and the change segment. It fills in
// the manifest but does not write it. Damage of the base is a [*snapshot.DamageError].
func (d *Draft) Write(ctx context.Context, publishedAt time.Time) error {
	product, c := products[d.Product], &d.canonical
	var in inputs
	if product.decide {
		var err error
		if in, err = readInputs(d.Root, &d.base, c); err != nil {
			return err
		}
		d.plan = decide(in, d.AcceptRemovals)
		if err := d.plan.digestMoved(d.Root, &d.base); err != nil {
			return err
		}
	}
	d.Manifest = snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindSnapshot, ClientID: d.ClientID, Product: d.Product, CycleID: d.Cycle, Provider: c.Provider, Bookmaker: c.Bookmaker,
		ProviderFetchedAt: d.newestRetrieval(), ProcessedAt: c.ProcessedAt, PublishedAt: &publishedAt,
		DerivationVersion: c.DerivationVersion, IDKeyFingerprint: c.IDKeyFingerprint, BinaryVersion: d.Version,
		PreviousManifestSHA256: d.base.Commit.ManifestSHA256, CanonicalSHA256: d.canonicalSum, Tables: map[string]snapshot.Table{},
		ListingComplete: c.ListingComplete, Filtered: c.Filtered, Broken: c.Broken, Damaged: c.Damaged, UnknownFields: c.UnknownFields,
		RawMarkets: c.RawMarkets, NotPublishable: c.NotPublishable, Counters: maps.Clone(c.Counters),
	}
	if d.Manifest.Counters == nil {
		d.Manifest.Counters = map[string]int64{}
	}
	t := tables{root: d.Root, dir: d.SnapshotDir(), header: d.header(), base: &d.base, canonical: c, plan: &d.plan, refreshed: len(in.refreshed), rewritten: in.redated || d.plan.moved() > 0, manifest: &d.Manifest, progress: d.Progress}
	if err := product.write(&t, ctx); err != nil {
		return err
	}
	if !d.WithoutRoot {
		d.Manifest.FixturesRoot = product.root(d)
	}
	if !product.decide {
		return nil
	}
	d.Manifest.AcceptRemovals, d.Manifest.Losses = d.AcceptRemovals, d.plan.losses
	d.plan.count(d.Manifest.Counters)
	return d.writeChanges(ctx, publishedAt)
}

// WriteManifest writes the manifest and returns its hash. Everything else in the folder
// must have been written.
func (d *Draft) WriteManifest() (string, error) {
	return snapshot.CreateManifest(d.Root, d.SnapshotDir(), d.Manifest)
}

// newestRetrieval is the newest provider_fetched_at of the dataset, or of the cycle if the
// dataset is empty. A failed retrieval does not make it newer.
func (d *Draft) newestRetrieval() *time.Time {
	var newest *time.Time
	for i := range d.plan.fixtures {
		f := &d.plan.fixtures[i]
		if !f.removed && (newest == nil || f.fetchedAt.After(*newest)) {
			newest = &f.fetchedAt
		}
	}
	if newest == nil {
		return d.canonical.ProviderFetchedAt
	}
	utc := newest.UTC()
	return &utc
}

func (d *Draft) header() table.Header {
	return table.Header{
		ClientID: d.ClientID, Product: string(d.Product), CycleID: string(d.Cycle),
		Provider: d.canonical.Provider, DerivationVersion: d.canonical.DerivationVersion,
	}
}

// writeChanges writes the segments of the change log and of the steps, and lists the kept
// segments. If there are many, it compacts them.
func (d *Draft) writeChanges(ctx context.Context, publishedAt time.Time) error {
	if err := d.writeEvents(ctx, publishedAt); err != nil {
		return err
	}
	var before snapshot.Manifest
	if d.base.Manifest != nil {
		before = *d.base.Manifest
	}
	var err error
	d.Manifest.Changes, err = d.compact(ctx, retention.CompactChanges, d.Retention.Window(before.Changes, d.segment, publishedAt))
	if err != nil || d.WithoutSteps {
		return err
	}
	steps, err := d.writeSteps(ctx, publishedAt)
	if err == nil {
		d.Manifest.Steps, err = d.compact(ctx, retention.CompactSteps, d.Retention.StepsWindow(before.Steps, steps, publishedAt))
	}
	return err
}

// compact compacts the segments if there are many. Damaged ones stay as they are.
func (d *Draft) compact(ctx context.Context, compact retention.Compactor, window []snapshot.Segment) ([]snapshot.Segment, error) {
	all, made, err := compact(ctx, d.Root, d.Dir, d.header(), window)
	if snapshot.IsDamage(err) {
		d.Log.Warn("segments not compacted: one is damaged; mkt recover repairs it", "tenant", d.ClientID, "product", d.Product, "error", err)
		return window, nil
	}
	maps.Copy(d.Segments, made)
	return all, err
}

func (d *Draft) writeEvents(ctx context.Context, at time.Time) error {
	last := d.base.Commit.LastSeq
	rows := d.plan.events(last+1, at, d.Cycle)
	if len(rows) == 0 {
		return nil
	}
	file, err := snapshot.CreateFile(d.Root, d.Dir, "changes.parquet", func(out io.Writer) error {
		w := table.NewWriter[table.EventRow](durable.Until(ctx, out), d.header())
		if err := w.Write(rows...); err != nil {
			return err
		}
		_, err := w.Close()
		return err
	})
	d.segment = &snapshot.Segment{First: last + 1, Last: last + uint64(len(rows)), At: at, Bytes: file.Bytes, SHA256: file.SHA256}
	d.segment.File = layout.Segment(layout.ChangesDir, d.segment.First, d.segment.Last, d.Cycle)
	d.Segments[d.segment.File] = d.Dir + "/changes.parquet"
	return err
}
