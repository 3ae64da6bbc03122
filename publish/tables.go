package publish

import (
	"context"
	"fmt"
	"io"
	"iter"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// product has the differences between products.
type product struct {
	// decide: a cycle refreshes some fixtures, the others are carried over, and there is
	// a change log. Otherwise the cycle's rows are the whole dataset.
	decide bool
	write  func(*tables, context.Context) error
	root   func(*Draft) string // the fixtures_root; "" if it is not known
	// checked: a child process loads the snapshot before it is committed. This would take longer
	// than the interval of the live product. Its files are those written by transform, and
	// verified.
	checked bool
}

// products is the one place where products differ.
var products = map[football.Product]product{
	football.MarketEngine:     {decide: true, write: (*tables).mergeMarkets, root: (*Draft).plannedRoot, checked: true},
	football.LiveIntelligence: {write: (*tables).shareLive, root: (*Draft).sharedRoot},
}

type tables struct {
	root      durable.FS
	dir       string // of the staged snapshot
	header    table.Header
	base      *Base
	canonical *snapshot.Manifest
	plan      *plan
	refreshed int                // fixture rows of the cycle
	rewritten bool               // fixtures that are carried over have other rows than in the previous dataset
	manifest  *snapshot.Manifest // of the snapshot; gets the tables' descriptions
	progress  func(done, total int)
}

// mergeMarkets writes the tables of the market engine: refreshed rows replace earlier ones, the
// rest is carried over.
func (t *tables) mergeMarkets(ctx context.Context) error {
	sources := t.plan.sources()
	choose := func(id string) table.MergeSource { return sources[id] }
	fixtures := func() error { return writeTable[table.FixtureRow](ctx, t, layout.FixturesFile, "fixtures", choose) }
	if t.rewritten && !t.plan.replacesAll(t.refreshed) {
		fixtures = func() error { return t.writeFixtures(ctx) }
	}
	if err := fixtures(); err != nil {
		return err
	}
	done := 0
	counted := func(id string) table.MergeSource {
		source := choose(id)
		if source != table.FromNeither && t.progress != nil {
			t.progress(done, len(sources))
			done++
		}
		return source
	}
	if err := writeTable[table.MarketRow](ctx, t, layout.MarketsFile, "markets", counted); err != nil {
		return err
	}
	if got, want := t.manifest.Tables["markets"].Rows, t.plan.markets(); got != want {
		return fmt.Errorf("%d market rows, but the fixtures count %d: %w", got, want, snapshot.ErrDamaged)
	}
	return nil
}

// writeFixtures writes the fixtures with what the plan says of them, which their rows in the previous dataset may not.
func (t *tables) writeFixtures(ctx context.Context) error {
	name := layout.FixturesFile
	old, err := t.base.file(t.root, name)
	if err != nil {
		return err
	}
	var rows [2]func() (*table.FixtureRow, error, bool)
	for i, name := range []string{old, layout.Cycle(layout.CanonicalDir, t.canonical.CycleID) + "/" + name} {
		next, stop := iter.Pull2(snapshot.Rows[table.FixtureRow](t.root, name))
		defer stop()
		rows[i] = next
	}
	file, err := snapshot.CreateFile(t.root, t.dir, name, func(out io.Writer) (err error) {
		w := table.NewWriter[table.FixtureRow](durable.Until(ctx, out), t.header)
		for i := range t.plan.fixtures {
			f := &t.plan.fixtures[i]
			if f.removed {
				continue
			}
			next := rows[0]
			if f.source == table.FromNew {
				next = rows[1]
			}
			row, err, ok := next()
			for ; ok && err == nil && row.FixtureID != f.id; row, err, ok = next() {
			}
			if err != nil {
				return err
			}
			if !ok {
				return fmt.Errorf("%s: fixture %s is missing: %w", name, f.id, snapshot.ErrDamaged)
			}
			row.ProviderFetchedAt = f.fetchedAt
			if f.moved {
				f.move(row)
			}
			if err := w.Write(*row); err != nil {
				return err
			}
		}
		t.manifest.Tables["fixtures"], err = w.Close()
		return err
	})
	t.manifest.Files = append(t.manifest.Files, file)
	return err
}

// liveTables are the tables of a live snapshot, by their names in manifests.
var liveTables = []struct{ file, key string }{
	{layout.LiveFile, "live"},
	{layout.LiveCountersFile, "live_counters"},
	{layout.LiveTimelineFile, "live_timeline"},
	{layout.LiveBucketsFile, "live_buckets"},
	{layout.LivePeriodsFile, "live_periods"},
}

// shareLive takes the tables of live intelligence as they are. A cycle has every tracked
// fixture, so nothing is carried over.
func (t *tables) shareLive(context.Context) error {
	for _, l := range liveTables {
		if err := t.share(l.file, l.key); err != nil {
			return err
		}
	}
	return nil
}

// share takes over a file of the canonical cycle: both folders have it, and the disk once.
func (t *tables) share(name, key string) error {
	dir := layout.Cycle(layout.CanonicalDir, t.canonical.CycleID)
	sealed := t.canonical.Only(name).Files
	if len(sealed) != 1 {
		return fmt.Errorf("%s/%s: %w: not listed in its header", dir, name, snapshot.ErrDamaged)
	}
	t.manifest.Tables[key] = t.canonical.Tables[key]
	t.manifest.Files = append(t.manifest.Files, sealed[0])
	return snapshot.ShareFile(t.root, dir, t.dir, sealed[0])
}

// writeTable writes one table of the snapshot. If it consists of all rows of the cycle, the
// file is shared with the canonical folder.
func writeTable[T table.FixtureRow | table.MarketRow](ctx context.Context, t *tables, name, key string, choose func(fixtureID string) table.MergeSource) error {
	if t.plan.replacesAll(t.refreshed) {
		return t.share(name, key)
	}
	canonical, old := layout.Cycle(layout.CanonicalDir, t.canonical.CycleID)+"/"+name, ""
	if t.base.Manifest != nil {
		var err error
		if old, err = t.base.file(t.root, name); err != nil {
			return err
		}
	}
	file, err := snapshot.CreateFile(t.root, t.dir, name, func(out io.Writer) (err error) {
		w := table.NewWriter[T](durable.Until(ctx, out), t.header)
		t.manifest.Tables[key], err = mergeFiles(t.root, w, old, canonical, choose)
		return err
	})
	t.manifest.Files = append(t.manifest.Files, file)
	return err
}

// mergeFiles merges the rows of two files. choose returns the source of each fixture's rows.
// Either file may be "".
func mergeFiles[T table.FixtureRow | table.MarketRow](f durable.FS, w *table.Writer[T], old, new string, choose func(fixtureID string) table.MergeSource) (snapshot.Table, error) {
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
	if err := table.Merge(w, tables[0], tables[1], choose); err != nil {
		return snapshot.Table{}, err
	}
	return w.Close()
}
