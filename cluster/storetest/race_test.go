package storetest

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"mkt/cluster/servers"
	"mkt/internal/cluster/store"
	"mkt/internal/testing/changelog"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/publish/table/content"
)

var rounds = flag.Int("rounds", 200, "rounds of eight writers of one record")

// C2: eight writers of one record, each on its own disk. Some of their writes are answered
// with 409 or 503, are delayed, or lose their answer after the store has them. In every
// round exactly one wins, every other one is told ErrConflict, and all go on from what the
// winner has made. Half of the rounds begin in one second, so that all cycles have one name.
func TestOneOfEightWritersWins(t *testing.T) {
	n := *rounds
	if testing.Short() {
		n = 5
	}
	const writers = 8
	t.Parallel()
	p := startProxy(t)
	var all []*writer
	for i := range writers {
		all = append(all, newWriter(t, fmt.Sprint("writer-", i), p.URL("race")))
	}
	faults := &recordFaults{random: rand.New(rand.NewPCG(2, 16)), had: map[string]int{}, did: map[string]int{}}
	p.Inject(faults.rule)
	var won [writers]int
	for round := range n {
		var done [writers]error
		var group sync.WaitGroup
		for i, w := range all {
			at := start.Add(time.Duration(writers*round+writers) * time.Minute)
			if round%2 == 1 {
				at = at.Add(time.Duration(i-writers+1) * time.Minute)
			}
			o := w.cycle(t, at, i, writers+round%8)
			group.Go(func() { _, done[i] = publish.Run(t.Context(), o) })
		}
		group.Wait()
		winner := -1
		for i, err := range done {
			switch {
			case err == nil && winner < 0:
				winner = i
				won[i]++
			case err == nil:
				t.Fatalf("round %d: writers %d and %d have won", round, winner, i)
			case !errors.Is(err, publish.ErrConflict):
				t.Fatalf("round %d: writer %d: %v, want ErrConflict", round, i, err)
			}
		}
		if winner < 0 {
			t.Fatalf("round %d: nobody won", round)
		}
		want, events := look(t, all[winner].f)
		for i, w := range all {
			head, err := w.d.Sync(t.Context(), w.f)
			if err != nil || head.SHA256 != want.SHA256 || int(head.Version) != round+1 {
				t.Fatalf("round %d: after it writer %d has version %d: %v", round, i, head.Version, err)
			}
			if _, n := look(t, w.f); n != events {
				t.Fatalf("round %d: after it writer %d has %d events of %d", round, i, n, events)
			}
		}
	}
	pulled := newWriter(t, "pull", gateway.URL("race"))
	done, err := pulled.d.Pull(t.Context(), pulled.f, store.PullOptions{})
	must(t, err)
	head, events := look(t, pulled.f)
	if int(head.Version) != n || head.LastSeq != events || done.Packs != n {
		t.Errorf("%d rounds made version %d with %d events to seq %d", n, head.Version, events, head.LastSeq)
	}
	for c := head; c.Version > 1; {
		before, err := snapshot.ReadCommit(pulled.f, c.Version-1)
		must(t, err)
		if before.SHA256 != c.PreviousSHA256 || before.HistoryID != c.HistoryID || !before.PublishedAt.Before(c.PublishedAt) || before.CycleID >= c.CycleID || before.LastSeq > c.LastSeq {
			t.Fatalf("publication %d does not follow %d", c.Version, before.Version)
		}
		c = before
	}
	t.Logf("%d rounds, won by each: %v; %v", n, won, faults.did)
}

// recordFaults makes two of the writes of each record fail.
type recordFaults struct {
	mu       sync.Mutex
	random   *rand.Rand
	had, did map[string]int
}

func (f *recordFaults) rule(op servers.Operation) servers.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	fault := servers.Fault{Delay: time.Duration(f.random.IntN(8)) * time.Millisecond}
	if op.Kind != servers.Create || f.had[op.Key] == 2 {
		return fault
	}
	kind := ""
	switch f.random.IntN(6) {
	case 0, 1:
		fault.DropAnswer, kind = true, "lost answers"
	case 2:
		fault.Refuse, kind = servers.Conflict, "409"
	case 3:
		fault.Refuse, kind = servers.SlowDown, "503"
	case 4:
		fault.DropRequest, kind = true, "lost requests"
	default:
		return fault
	}
	f.had[op.Key]++
	f.did[kind]++
	return fault
}

var start = time.Date(2024, 11, 20, 9, 0, 0, 0, time.UTC)

// writer is one process with one disk.
type writer struct {
	name string
	f    durable.FS
	d    *store.Dataset
}

// newWriter returns a process with an empty disk that works with a store.
func newWriter(t testing.TB, name, url string) *writer {
	return &writer{name, durabletest.NewMem(), openStore(t, url).Dataset(account, football.MarketEngine)}
}

func openStore(t testing.TB, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{URL: url})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// cycle writes a cycle that has two fixtures, without markets, and returns the options of the run that publishes it.
func (w *writer) cycle(t testing.TB, at time.Time, first, second int) publish.Options {
	id := layout.NewCycleID(at, string(football.MarketEngine))
	dir := layout.StagingDir + "/transform"
	must(t, errors.Join(w.f.RemoveAll(dir), durable.MkdirAllSync(w.f, dir), durable.MkdirAllSync(w.f, layout.CanonicalDir)))
	processed := at.Add(time.Second)
	m := snapshot.Manifest{
		Format: snapshot.Format, Kind: snapshot.KindCanonical, ClientID: account, Product: football.MarketEngine, CycleID: id, Provider: "betsapi",
		ProviderFetchedAt: &at, ProcessedAt: &processed, DerivationVersion: "1", IDKeyFingerprint: "key",
		BinaryVersion: "test", ListingComplete: true, Counters: map[string]int64{}, Tables: map[string]snapshot.Table{},
	}
	var fixtures []table.FixtureRow
	var listing []table.ListingRow
	for _, n := range []int{first, second} {
		f := football.Fixture{ID: football.FixtureID(fmt.Sprintf("fx_%04d", n)), Home: football.Of(w.name), StartsAt: football.Of(start.Add(1000 * time.Hour)), Provider: "betsapi", ProviderFixtureID: fmt.Sprint(n), FetchedAt: at}
		row := canonical.Fixture(f, 0, "")
		row.ContentDigest = content.Digest(row, nil)
		fixtures = append(fixtures, row)
		listing = append(listing, table.ListingRow{FixtureID: row.FixtureID, ProviderFixtureID: f.ProviderFixtureID, Status: "LISTED", Markets: "NONE"})
	}
	write(t, w.f, dir, layout.FixturesFile, "fixtures", &m, fixtures)
	write(t, w.f, dir, layout.MarketsFile, "markets", &m, []table.MarketRow{})
	write(t, w.f, dir, layout.ListingFile, "listing", &m, listing)
	_, err := snapshot.CreateManifest(w.f, dir, m)
	must(t, errors.Join(err, durable.Install(w.f, dir, layout.Cycle(layout.CanonicalDir, id))))
	return publish.Options{
		ClientID: account, Product: football.MarketEngine, Cycle: id, Root: w.f, RunID: w.name, Version: "test", Store: w.d,
		Now: func() time.Time { return at.Add(5 * time.Second) },
	}
}

func write[T table.Row](t testing.TB, f durable.FS, dir, name, key string, m *snapshot.Manifest, rows []T) {
	file, err := snapshot.CreateFile(f, dir, name, func(out io.Writer) (err error) {
		w := table.NewWriter[T](out, table.Header{ClientID: m.ClientID, CycleID: string(m.CycleID)})
		if err := w.Write(rows...); err != nil {
			return err
		}
		m.Tables[key], err = w.Close()
		return err
	})
	must(t, err)
	m.Files = append(m.Files, file)
}

// look checks the newest publication of a root, and returns it with the number of events of the change log.
func look(t testing.TB, f durable.FS) (c snapshot.Commit, events uint64) {
	t.Helper()
	c, _, err := snapshot.Head(f)
	must(t, err)
	m, err := snapshot.Open(f, c)
	must(t, err)
	must(t, snapshot.Verify(f, c.Dir(), m))
	for _, err := range new(changelog.Log).Events(f, c, m, 0) {
		must(t, err)
		events++
	}
	return c, events
}
