package publish

import (
	"context"
	"fmt"
	"io"
	"maps"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Draft is a publication that is being made, below staging.
type Draft struct {
	Options // Cycle, Version and AcceptRemovals are those of the publication
	// Dir has the snapshot in its folder "snapshot", and the change segments.
	Dir      string
	Manifest snapshot.Manifest
	Segments map[string]string // change segments: their name → where they are staged

	base         Base
	product      product
	canonical    snapshot.Manifest
	canonicalSum string
	refreshed    int // rows of the cycle
	plan         plan
	segment      *snapshot.Segment // that was added; nil if there were no events
}

// NewDraft begins the publication of o.Cycle on a base, in an empty folder below
// staging. The cycle is checked; if there is none the error is ErrNoCycle.
func NewDraft(o Options, base Base, dir string) (*Draft, error) {
	d := &Draft{Options: o, Dir: dir, Segments: map[string]string{}, base: base, product: products[o.Product]}
	if err := d.openCycle(); err != nil {
		return nil, err
	}
	return d, durable.MkdirAllSync(o.Root, d.SnapshotDir())
}

// SnapshotDir is where the snapshot is staged.
func (d *Draft) SnapshotDir() string { return d.Dir + "/snapshot" }

// Write decides what becomes of every fixture, and writes the tables and the change
// segment. The manifest is filled in but not written. What is damaged of the base is a
// *DamageError.
func (d *Draft) Write(ctx context.Context, publishedAt time.Time) error {
	if d.product.decide {
		in, err := readInputs(d.Root, &d.base, &d.canonical)
		if err != nil {
			return err
		}
		d.plan, d.refreshed = decide(in, d.AcceptRemovals), len(in.refreshed)
	}
	c := &d.canonical
	d.Manifest = snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindSnapshot, ClientID: d.ClientID, Product: d.Product, CycleID: d.Cycle, Provider: c.Provider,
		ProviderFetchedAt: d.newestRetrieval(), ProcessedAt: c.ProcessedAt, PublishedAt: &publishedAt,
		DerivationVersion: c.DerivationVersion, IDKeyFingerprint: c.IDKeyFingerprint, BinaryVersion: d.Version,
		PreviousManifestSHA256: d.base.Commit.ManifestSHA256, CanonicalSHA256: d.canonicalSum, Tables: map[string]snapshot.Table{},
		ListingComplete: c.ListingComplete, Filtered: c.Filtered, Broken: c.Broken, Damaged: c.Damaged, UnknownFields: c.UnknownFields,
		RawMarkets: c.RawMarkets, NotPublishable: c.NotPublishable, Counters: d.counters(), AcceptRemovals: d.product.decide && d.AcceptRemovals,
	}
	if err := d.product.tables(ctx, d); err != nil || !d.product.decide {
		return err
	}
	return d.writeChanges(ctx, publishedAt)
}

// WriteManifest writes the manifest, after everything else in the folder, and returns
// its hash.
func (d *Draft) WriteManifest() (string, error) {
	return snapshot.CreateManifest(d.Root, d.SnapshotDir(), d.Manifest)
}

// newestRetrieval is the newest provider_fetched_at of the dataset, or that of the
// cycle if the dataset is empty. A failed retrieval makes nothing fresher.
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

// copyTable copies one table of the cycle into the snapshot.
func copyTable(ctx context.Context, d *Draft, name, key string) error {
	dir := layout.Cycle(layout.CanonicalDir, d.Cycle)
	sealed := d.canonical.Only(name).Files
	if len(sealed) != 1 {
		return fmt.Errorf("%s/%s: %w: its header does not name it", dir, name, snapshot.ErrDamaged)
	}
	d.Manifest.Tables[key] = d.canonical.Tables[key]
	d.Manifest.Files = append(d.Manifest.Files, sealed[0])
	return snapshot.CopyFile(ctx, d.Root, dir, d.SnapshotDir(), sealed[0])
}

// writeTable writes one table of the snapshot. If every row comes from the cycle and
// none is left out, its file is copied.
func writeTable[T table.FixtureRow | table.MarketRow](ctx context.Context, d *Draft, name, key string, choose map[string]table.Source) error {
	if d.plan.replacesAll(d.refreshed) {
		return copyTable(ctx, d, name, key)
	}
	canonical, old := layout.Cycle(layout.CanonicalDir, d.Cycle)+"/"+name, ""
	if d.base.Manifest != nil {
		var err error
		if old, err = d.base.file(d.Root, name); err != nil {
			return err
		}
	}
	file, err := snapshot.CreateFile(d.Root, d.SnapshotDir(), name, func(out io.Writer) (err error) {
		w := table.NewWriter[T](durable.Until(ctx, out), d.header())
		d.Manifest.Tables[key], err = mergeFiles(d.Root, w, old, canonical, choose)
		return err
	})
	d.Manifest.Files = append(d.Manifest.Files, file)
	return err
}

// mergeFiles writes the rows of two files, either of which may be "", that choose takes
// from each.
func mergeFiles[T table.FixtureRow | table.MarketRow](f durable.FS, w *table.Writer[T], old, new string, choose map[string]table.Source) (snapshot.Table, error) {
	var tables [2]*table.Reader[T]
	for i, name := range []string{old, new} {
		if name == "" {
			continue
		}
		file, err := f.Open(name)
		if err != nil {
			return snapshot.Table{}, err
		}
		defer file.Close()
		if tables[i], err = table.NewReader[T](file, file.Size()); err != nil {
			return snapshot.Table{}, fmt.Errorf("%s: %w", name, err)
		}
		defer tables[i].Close()
	}
	if err := table.Merge(w, tables[0], tables[1], func(id string) table.Source { return choose[id] }); err != nil {
		return snapshot.Table{}, err
	}
	return w.Close()
}

func (d *Draft) header() table.Header {
	return table.Header{
		ClientID: d.ClientID, Product: string(d.Product), CycleID: string(d.Cycle),
		Provider: d.canonical.Provider, DerivationVersion: d.canonical.DerivationVersion,
	}
}

// writeChanges writes the change segment of the publication, and lists the segments
// that are kept, compacted if there are many.
func (d *Draft) writeChanges(ctx context.Context, publishedAt time.Time) error {
	if err := d.writeEvents(ctx, publishedAt); err != nil {
		return err
	}
	var previous []snapshot.Segment
	if d.base.Manifest != nil {
		previous = d.base.Manifest.Changes
	}
	window := d.Retention.Window(previous, d.segment, publishedAt)
	staged := d.Dir + "/compacted.parquet"
	all, name, err := retention.Compact(ctx, d.Root, staged, d.header(), window)
	switch {
	case snapshot.IsDamage(err):
		d.Log.Warn("segments of the change log are not compacted", "tenant", d.ClientID, "product", d.Product, "error", err)
		all = window
	case err != nil:
		return err
	case name != "":
		d.Segments[name] = staged
	}
	d.Manifest.Changes = all
	return nil
}

// writeEvents writes the change segment, if there are any events.
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
	d.segment.File = layout.ChangeSegment(d.segment.First, d.segment.Last, d.Cycle)
	d.Segments[d.segment.File] = d.Dir + "/changes.parquet"
	return err
}

// counters adds what was decided to what the cycle counted.
func (d *Draft) counters() map[string]int64 {
	all := maps.Clone(d.canonical.Counters)
	if all == nil {
		all = map[string]int64{}
	}
	if !d.product.decide {
		return all
	}
	n := d.plan.counts()
	all["fixtures_refreshed"], all["fixtures_carried"], all["fixtures_removed"] = int64(n.refreshed), int64(n.carried), int64(n.removed)
	all["fixtures_without_markets"], all["fixtures_held"] = int64(n.notOffered), int64(d.plan.held)
	return all
}
