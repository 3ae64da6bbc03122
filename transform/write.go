package transform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/identity"
	"mkt/transform/markets/suspicion"
)

func (r *run) minter() *identity.Minter {
	return identity.NewMinter(r.Key, r.archive.Cycle().Provider)
}

// staging is the working folder of the run.
func (r *run) staging() string { return layout.StagingDir + "/transform-" + string(r.cycle) }

// stage makes the folder, empty.
func (r *run) stage() error {
	if err := r.Root.RemoveAll(r.staging()); err != nil { // left by a killed run
		return err
	}
	if err := errors.Join(durable.MkdirAllSync(r.Root, layout.CanonicalDir, layout.StagingDir), r.Root.MkdirAll(r.staging())); err != nil {
		return err
	}
	r.rows = rowStore{root: r.Root, name: r.staging() + "/markets.rows"}
	return nil
}

// write stages the canonical folder, header last, and renames it. A cycle transformed again must
// make the same bytes.
func (r *run) write(ctx context.Context) error {
	staging := r.staging()
	m := r.header()
	if err := r.engine.tables(ctx, r, staging, &m); err != nil {
		return err
	}
	if err := r.likePublished(&m); err != nil {
		return err
	}
	if _, err := snapshot.CreateManifest(r.Root, staging, m); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	err := durable.Install(r.Root, staging, layout.Cycle(layout.CanonicalDir, r.cycle))
	if err == nil && r.Product == football.LiveIntelligence {
		r.States.keep(r.ClientID, &m, r.result.live.states)
	}
	if errors.Is(err, durable.ErrDiffers) {
		return fmt.Errorf("%w: the existing rows were changed, or another build wrote them; they are kept. Run mkt doctor to check what is served, or leave out --cycle for a new cycle", err)
	}
	return err
}

// header returns the manifest without the files. A re-run uses the first run's times and version
// of the binary.
func (r *run) header() snapshot.Manifest {
	res := &r.result
	m := snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindCanonical, ClientID: r.ClientID, Product: r.Product, CycleID: r.cycle,
		Provider: r.archive.Cycle().Provider, Bookmaker: r.archive.Cycle().Bookmaker, DerivationVersion: r.engine.version,
		PreviousCycle: res.previousCycle, PreviousDigest: res.previousDigest,
		RawSHA256: r.archive.SHA256(), IDKeyFingerprint: r.Key.Fingerprint(), BinaryVersion: r.Version, Tables: map[string]snapshot.Table{},
		ListingComplete: res.listingComplete, Filtered: res.filtered, Broken: res.broken, Damaged: res.damaged, UnknownFields: res.unknown,
		RawMarkets: map[string]int{}, NotPublishable: map[string]int{}, Counters: res.counters,
	}
	at := r.Now().UTC().Truncate(time.Millisecond)
	if newest := res.newest.UTC(); !newest.IsZero() {
		m.ProviderFetchedAt = &newest
		if at.Before(newest) {
			at = newest
		}
	}
	m.ProcessedAt = &at
	if r.before != nil {
		m.ProcessedAt, m.BinaryVersion = r.before.ProcessedAt, r.before.BinaryVersion
		m.ShortTimes = r.before.ShortTimes
		if r.before.RawSHA256 == "" { // an older version wrote it
			m.RawSHA256 = ""
		}
	}
	return m
}

func writeMarketTables(ctx context.Context, r *run, dir string, m *snapshot.Manifest) error {
	var fixtures []table.FixtureRow
	err := create(ctx, r, m, dir, layout.MarketsFile, "markets", func(w *table.Writer[table.MarketRow]) (err error) {
		fixtures, err = r.writeMarkets(ctx, w, m)
		return err
	})
	if err != nil {
		return err
	}
	r.countUp(m)
	err = create(ctx, r, m, dir, layout.FixturesFile, "fixtures", func(w *table.Writer[table.FixtureRow]) error { return w.Write(fixtures...) })
	if err != nil {
		return err
	}
	return create(ctx, r, m, dir, layout.ListingFile, "listing", func(w *table.Writer[table.ListingRow]) error { return w.Write(r.result.listing...) })
}

func create[T table.Row](ctx context.Context, r *run, m *snapshot.Manifest, dir, name, key string, rows func(*table.Writer[T]) error) error {
	header := table.Header{ClientID: r.ClientID, Product: string(r.Product), CycleID: string(r.cycle),
		Provider: m.Provider, DerivationVersion: m.DerivationVersion}
	file, err := snapshot.CreateFile(r.Root, dir, name, func(out io.Writer) error {
		w := table.NewWriter[T](out, header)
		if err := rows(w); err != nil {
			return err
		}
		sum, err := w.Close()
		m.Tables[key] = sum
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m.Files = append(m.Files, file)
	return ctx.Err()
}

// writeMarkets writes every fixture's markets and returns the fixtures' rows.
func (r *run) writeMarkets(ctx context.Context, w *table.Writer[table.MarketRow], m *snapshot.Manifest) ([]table.FixtureRow, error) {
	fixtures := make([]table.FixtureRow, 0, len(r.result.fixtures))
	answers := r.recordsAnswers()
	for i := range r.result.fixtures {
		f := &r.result.fixtures[i]
		r.count(f, m)
		if f.notOffered {
			f.row = table.FixtureOf(f.fixture, 0, "")
			f.row.ContentDigest = table.Digest(f.row, nil)
		}
		if f.answer != "" && answers {
			f.row.AnswerSHA256 = &f.answer
		}
		if f.notOffered {
			fixtures = append(fixtures, f.row)
			continue
		}
		fixtures = append(fixtures, f.row)
		rows, err := r.rows.read(f.rows)
		if err != nil {
			return nil, err
		}
		if err := w.WriteEncoded(f.row.FixtureID, rows); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return fixtures, r.rows.close()
}

// recordsAnswers reports whether the fixtures' rows name their answers: unless the first run of the
// cycle was by a build that did not.
func (r *run) recordsAnswers() bool {
	if r.before == nil {
		return true
	}
	_, did := r.before.Tables["fixtures"].Columns["answer_sha256"]
	return did
}

// count adds one fixture to the summary and the header.
func (r *run) count(f *refreshed, m *snapshot.Manifest) {
	s, c := &r.summary, &f.counts
	if f.notOffered {
		s.NotOffered++
		return
	}
	s.Fixtures++
	if f.partial {
		s.Partial++
	}
	s.WithoutPrices += c.withoutPrices
	s.Suspicions.Add(&c.suspicions)
	s.Markets += c.markets
	s.Mapped += c.mapped
	s.Selections += c.selections
	s.Publishable += c.publishable
	for _, raw := range c.raw {
		m.RawMarkets[string(raw.reason)] += raw.n
	}
	for _, not := range c.notPublishable {
		m.NotPublishable[string(not.reason)] += not.n
		if not.reason == football.OddsNoOffer {
			s.NoOffer += not.n
		}
	}
}

// SuspicionsCounter is the counter of all suspicions in a manifest. With a colon and a name it is
// the counter of one kind.
const SuspicionsCounter = "suspicions"

// countUp adds the summary's counts to the header.
func (r *run) countUp(m *snapshot.Manifest) {
	s := &r.summary
	m.Counters["fixtures"], m.Counters["fixtures_broken"] = int64(s.Fixtures), int64(s.Broken)
	m.Counters["fixtures_not_offered"], m.Counters["fixtures_partial"] = int64(s.NotOffered), int64(s.Partial)
	m.Counters["markets"], m.Counters["markets_mapped"] = int64(s.Markets), int64(s.Mapped)
	m.Counters["markets_without_prices"] = int64(s.WithoutPrices)
	m.Counters["selections"], m.Counters["selections_publishable"] = int64(s.Selections), int64(s.Publishable)
	if r.before != nil { // a repeated run keeps the first one's counts: it may have examined less, or in another way
		for name, n := range r.before.Counters {
			if name == SuspicionsCounter || strings.HasPrefix(name, SuspicionsCounter+":") {
				m.Counters[name] = n
			}
		}
		return
	}
	m.Counters[SuspicionsCounter] = int64(s.Suspicions.Total())
	for kind, n := range s.Suspicions {
		m.Counters[SuspicionsCounter+":"+suspicion.Kind(kind).String()] = int64(n)
	}
}
