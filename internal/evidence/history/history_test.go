package history_test

import (
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

	"mkt/internal/evidence/history"
	"mkt/internal/testing/check"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/publish/table/content"
)

var start = time.Date(2024, 11, 20, 9, 0, 0, 0, time.UTC)

// world publishes cycles, an hour after each other, into a data root.
type world struct {
	*testing.T
	root   *durable.Disk
	dir    string
	cycles int
	before bool // publish as builds before steps did
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
	away    bool // the market has AWAY, too
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
	at := start.Add(time.Duration(w.cycles) * time.Hour)
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
		if o.away {
			market.Selections = append(market.Selections, football.Selection{ID: "sl_away", Selection: "AWAY"})
			priced("4.00")(&market.Selections[1])
		}
		if o.price != nil {
			rows = append(rows, canonical.Market(football.FixtureID(o.id), "1", &market))
		}
		row := canonical.Fixture(football.Fixture{ID: football.FixtureID(o.id), Home: football.Of("<b>Home</b>"), Away: football.Of("Away"), StartsAt: football.Of(o.kickOff),
			Provider: "betsapi", ProviderFixtureID: o.id, FetchedAt: fetched}, len(rows), "")
		row.ContentDigest = content.Digest(row, rows)
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
		AcceptRemovals: true, WithoutSteps: w.before, Now: func() time.Time { return at.Add(10 * time.Minute) }})
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
	series := p.Market("mk_result").Series
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
	if !p.Removed {
		t.Error("it is not removed")
	}
	narrow := w.read(history.Options{Fixture: "fx_a", From: start.Add(210 * time.Minute), To: start.Add(5*time.Hour + 15*time.Minute)})
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

// TestDamage refuses a damaged segment: a path with a hole would show prices that were not.
// A page has the prices of the main markets, also of a fixture that is over: in the order of the market's outcomes, the last
// price before kick-off, and addresses with the market's id.
func TestMainPrices(t *testing.T) {
	w := newWorld(t)
	fx := offer{id: "fx_a", kickOff: start.Add(90 * time.Minute), price: priced("2.10"), away: true}
	other := offer{id: "fx_b", kickOff: start.Add(1000 * time.Hour), price: priced("9.99")}
	shown := history.Shown{Account: "acme", LinkMarket: func(market string) string { return "/" + market },
		Link: func(market, selection string, version uint64) string {
			return fmt.Sprintf("/%s/%s/%d", market, selection, version)
		}}
	page := func() string {
		t.Helper()
		d, err := w.read(history.Options{Fixture: "fx_a"}).Document(shown)
		w.check(err)
		html, err := d.HTML()
		w.check(err)
		return string(html)
	}
	w.publish(fx, other)
	if html := page(); !strings.Contains(html, ">Current<") || !strings.Contains(html, `<a href="/mk_result/sl_home/1">2.10</a>`) {
		t.Error(html)
	}
	fx.price = priced("1.50")
	w.publish(fx, other)
	w.publish(offer{id: "fx_a", over: true}, other)
	html := page()
	home, away := strings.Index(html, `<a href="/mk_result">Match result (Result)</a> HOME`), strings.Index(html, ">AWAY<")
	if home < 0 || away < home || strings.Count(html, `href="/mk_result"`) != 1 || strings.Contains(html, "Newest") || strings.Count(html, "fixture removed") > 0 ||
		!strings.Contains(html, "Last before kick-off") || !strings.Contains(html, `<a href="/mk_result/sl_home/2">1.50</a>`) {
		t.Error(html)
	}
}

func TestDamage(t *testing.T) {
	w := newWorld(t)
	for i := range 4 {
		w.publish(offer{id: "fx_a", kickOff: start.Add(1000 * time.Hour), price: priced(fmt.Sprintf("2.%02d", i))})
	}
	names, err := filepath.Glob(filepath.Join(w.dir, layout.StepsDir, "*"))
	w.check(err)
	data, err := os.ReadFile(names[1])
	w.check(err)
	w.check(os.WriteFile(names[1], []byte(strings.Replace(string(data), "2.01", "9.01", 1)), 0o600))
	if _, err := history.Read(t.Context(), history.Options{Root: w.root, Fixture: "fx_a"}); !snapshot.IsDamage(err) {
		t.Error(err)
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
	series := p.Market("mk_result").Series
	if first := *series[0].Opening.Point.OddsDecimalText; first != "2.00" || series[0].Current().Text != "2.10" || series[0].Moves() != 1 {
		t.Errorf("it opened at %s, is at %s and moved %d times", first, series[0].Current().Text, series[0].Moves())
	}
}

// TestAllSelectionsReplaced follows a market whose selections all leave in the publication that brings new
// ones, as when a line moves.
func TestAllSelectionsReplaced(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"sl_b", "sl_c", "sl_a"} {
		w.publish(offer{id: "fx_a", kickOff: start.Add(1000 * time.Hour), price: func(s *football.Selection) {
			priced("1.90")(s)
			s.ID = football.SelectionID(id)
		}})
	}
	p := w.read(history.Options{Fixture: "fx_a"})
	var got []string
	for _, s := range p.Market("mk_result").Series {
		for i, point := range s.Points {
			if point.State != history.NoSelection {
				got = append(got, fmt.Sprintf("%s v%d %s", s.SelectionID, p.Steps[i].Version, point.State))
			}
		}
	}
	if want := []string{"sl_a v3 OFFERED", "sl_c v2 OFFERED", "sl_b v1 OFFERED"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestBeforeSteps shows a fixture of a root without steps as it is, and says that it is not the opening.
func TestBeforeSteps(t *testing.T) {
	w := newWorld(t)
	fx := func(price string) offer {
		return offer{id: "fx_a", kickOff: start.Add(1000 * time.Hour), price: priced(price)}
	}
	w.before = true
	w.publish(fx("2.00"))
	w.publish(fx("2.01"))
	if got := versions(w.read(history.Options{Fixture: "fx_a"})); got != "v2 OFFERED 2.01 [oldest_shown+current]" {
		t.Error(got)
	}
	w.before = false
	w.publish(fx("2.02"))
	if got := versions(w.read(history.Options{Fixture: "fx_a"})); got != "v2 OFFERED 2.01 [oldest_shown]; v3 OFFERED 2.02 [current]" {
		t.Error(got)
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
