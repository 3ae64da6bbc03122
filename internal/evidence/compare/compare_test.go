package compare_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mkt/internal/evidence/compare"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

type fataler interface {
	Helper()
	Fatal(...any)
}

func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func of[T any](v T) *T { return &v }

type fixture struct {
	row     table.FixtureRow
	markets []table.MarketRow
}

var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func sample(n, markets int) fixture {
	f := fixture{row: table.FixtureRow{FixtureID: fmt.Sprintf("fx_%06d", n), Home: of(fmt.Sprint("Home ", n)), Away: of(fmt.Sprint("Away ", n)), League: of("League"),
		StartsAt: of(start), SourceProvider: "betsapi", ProviderFixtureID: fmt.Sprint(n), ProviderFetchedAt: start}}
	for k := range markets {
		m := table.MarketRow{FixtureID: f.row.FixtureID, MarketID: fmt.Sprintf("mk_%02d", k), Market: of("TOTAL_GOALS"), Period: of("FT"), OriginType: "MAPPED", DerivationVersion: "1", ProviderMarketKey: "k"}
		for s := range 2 {
			m.Selections = append(m.Selections, table.SelectionRow{SelectionID: fmt.Sprintf("sl_%02d%d", k, s), Selection: of([]string{"OVER", "UNDER"}[s]), Line: of("2.5"),
				OddsDecimalText: of("1.90"), OddsDecimal: of(1.9), OddsFractional: of("9/10"), QualityStatus: "OK", Publishable: true})
		}
		f.markets = append(f.markets, m)
	}
	return f
}

func writeRows[T table.Row](t fataler, root durable.FS, dir, name string, rows []T) snapshot.File {
	t.Helper()
	file, err := snapshot.CreateFile(root, dir, name, func(out io.Writer) error {
		w := table.NewWriter[T](out, table.Header{})
		if err := w.Write(rows...); err != nil {
			return err
		}
		_, err := w.Close()
		return err
	})
	must(t, err)
	return file
}

// side makes a snapshot of fixtures, which must be in the order of their ids.
func side(t fataler, fixtures ...fixture) compare.Side {
	t.Helper()
	root := durabletest.NewMem()
	s := compare.Side{Root: root, Commit: snapshot.Commit{Version: 1, CycleID: "20261120T090000Z-market_engine"}, Manifest: snapshot.Manifest{Product: football.MarketEngine}}
	must(t, root.MkdirAll(s.Commit.Dir()))
	var rows []table.FixtureRow
	var markets []table.MarketRow
	for _, f := range fixtures {
		f.row.MarketCount = int32(len(f.markets))
		for i := range f.markets {
			f.markets[i].SelectionCount = int32(len(f.markets[i].Selections))
		}
		f.row.ContentDigest = content.Digest(f.row, f.markets)
		rows, markets = append(rows, f.row), append(markets, f.markets...)
	}
	s.Manifest.Files = []snapshot.File{writeRows(t, root, s.Commit.Dir(), layout.FixturesFile, rows), writeRows(t, root, s.Commit.Dir(), layout.MarketsFile, markets)}
	return s
}

// changesOf returns the changes, a line each: kind, subject, field, old and new value.
func changesOf(t fataler, a, b compare.Side) (lines []string, sum compare.Summary) {
	t.Helper()
	sum, err := compare.Run(context.Background(), compare.Options{A: a, B: b}, func(c compare.Change) error {
		line := string(c.What)
		for _, word := range []string{c.FixtureID, c.MarketID, c.SelectionID, c.Field} {
			if word != "" {
				line += " " + word
			}
		}
		if c.Field != "" {
			line += ": " + c.Old.String() + " → " + c.New.String()
		}
		lines = append(lines, line)
		return nil
	})
	must(t, err)
	return lines, sum
}

func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(f *fixture)
		want string
	}{
		"nothing":            {func(f *fixture) {}, ""},
		"retrieved again":    {func(f *fixture) { f.row.ProviderFetchedAt = start.Add(time.Hour) }, ""},
		"home":               {func(f *fixture) { f.row.Home = of("Other") }, "fixture_changed fx_000002 home: Home 2 → Other"},
		"null":               {func(f *fixture) { f.row.League = nil }, "fixture_changed fx_000002 league: League → (null)"},
		"not sent":           {func(f *fixture) { f.row.League, f.row.Absent = nil, []string{"league"} }, "fixture_changed fx_000002 league: League → (not sent)"},
		"kick-off":           {func(f *fixture) { f.row.StartsAt = of(start.Add(time.Hour)) }, "fixture_changed fx_000002 starts_at: 2026-11-20T09:00:00Z → 2026-11-20T10:00:00Z"},
		"market goes":        {func(f *fixture) { f.markets = f.markets[1:] }, "market_removed fx_000002 mk_00"},
		"last market goes":   {func(f *fixture) { f.markets = f.markets[:2] }, "market_removed fx_000002 mk_02"},
		"market comes":       {func(f *fixture) { f.markets = append(f.markets, sample(2, 4).markets[3]) }, "market_added fx_000002 mk_03"},
		"market becomes RAW": {func(f *fixture) { m := &f.markets[1]; m.OriginType, m.RawReason = "RAW", of("UNKNOWN_MARKET") }, "market_changed fx_000002 mk_01 origin_type: MAPPED → RAW|market_changed fx_000002 mk_01 raw_reason: (null) → UNKNOWN_MARKET"},
		"odds": {func(f *fixture) {
			s := &f.markets[1].Selections[0]
			s.OddsDecimalText, s.OddsDecimal = of("1.95"), of(1.95)
		}, "odds_moved fx_000002 mk_01 sl_010 odds_decimal: 1.90 → 1.95"},
		"odds, by a digit": {func(f *fixture) { f.markets[1].Selections[0].OddsDecimalText = of("1.9") }, "odds_moved fx_000002 mk_01 sl_010 odds_decimal: 1.90 → 1.9"},
		"fractional odds":  {func(f *fixture) { f.markets[1].Selections[0].OddsFractional = of("10/11") }, "odds_moved fx_000002 mk_01 sl_010 odds_fractional: 9/10 → 10/11"},
		"odds, no value":   {func(f *fixture) { s := &f.markets[0].Selections[0]; s.OddsDecimalText, s.OddsDecimal = nil, nil }, "odds_moved fx_000002 mk_00 sl_000 odds_decimal: 1.90 → (null)"},
		"odds, not sent": {func(f *fixture) {
			s := &f.markets[0].Selections[0]
			s.OddsDecimalText, s.OddsDecimal, s.Absent = nil, nil, []string{"odds_decimal"}
		}, "odds_moved fx_000002 mk_00 sl_000 odds_decimal: 1.90 → (not sent)"},
		"suspended": {func(f *fixture) {
			s := &f.markets[2].Selections[1]
			s.Reasons, s.Publishable = []string{"SUSPENDED"}, true
		}, "suspended fx_000002 mk_02 sl_021"},
		"quality": {func(f *fixture) {
			s := &f.markets[2].Selections[1]
			s.Reasons, s.Publishable, s.QualityStatus = []string{"AMBIGUOUS_SHAPE"}, false, "SUSPECT"
		}, "quality_changed fx_000002 mk_02 sl_021 quality: OK → SUSPECT, not publishable: AMBIGUOUS_SHAPE"},
		"line":           {func(f *fixture) { f.markets[2].Selections[1].Line = of("3.5") }, "selection_changed fx_000002 mk_02 sl_021 line: 2.5 → 3.5"},
		"selection goes": {func(f *fixture) { f.markets[2].Selections = f.markets[2].Selections[1:] }, "selection_removed fx_000002 mk_02 sl_020"},
		"selection comes": {func(f *fixture) {
			m := &f.markets[2]
			m.Selections = slices.Insert(m.Selections, 0, table.SelectionRow{SelectionID: "sl_new", QualityStatus: "OK"})
		}, "selection_added fx_000002 mk_02 sl_new"},
		"selections in order": {func(f *fixture) { slices.Reverse(f.markets[2].Selections) }, "content_digest"},
		"a label":             {func(f *fixture) { f.markets[2].Selections[0].Labels = []table.LabelRow{{Field: "NA", Text: "x"}} }, "content_digest"},
	} {
		t.Run(name, func(t *testing.T) {
			edited := sample(2, 3)
			c.edit(&edited)
			a, b := side(t, sample(1, 2), sample(2, 3), sample(3, 1)), side(t, sample(1, 2), edited, sample(3, 1))
			lines, sum := changesOf(t, a, b)
			got := strings.Join(lines, "|")
			if c.want == "content_digest" && len(lines) == 1 && strings.Contains(got, "fixture_changed fx_000002 content_digest: ") {
				return
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if changed := min(1, len(lines)); sum.Changed != changed || sum.Same != 3-changed || sum.Differs() != (changed > 0) || sum.FixturesA != 3 || sum.FixturesB != 3 {
				t.Errorf("%+v", sum)
			}
			if lines, _ := changesOf(t, b, b); len(lines) > 0 {
				t.Errorf("with itself: %q", lines)
			}
		})
	}
}

func TestFixturesAddedAndRemoved(t *testing.T) {
	a := side(t, sample(1, 2), sample(2, 1), sample(4, 3))
	b := side(t, sample(0, 1), sample(2, 1), sample(3, 2), sample(5, 1))
	lines, sum := changesOf(t, a, b)
	want := "fixture_added fx_000000|fixture_removed fx_000001|fixture_added fx_000003|fixture_removed fx_000004|fixture_added fx_000005"
	if got := strings.Join(lines, "|"); got != want || sum.FixturesA != 3 || sum.FixturesB != 4 || sum.Same != 1 {
		t.Errorf("%s, %+v", got, sum)
	}
	empty := side(t)
	if lines, sum := changesOf(t, empty, empty); len(lines) > 0 || sum.Differs() {
		t.Errorf("of nothing: %q", lines)
	}
	if lines, _ := changesOf(t, empty, a); len(lines) != 3 {
		t.Errorf("from nothing: %q", lines)
	}
}

func TestOneFixture(t *testing.T) {
	moved := sample(2, 2)
	moved.markets[0].Selections[0].OddsDecimalText = of("2.00")
	other := sample(3, 2)
	other.markets[0].Selections[0].OddsDecimalText = of("2.00")
	a, b := side(t, sample(1, 1), sample(2, 2), sample(3, 2)), side(t, moved, other, sample(4, 1))
	for id, want := range map[string]int{"fx_000002": 1, "fx_000001": 1, "fx_000004": 1, "fx_000009": 0} {
		n := 0
		_, err := compare.Run(context.Background(), compare.Options{A: a, B: b, Fixture: id}, func(c compare.Change) error {
			if n++; c.FixtureID != id {
				t.Errorf("%s: %+v", id, c)
			}
			return nil
		})
		if err != nil || n != want {
			t.Errorf("%s: %d changes, want %d: %v", id, n, want, err)
		}
	}
}

var opposite = map[compare.What]compare.What{compare.FixtureAdded: compare.FixtureRemoved, compare.MarketAdded: compare.MarketRemoved, compare.SelectionAdded: compare.SelectionRemoved, compare.Suspended: compare.Resumed}

// For any two snapshots, the changes from B to A are the reverse of those from A to B, and
// agree with a comparison of two maps.
func TestOpposites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (list []fixture) {
			for n := range 6 {
				if !rapid.Bool().Draw(t, name+" there") {
					continue
				}
				f := sample(n, rapid.IntRange(0, 4).Draw(t, name+" markets"))
				for k := range f.markets {
					s := &f.markets[k].Selections[0]
					s.OddsDecimalText = of(rapid.SampledFrom([]string{"1.90", "2.00"}).Draw(t, name+" odds"))
					if rapid.Bool().Draw(t, name+" suspended") {
						s.Reasons = []string{"SUSPENDED"}
					}
				}
				if len(f.markets) > 0 && rapid.Bool().Draw(t, name+" first goes") {
					f.markets = f.markets[1:]
				}
				list = append(list, f)
			}
			return list
		}
		fixturesA, fixturesB := draw("a"), draw("b")
		a, b := side(t, fixturesA...), side(t, fixturesB...)
		_, there := changesOf(t, a, b)
		_, back := changesOf(t, b, a)
		for what, n := range there.Changes {
			other := what
			for x, y := range opposite {
				if x == what {
					other = y
				} else if y == what {
					other = x
				}
			}
			if back.Changes[other] != n {
				t.Fatalf("%d %s, and %d %s on the way back", n, what, back.Changes[other], other)
			}
		}
		if there.Same != back.Same || there.Changed != back.Changed || there.Same+there.Changed+there.Changes[compare.FixtureAdded] != there.FixturesB {
			t.Fatalf("%+v, back %+v", there, back)
		}
		old, moved := map[string]string{}, 0
		for _, f := range fixturesA {
			for _, m := range f.markets {
				for _, s := range m.Selections {
					old[f.row.FixtureID+s.SelectionID] = *s.OddsDecimalText
				}
			}
		}
		for _, f := range fixturesB {
			for _, m := range f.markets {
				for _, s := range m.Selections {
					if was, ok := old[f.row.FixtureID+s.SelectionID]; ok && was != *s.OddsDecimalText {
						moved++
					}
				}
			}
		}
		if there.Changes[compare.OddsMoved] != moved {
			t.Fatalf("%d odds moved, want %d", there.Changes[compare.OddsMoved], moved)
		}
	})
}

// JSON distinguishes the three states: a value, null, and no key.
func TestChangeAsJSON(t *testing.T) {
	edited := sample(1, 1)
	s := edited.markets[0].Selections
	s[0].OddsDecimalText, s[0].OddsDecimal = nil, nil
	s[1].OddsDecimalText, s[1].OddsDecimal, s[1].Absent = nil, nil, []string{"odds_decimal"}
	var got []map[string]any
	_, err := compare.Run(context.Background(), compare.Options{A: side(t, sample(1, 1)), B: side(t, edited)}, func(c compare.Change) error {
		data, err := json.Marshal(c)
		var m map[string]any
		got = append(got, m)
		return errors.Join(err, json.Unmarshal(data, &got[len(got)-1]))
	})
	must(t, err)
	for i, sent := range []bool{true, false} {
		if value, is := got[i]["new"]; is != sent || value != nil || got[i]["old"] != "1.90" {
			t.Errorf("%v", got[i])
		}
	}
}

func TestRefuses(t *testing.T) {
	a := side(t, sample(1, 1))
	other := a
	other.Manifest.Product = football.LiveIntelligence
	none := func(compare.Change) error { return nil }
	if _, err := compare.Run(context.Background(), compare.Options{A: a, B: other}, none); !errors.Is(err, compare.ErrProducts) {
		t.Error(err)
	}
	if _, err := compare.Open(a.Root, a.Commit); !errors.Is(err, snapshot.ErrDamaged) { // the folder exists without its manifest
		t.Error(err)
	}
	gone := a.Commit
	gone.CycleID = "20261120T080000Z-market_engine"
	if _, err := compare.Open(a.Root, gone); !errors.Is(err, compare.ErrNotKept) {
		t.Error(err)
	}
	damaged := side(t, sample(1, 1))
	root := damaged.Root.(durable.FS)
	must(t, root.Remove(damaged.Commit.Dir()+"/"+layout.MarketsFile))
	must(t, durable.Create(root, damaged.Commit.Dir()+"/"+layout.MarketsFile, durable.Bytes([]byte("other"))))
	if _, err := compare.Run(context.Background(), compare.Options{A: a, B: damaged}, none); !errors.Is(err, snapshot.ErrDamaged) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := compare.Run(ctx, compare.Options{A: a, B: a}, none); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	full := errors.New("full")
	if _, err := compare.Run(context.Background(), compare.Options{A: side(t), B: a}, func(compare.Change) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
}
