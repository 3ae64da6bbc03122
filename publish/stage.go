package publish

import (
	"context"
	"fmt"
	"io"
	"maps"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// stage writes the tables and the change segment, and describes them.
func (r *run) stage(ctx context.Context, before first) (snapshot.Manifest, error) {
	c := &r.canonical
	m := snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindSnapshot, ClientID: r.ClientID, Product: r.Product, CycleID: r.cycle, Provider: c.Provider,
		ProviderFetchedAt: r.newestRetrieval(), ProcessedAt: c.ProcessedAt, PublishedAt: &before.publishedAt,
		DerivationVersion: c.DerivationVersion, IDKeyFingerprint: c.IDKeyFingerprint, BinaryVersion: before.binaryVersion,
		PreviousManifestSHA256: r.base.ManifestSHA256, CanonicalSHA256: r.canonicalSum, Tables: map[string]snapshot.Table{},
		ListingComplete: c.ListingComplete, Filtered: c.Filtered, Broken: c.Broken, Damaged: c.Damaged, UnknownFields: c.UnknownFields,
		RawMarkets: c.RawMarkets, NotPublishable: c.NotPublishable, Counters: r.counters(),
	}
	if err := r.product.tables(ctx, r, &m); err != nil {
		return m, err
	}
	if !r.product.changes {
		r.summarize(&m, nil)
		return m, nil
	}
	segment, err := r.stageEvents(ctx, before.publishedAt)
	if err != nil {
		return m, err
	}
	var retained []snapshot.Segment
	if r.previous != nil {
		retained = r.previous.Changes
	}
	m.Changes, err = r.roll(ctx, retain(retained, segment, before.publishedAt, r.Retention))
	r.summarize(&m, segment)
	return m, err
}

// newestRetrieval is the newest provider_fetched_at of the dataset; of an empty
// one, that of the cycle. A failed retrieval freshens nothing.
func (r *run) newestRetrieval() *time.Time {
	var newest *time.Time
	for i := range r.plan.fixtures {
		f := &r.plan.fixtures[i]
		if !f.removed && (newest == nil || f.fetchedAt.After(*newest)) {
			newest = &f.fetchedAt
		}
	}
	if newest == nil {
		return r.canonical.ProviderFetchedAt
	}
	utc := newest.UTC()
	return &utc
}

// copyTable takes one table of the cycle into the snapshot as it is.
func copyTable(ctx context.Context, r *run, m *snapshot.Manifest, name, key string) error {
	dir := layout.Cycle(layout.CanonicalDir, r.cycle)
	sealed := only(r.canonical, name).Files
	if len(sealed) != 1 {
		return fmt.Errorf("%s/%s: %w: its header does not name it", dir, name, snapshot.ErrDamaged)
	}
	m.Tables[key] = r.canonical.Tables[key]
	return r.stageCopy(ctx, dir, sealed[0], m)
}

// stageCopy takes one file of a folder into the snapshot, and holds what can be
// read back against what was sealed.
func (r *run) stageCopy(ctx context.Context, dir string, sealed snapshot.File, m *snapshot.Manifest) error {
	name := dir + "/" + sealed.Name
	copied, err := snapshot.CreateFile(r.Root, r.staging+"/snapshot", sealed.Name, func(w io.Writer) error {
		return copyFile(r.Root, name, cancellable{ctx, w})
	})
	if err != nil {
		return err
	}
	if copied != sealed {
		return fmt.Errorf("%s: %w: changed while it was copied", name, snapshot.ErrDamaged)
	}
	m.Files = append(m.Files, copied)
	return nil
}

// stageTable writes one table of the snapshot. When every row comes from the
// cycle and none is left out, its file is copied as it is.
func stageTable[T table.FixtureRow | table.MarketRow](ctx context.Context, r *run, m *snapshot.Manifest, name, key string, choose map[string]table.Source) error {
	if r.plan.replacesAll(len(r.in.refreshed)) {
		return copyTable(ctx, r, m, name, key)
	}
	canonical, old := layout.Cycle(layout.CanonicalDir, r.cycle)+"/"+name, ""
	if r.previous != nil {
		var err error
		if old, err = r.previousFile(ctx, name); err != nil {
			return err
		}
	}
	file, err := snapshot.CreateFile(r.Root, r.staging+"/snapshot", name, func(w io.Writer) (err error) {
		m.Tables[key], err = mergeFiles[T](r, old, canonical, cancellable{ctx, w}, choose)
		return err
	})
	m.Files = append(m.Files, file)
	return err
}

func copyFile(f durable.FS, name string, w io.Writer) error {
	r, err := f.Open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}

func mergeFiles[T table.FixtureRow | table.MarketRow](r *run, old, new string, out io.Writer, choose map[string]table.Source) (snapshot.Table, error) {
	var tables [2]*table.Reader[T]
	for i, name := range []string{old, new} {
		if name == "" {
			continue
		}
		file, err := r.Root.Open(name)
		if err != nil {
			return snapshot.Table{}, err
		}
		defer file.Close()
		if tables[i], err = table.NewReader[T](file, file.Size()); err != nil {
			return snapshot.Table{}, fmt.Errorf("%s: %w", name, err)
		}
		defer tables[i].Close()
	}
	w := table.NewWriter[T](out, r.header())
	if err := table.Merge(w, tables[0], tables[1], func(id string) table.Source { return choose[id] }); err != nil {
		return snapshot.Table{}, err
	}
	return w.Close()
}

func (r *run) header() table.Header {
	return table.Header{
		ClientID: r.ClientID, Product: string(r.Product), CycleID: string(r.cycle),
		Provider: r.canonical.Provider, DerivationVersion: r.canonical.DerivationVersion,
	}
}

// stageEvents writes the change segment; nil when there is nothing to tell.
func (r *run) stageEvents(ctx context.Context, at time.Time) (*snapshot.Segment, error) {
	rows := r.plan.events(r.base.LastSeq+1, at, r.cycle)
	if len(rows) == 0 {
		return nil, nil
	}
	file, err := snapshot.CreateFile(r.Root, r.staging, "changes.parquet", func(out io.Writer) error {
		w := table.NewWriter[table.EventRow](cancellable{ctx, out}, r.header())
		if err := w.Write(rows...); err != nil {
			return err
		}
		_, err := w.Close()
		return err
	})
	first, last := r.base.LastSeq+1, r.base.LastSeq+uint64(len(rows))
	name := layout.ChangeSegment(first, last, r.cycle)
	r.staged[name] = r.staging + "/changes.parquet"
	return &snapshot.Segment{File: name, First: first, Last: last, At: at, Bytes: file.Bytes, SHA256: file.SHA256}, err
}

// counters adds what this stage did to what the cycle counted.
func (r *run) counters() map[string]int64 {
	all := maps.Clone(r.canonical.Counters)
	if all == nil {
		all = map[string]int64{}
	}
	if r.product.decide == nil {
		return all
	}
	n := r.plan.counts()
	all["fixtures_refreshed"], all["fixtures_carried"], all["fixtures_removed"] = int64(n.refreshed), int64(n.carried), int64(n.removed)
	all["fixtures_without_markets"], all["fixtures_held"] = int64(n.notOffered), int64(r.plan.held)
	return all
}

// cancellable ends a long write when the run is to stop.
type cancellable struct {
	ctx context.Context
	w   io.Writer
}

func (c cancellable) Write(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.w.Write(p)
}
