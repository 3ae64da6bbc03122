package history_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/history"
	"mkt/internal/check"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

var start = time.Date(2024, 11, 20, 9, 0, 0, 0, time.UTC)

// world publishes cycles, an hour after each other, into a data root.
type world struct {
	*testing.T
	root   *durable.Disk
	dir    string
	cycles int
	every  time.Duration // between cycles; 0 means an hour
	keep   retention.Policy
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	root, err := durable.OpenUnsynced(dir)
	check.Must(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return &world{T: t, root: root, dir: dir}
}

func (w *world) check(err error) {
	w.Helper()
	check.Must(w, err)
}

// offer is a fixture's price of HOME in a cycle; price decides its state.
type offer struct {
	id      string
	kickOff time.Time
	price   func(*football.Selection) // nil: the market is not sent
	over    bool
}

func priced(text string) func(*football.Selection) {
	return func(s *football.Selection) {
		s.Odds = football.NewOdds(football.Field[string]{}, football.Of(text))
		s.Quality = football.Quality{Status: football.StatusOK, Publishable: true}
	}
}

func unpriced(odds football.Odds, reason football.Reason) func(*football.Selection) {
	return func(s *football.Selection) {
		s.Odds, s.Quality = odds, football.Quality{Status: football.StatusUnreadable, Reasons: []football.Reason{reason}}
	}
}

func (w *world) publish(offers ...offer) {
	w.Helper()
	at := start.Add(time.Duration(w.cycles) * cmp.Or(w.every, time.Hour))
	w.cycles++
	id := layout.NewCycleID(at, "market_engine")
	fetched, processed := at.Add(time.Minute), at.Add(2*time.Minute)
	m := snapshot.Manifest{Format: snapshot.Format, Kind: snapshot.KindCanonical, ClientID: "acme", Product: football.MarketEngine, CycleID: id, Provider: "betsapi",
		ProviderFetchedAt: &fetched, ProcessedAt: &processed, DerivationVersion: "1", IDKeyFingerprint: "key", BinaryVersion: "test", ListingComplete: true,
		Counters: map[string]int64{"payloads": 1}, Tables: map[string]snapshot.Table{}}
	var fixtures []table.FixtureRow
	var markets []table.MarketRow
	var listing []table.ListingRow
	for _, o := range offers {
		if o.over {
			listing = append(listing, table.ListingRow{FixtureID: o.id, ProviderFixtureID: o.id, Status: "OVER", Markets: "NONE"})
			continue
		}
		home := football.Selection{ID: "sl_home", Selection: "HOME"}
		var rows []table.MarketRow
		if o.price != nil {
			o.price(&home)
		}
		market := football.Market{ID: "mk_result", Canonical: "MATCH_RESULT", Period: "FT", Name: football.Of("Result"), Origin: football.Mapped, Selections: []football.Selection{home}}
		if o.price != nil {
			rows = append(rows, table.MarketOf(football.FixtureID(o.id), "1", &market))
		}
		row := table.FixtureOf(football.Fixture{ID: football.FixtureID(o.id), Home: football.Of("<b>Home</b>"), Away: football.Of("Away"), StartsAt: football.Of(o.kickOff),
			Provider: "betsapi", ProviderFixtureID: o.id, FetchedAt: fetched}, len(rows), "")
		row.ContentDigest = table.Digest(row, rows)
		fixtures, markets = append(fixtures, row), append(markets, rows...)
		listing = append(listing, table.ListingRow{FixtureID: o.id, ProviderFixtureID: o.id, Status: "LISTED", Markets: "REFRESHED"})
	}
	dir := layout.StagingDir + "/transform"
	w.check(durable.MkdirAllSync(w.root, dir))
	w.check(durable.MkdirAllSync(w.root, layout.CanonicalDir))
	write(w, dir, layout.FixturesFile, "fixtures", &m, fixtures)
	write(w, dir, layout.MarketsFile, "markets", &m, markets)
	write(w, dir, layout.ListingFile, "listing", &m, listing)
	_, err := snapshot.CreateManifest(w.root, dir, m)
	w.check(err)
	w.check(durable.Install(w.root, dir, layout.Cycle(layout.CanonicalDir, id)))
	_, err = publish.Run(context.Background(), publish.Options{ClientID: "acme", Product: football.MarketEngine, Cycle: id, Root: w.root, RunID: fmt.Sprint("run-", w.cycles), Version: "test",
		AcceptRemovals: true, Retention: w.keep, Now: func() time.Time { return at.Add(10 * time.Minute) }})
	w.check(err)
}

func write[T table.Row](w *world, dir, name, key string, m *snapshot.Manifest, rows []T) {
	w.Helper()
	file, err := snapshot.CreateFile(w.root, dir, name, func(out io.Writer) (err error) {
		t := table.NewWriter[T](out, table.Header{ClientID: m.ClientID, CycleID: string(m.CycleID)})
		if err := t.Write(rows...); err != nil {
			return err
		}
		m.Tables[key], err = t.Close()
		return err
	})
	w.check(err)
	m.Files = append(m.Files, file)
}

func (w *world) read(o history.Options) *history.Path {
	w.Helper()
	o.Root = w.root
	p, err := history.Read(w.Context(), o)
	w.check(err)
	return p
}

// versions describes the steps of a path and the price of HOME in each.
func versions(p *history.Path) string {
	var out []string
	series := p.Series("mk_result")
	for i, s := range p.Steps {
		point := series[0].Points[i]
		text := fmt.Sprintf("v%d %s", s.Version, point.State)
		if point.Text != "" {
			text += " " + point.Text
		}
		if marks := strings.Join(p.Marks(i), "+"); marks != "" {
			text += " [" + marks + "]"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// TestPath follows a price through all that can happen to it.
func TestPath(t *testing.T) {
	w := newWorld(t)
	later, kickOff := start.Add(1000*time.Hour), start.Add(4*time.Hour+30*time.Minute)
	fx := func(price func(*football.Selection)) offer { return offer{id: "fx_a", kickOff: kickOff, price: price} }
	other := offer{id: "fx_b", kickOff: later, price: priced("9.99")}
	null, missing := football.NewOdds(football.Field[string]{}, football.NullField[string]()), football.Odds{}
	w.publish(other)
	w.publish(fx(priced("2.10")), other)
	w.publish(fx(priced("2.10")), other) // refreshed, not changed
	w.publish(fx(unpriced(football.NewOdds(football.Field[string]{}, football.Of("2.20")), football.Suspended)), other)
	w.publish(fx(unpriced(null, football.OddsNull)), other)
	w.publish(fx(unpriced(missing, football.OddsMissing)), other)
	w.publish(fx(priced("1.50")), other)
	w.publish(offer{id: "fx_a", over: true}, other)
	p := w.read(history.Options{Fixture: "fx_a"})
	want := "v2 OFFERED 2.10 [opening]; v4 NOT_PUBLISHABLE 2.20; v5 NULL [last_before_kick_off]; v6 ABSENT; v7 OFFERED 1.50; v8 NO_FIXTURE [current]"
	if got := versions(p); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s := p.Steps[0]; !s.FetchedAt.Equal(start.Add(61*time.Minute)) || !s.ProcessedAt.Equal(start.Add(62*time.Minute)) || !s.PublishedAt.Equal(start.Add(70*time.Minute)) {
		t.Errorf("the times of the first step are %s, %s, %s", s.FetchedAt, s.ProcessedAt, s.PublishedAt)
	}
	if !p.Removed || p.Changes != 6 {
		t.Errorf("removed %v, %d changes", p.Removed, p.Changes)
	}
	narrow := w.read(history.Options{Fixture: "fx_a", From: start.Add(210 * time.Minute), To: start.Add(5*time.Hour + time.Minute)})
	if got := versions(narrow); got != "v4 NOT_PUBLISHABLE 2.20 [oldest_shown]; v5 NULL [last_before_kick_off]; v6 ABSENT [current]" {
		t.Errorf("from 12:30 to 14:01: %s", got)
	}
	if _, err := history.Read(t.Context(), history.Options{Root: w.root, Fixture: "fx_none"}); !errors.Is(err, history.ErrUnknown) {
		t.Errorf("an unknown fixture: %v", err)
	}
	var csv strings.Builder
	if err := history.WriteCSV(&csv, p, "", ""); err != nil || strings.Count(csv.String(), "\n") != 7 {
		t.Errorf("%v\n%s", err, csv.String())
	}
}

// TestFewAreRead reads a bounded number of many changes, among them the notable ones, and never
// opens the others.
func TestFewAreRead(t *testing.T) {
	w := newWorld(t)
	const all = 40
	kickOff := start.Add(25*time.Hour + 30*time.Minute)
	for i := range all {
		w.publish(offer{id: "fx_a", kickOff: kickOff, price: priced(fmt.Sprintf("2.%02d", i))})
	}
	p := w.read(history.Options{Fixture: "fx_a", Steps: 8})
	got := versions(p)
	for _, want := range []string{"v1 OFFERED 2.00 [opening]", "v26 OFFERED 2.25 [last_before_kick_off]", "v40 OFFERED 2.39 [current]"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing: %s", want, got)
		}
	}
	if len(p.Steps) > 8 || len(p.Steps) < 7 || p.Changes != all {
		t.Errorf("%d steps of %d changes", len(p.Steps), p.Changes)
	}
	for n := range all { // all but those that were read are damaged now
		id := layout.NewCycleID(start.Add(time.Duration(n)*time.Hour), "market_engine")
		if !slices.ContainsFunc(p.Steps, func(s history.Step) bool { return s.Cycle == id }) {
			w.check(os.Truncate(filepath.Join(w.dir, layout.Cycle(layout.SnapshotsDir, id), layout.MarketsFile), 0))
		}
	}
	if again := versions(w.read(history.Options{Fixture: "fx_a", Steps: 8})); again != got {
		t.Errorf("read again: %s\nbefore: %s", again, got)
	}
}

// TestDamage leaves out a publication that cannot be read, and says so.
func TestDamage(t *testing.T) {
	w := newWorld(t)
	for i := range 4 {
		w.publish(offer{id: "fx_a", kickOff: start.Add(1000 * time.Hour), price: priced(fmt.Sprintf("2.%02d", i))})
	}
	name := filepath.Join(w.dir, layout.Cycle(layout.SnapshotsDir, layout.NewCycleID(start.Add(time.Hour), "market_engine")), layout.MarketsFile)
	data, err := os.ReadFile(name)
	w.check(err)
	w.check(os.WriteFile(name, []byte(strings.Replace(string(data), "2.01", "9.01", 1)), 0o600))
	p := w.read(history.Options{Fixture: "fx_a"})
	if got := versions(p); got != "v1 OFFERED 2.00 [opening]; v3 OFFERED 2.02; v4 OFFERED 2.03 [current]" || len(p.Damaged) != 1 {
		t.Errorf("%s; damaged: %v", got, p.Damaged)
	}
}

// TestRetention shows the history without its oldest snapshots.
func TestRetention(t *testing.T) {
	w := newWorld(t)
	for i := range 4 {
		w.publish(offer{id: "fx_a", kickOff: start.Add(1000 * time.Hour), price: priced(fmt.Sprintf("2.%02d", i/2))})
	}
	w.check(os.RemoveAll(filepath.Join(w.dir, layout.Cycle(layout.SnapshotsDir, layout.NewCycleID(start, "market_engine")))))
	if got := versions(w.read(history.Options{Fixture: "fx_a"})); got != "v2 OFFERED 2.00 [oldest_shown]; v3 OFFERED 2.01 [current]" {
		t.Error(got)
	}
}

// TestCameBack follows a market, and then its fixture, that vanish and come back.
func TestCameBack(t *testing.T) {
	w := newWorld(t)
	fx := offer{id: "fx_a", kickOff: start.Add(1000 * time.Hour)}
	for _, price := range []string{"2.00", "", "2.00", "gone", "2.10"} {
		o := fx
		switch o.over = price == "gone"; price {
		case "", "gone":
		default:
			o.price = priced(price)
		}
		w.publish(o)
	}
	p := w.read(history.Options{Fixture: "fx_a"})
	if got := versions(p); got != "v1 OFFERED 2.00 [opening]; v2 NO_MARKET; v3 OFFERED 2.00; v4 NO_FIXTURE; v5 OFFERED 2.10 [current]" || p.Removed {
		t.Errorf("%s; removed %v", got, p.Removed)
	}
	series := p.Series("mk_result")
	if first, _, _ := series[0].Opening(); first.Text != "2.00" || series[0].Current().Text != "2.10" || series[0].Moves() != 1 {
		t.Errorf("it opened at %s, is at %s and moved %d times", first.Text, series[0].Current().Text, series[0].Moves())
	}
}

// TestTrimmedLog reads the same prices if the change log begins later than the snapshots, and no
// longer knows which is the opening.
func TestTrimmedLog(t *testing.T) {
	paths := map[bool]string{}
	for _, trim := range []bool{false, true} {
		w := newWorld(t)
		if w.every = 24 * time.Hour; trim {
			w.keep = retention.Policy{ChangeEvents: 1}
		}
		for i := range 14 {
			price := map[int]string{0: "2.00", 1: "2.05", 12: "2.50", 13: "2.50"}[i]
			w.publish(offer{id: "fx_a", kickOff: start.Add(1000 * time.Hour), price: priced(cmp.Or(price, "2.10"))},
				offer{id: "fx_b", kickOff: start.Add(1000 * time.Hour), price: priced(fmt.Sprintf("3.%02d", i))})
		}
		head, _, err := snapshot.Head(w.root)
		w.check(err)
		if trimmed := head.FirstSeq > 1; trimmed != trim {
			t.Fatalf("trimmed %v, want %v", trimmed, trim)
		}
		p := w.read(history.Options{Fixture: "fx_a", Steps: 100})
		if p.Opening == trim {
			t.Errorf("the log is trimmed: %v, the first step is called the opening: %v", trim, p.Opening)
		}
		for i, point := range p.Series("mk_result")[0].Points {
			if !point.Same || i == 0 {
				paths[trim] += fmt.Sprintf("v%d %s; ", p.Steps[i].Version, point.Text)
			}
		}
	}
	if want := "v1 2.00; v2 2.05; v3 2.10; v13 2.50; "; paths[true] != want || paths[false] != want {
		t.Errorf("trimmed %s\nwhole   %s\nwant    %s", paths[true], paths[false], want)
	}
}

// The two sides of one handicap have one line; a main line is the most even pair.
func TestLineOf(t *testing.T) {
	row := func(selection, line, odds string) table.SelectionRow {
		return table.SelectionRow{SelectionID: selection + line, Selection: &selection, Line: &line, OddsDecimalText: &odds, Publishable: true}
	}
	for _, c := range []struct{ selection, line, want string }{
		{"HOME", "-0.5", "-0.5"}, {"AWAY", "+0.5", "-0.5"}, {"AWAY", "-0.5", "+0.5"}, {"AWAY", "0", "0"}, {"DRAW", "-1", "-1"}, {"OVER", "2.5", "2.5"}, {"UNDER", "2.5", "2.5"},
	} {
		s := row(c.selection, c.line, "1.90")
		if got := history.LineOf(&s); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.selection, c.line, got, c.want)
		}
	}
	m := &table.MarketRow{Selections: []table.SelectionRow{row("HOME", "+0.5", "1.20"), row("AWAY", "-0.5", "4.50"), row("HOME", "-0.5", "1.90"), row("AWAY", "+0.5", "1.95")}}
	if got := history.MainLine(m); got != "-0.5" {
		t.Errorf("main line %s", got)
	}
	lines := []string{"+1.5", "-10", "0", "-0.25", "+0.5"}
	slices.SortFunc(lines, history.CompareLines)
	if want := []string{"-10", "-0.25", "0", "+0.5", "+1.5"}; !slices.Equal(lines, want) {
		t.Error(lines)
	}
}
