package reader_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader"
	"mkt/serve/internal/reader/markets"
)

var must = check.Must

// open starts a library over a data root; refresh loads its publications.
func open(t testing.TB, dataDir string, edit ...func(*reader.Options)) *reader.Library {
	t.Helper()
	o := reader.Options{DataDir: dataDir, CacheDir: t.TempDir(), Products: []football.Product{football.MarketEngine}}
	for _, e := range edit {
		e(&o)
	}
	l, err := reader.Open(o)
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	return l
}

func refresh(l *reader.Library) *reader.Dataset {
	d := l.Tenant("acme").Dataset(football.MarketEngine)
	d.Refresh(context.Background())
	return d
}

func view(t testing.TB, d *reader.Dataset) *reader.View {
	t.Helper()
	v := d.Acquire()
	if v == nil {
		t.Fatal("no view")
	}
	t.Cleanup(v.Release)
	return v
}

func current(t testing.TB, dataDir string) *reader.View {
	t.Helper()
	return view(t, refresh(open(t, dataDir)))
}

func published(t testing.TB, fixtures, markets int) *servetest.Root {
	t.Helper()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	root.PublishNext(fixtures, markets)
	return root
}

func pageFixtures(t *testing.T, v *reader.View, f markets.FixtureFilter, limit int) (ids []string) {
	t.Helper()
	for after := ""; ; {
		n := 0
		more, err := v.Fixtures(t.Context(), f, after, limit, func(id, body []byte) {
			n++
			after = string(id)
			ids = append(ids, after)
			if !json.Valid(body) || !strings.Contains(string(body), after) {
				t.Errorf("body of %s: %s", id, body)
			}
		})
		must(t, err)
		if n > limit || n == 0 && more {
			t.Fatalf("a page of %d, limit %d, more %v", n, limit, more)
		}
		if !more {
			return ids
		}
	}
}

func TestFixturesArePagedById(t *testing.T) {
	t.Parallel()
	root := published(t, 70, 3)
	v := current(t, root.DataDir)
	var want []string
	for n := range 70 {
		want = append(want, servetest.FixtureID("acme", n))
	}
	slices.Sort(want)
	for _, limit := range []int{1, 7, 16, 69, 70, 71, 200} {
		if got := pageFixtures(t, v, markets.FixtureFilter{}, limit); !slices.Equal(got, want) {
			t.Errorf("limit %d: %d fixtures, want %d in order", limit, len(got), len(want))
		}
	}
	if v.FixtureCount() != 70 {
		t.Errorf("count %d", v.FixtureCount())
	}
	for _, id := range []string{"", "fx_", servetest.FixtureID("other", 1), "fx_" + strings.Repeat("z", 26), "\xff"} {
		if f, ok := v.Find(id); ok {
			t.Errorf("%q is %+v", id, f)
		}
	}
}

func TestFixturesAreFiltered(t *testing.T) {
	t.Parallel()
	root := published(t, 140, 1)
	v := current(t, root.DataDir)
	samples := servetest.Samples("acme", 140, 1, 1)
	at := func(hours int) markets.Instant {
		return markets.InstantAt(servetest.Start.Add(time.Duration(hours) * time.Hour).UnixMilli())
	}
	for name, f := range map[string]markets.FixtureFilter{
		"none":            {},
		"league":          {League: markets.FoldCase("lIgA")},
		"league 2":        {League: markets.FoldCase("süper")},
		"eszett":          {League: markets.FoldCase("STRASSE")},
		"percent":         {League: "%"},
		"underscore":      {League: "_"},
		"quote":           {League: "'"},
		"double quote":    {League: `"`},
		"backslash":       {League: `\`},
		"no such":         {League: "no such league"},
		"sql":             {League: "' OR 1=1 --"},
		"after":           {After: at(100)},
		"before":          {Before: at(5)},
		"between":         {After: at(10), Before: at(20)},
		"empty span":      {After: at(20), Before: at(20)},
		"league and time": {League: "league", After: at(3), Before: at(90)},
	} {
		var want []string
		for _, s := range samples {
			if passes(f, s) {
				want = append(want, s.Row.FixtureID)
			}
		}
		slices.Sort(want)
		count, err := v.FilteredCount(t.Context(), f)
		must(t, err)
		if count != len(want) {
			t.Errorf("%s: count %d, want %d", name, count, len(want))
		}
		for _, limit := range []int{1, 5, 200} {
			if got := pageFixtures(t, v, f, limit); !slices.Equal(got, want) {
				t.Errorf("%s, limit %d: %d fixtures, want %d", name, limit, len(got), len(want))
			}
		}
	}
}

func passes(f markets.FixtureFilter, s servetest.Fixture) bool {
	if f.League != "" && (s.Row.League == nil || !strings.Contains(markets.FoldCase(*s.Row.League), f.League)) {
		return false
	}
	after, hasAfter := f.After.MS()
	before, hasBefore := f.Before.MS()
	if !hasAfter && !hasBefore {
		return true
	}
	if s.Row.StartsAt == nil {
		return false
	}
	at := s.Row.StartsAt.UnixMilli()
	return (!hasAfter || at >= after) && (!hasBefore || at < before)
}

func TestMarketsArePagedAndFound(t *testing.T) {
	t.Parallel()
	root := published(t, 9, 83)
	v := current(t, root.DataDir)
	for n := range 9 {
		sample := servetest.Sample("acme", n, 83, 1)
		f, ok := v.Find(sample.Row.FixtureID)
		if !ok || f.Markets != 83 || !f.FetchedAt.Equal(sample.Row.ProviderFetchedAt) {
			t.Fatalf("fixture %d: %+v, %v", n, f, ok)
		}
		for _, filter := range []markets.Filter{{}, {Market: "TOTAL_GOALS"}, {Period: "FT"}, {Market: "TOTAL_GOALS", Period: "1H"}, {Market: "NONE"}} {
			var want []string
			for _, m := range sample.Markets {
				if (filter.Market == "" || m.Market != nil && *m.Market == filter.Market) && (filter.Period == "" || m.Period != nil && *m.Period == filter.Period) {
					want = append(want, m.MarketID)
				}
			}
			slices.Sort(want)
			for _, limit := range []int{1, 50, 82, 83, 200} {
				if got := pageMarkets(t, v, f, filter, limit); !slices.Equal(got, want) {
					t.Errorf("fixture %d, %+v, limit %d: got %d, want %d", n, filter, limit, len(got), len(want))
				}
			}
		}
		for _, m := range sample.Markets {
			var body string
			found, err := v.Market(t.Context(), f, m.MarketID, func(_, b []byte) { body = string(b) })
			must(t, err)
			if !found || !strings.HasPrefix(body, `{"market_id":"`+m.MarketID+`"`) {
				t.Errorf("market %s: found %v, %s", m.MarketID, found, body)
			}
		}
		for _, id := range []string{servetest.ID("mk_", "other"), "mk_" + strings.Repeat("a", 26), "mk_" + strings.Repeat("z", 26), sample.Markets[0].MarketID + "~zzzzzzzz"} {
			if found, err := v.Market(t.Context(), f, id, func(_, _ []byte) {}); found || err != nil {
				t.Errorf("market %s: %v, %v", id, found, err)
			}
		}
	}
}

func pageMarkets(t *testing.T, v *reader.View, f markets.Fixture, filter markets.Filter, limit int) (ids []string) {
	t.Helper()
	for after := ""; ; {
		n := 0
		more, err := v.Markets(t.Context(), f, filter, after, limit, func(id, body []byte) {
			n++
			after = string(id)
			ids = append(ids, after)
		})
		must(t, err)
		if n > limit || n == 0 && more {
			t.Fatalf("a page of %d, limit %d, more %v", n, limit, more)
		}
		if !more {
			return ids
		}
	}
}

// Among the markets with one name, full time is preferred, then the id without a
// suffix, then the provider's order; a period and a subject filter.
func TestMarketByNamePrefersTheBareId(t *testing.T) {
	t.Parallel()
	fixture := servetest.Sample("acme", 0, 0, 1)
	for ordinal, m := range []struct{ name, market, period, subjects string }{
		{"Goal Line", "TOTAL_GOALS~", "FT", ""},
		{"First Half Goals", "TOTAL_GOALS", "1H", ""},
		{"Goals Over/Under", "TOTAL_GOALS", "FT", ""},
		{"Late Goals", "TOTAL_GOALS", "75-90", ""},
		{"Half Corners", "TOTAL_CORNERS", "1H", ""},
		{"Corners", "TOTAL_CORNERS~", "FT", ""},
		{"Away Goals", "TEAM_TOTAL_GOALS", "FT", "AWAY AWAY"},
		{"More Home Goals", "TEAM_TOTAL_GOALS~", "FT", "HOME HOME"},
		{"Home Goals", "TEAM_TOTAL_GOALS", "FT", "HOME HOME"},
		{"Scorers", "GOALSCORER", "FT", "- Álvaro Álvaro Zoë"},
		{"More Scorers", "GOALSCORER~", "FT", "Bo - Bo"},
	} {
		row := servetest.Sample("acme", 0, 1, 1).Markets[0]
		market, suffixed := strings.CutSuffix(m.market, "~")
		row.MarketID = servetest.ID("mk_", m.name)
		if suffixed {
			row.MarketID += "~aaaaaaaa"
		}
		row.Ordinal, row.MarketName, row.Market, row.Period = int32(ordinal), &m.name, &market, &m.period
		row.Selections = nil
		for _, subject := range strings.Fields(m.subjects) {
			s := servetest.Sample("acme", 0, 1, 1).Markets[0].Selections[0]
			if subject != "-" {
				s.Subject = &subject
			}
			row.Selections = append(row.Selections, s)
		}
		row.SelectionCount = int32(len(row.Selections))
		fixture.Markets = append(fixture.Markets, row)
	}
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	root.Publish(servetest.Content{Fixtures: []servetest.Fixture{fixture}})
	v := current(t, root.DataDir)
	f, _ := v.Find(fixture.Row.FixtureID)
	for filter, want := range map[markets.Filter]string{
		{Market: "TOTAL_GOALS"}:                                     "Goals Over/Under",
		{Market: "TOTAL_GOALS", Period: "FT"}:                       "Goals Over/Under",
		{Market: "TOTAL_GOALS", Period: "1H"}:                       "First Half Goals",
		{Market: "TOTAL_GOALS", Period: "75-90"}:                    "Late Goals",
		{Market: "TOTAL_GOALS", Period: "2H"}:                       "",
		{Market: "TOTAL_GOALS", Subject: "HOME"}:                    "",
		{Market: "TOTAL_CORNERS"}:                                   "Corners", // full time comes before the bare id
		{Market: "TEAM_TOTAL_GOALS"}:                                "Away Goals",
		{Market: "TEAM_TOTAL_GOALS", Subject: "AWAY"}:               "Away Goals",
		{Market: "TEAM_TOTAL_GOALS", Subject: "HOME"}:               "Home Goals",
		{Market: "TEAM_TOTAL_GOALS", Subject: "home"}:               "",
		{Market: "TEAM_TOTAL_GOALS", Subject: "HOM"}:                "",
		{Market: "TEAM_TOTAL_GOALS", Period: "1H", Subject: "HOME"}: "",
		{Market: "GOALSCORER"}:                                      "Scorers",
		{Market: "GOALSCORER", Subject: "Zoë"}:                      "Scorers",
		{Market: "GOALSCORER", Subject: "Bo"}:                       "More Scorers",
		{Market: "GOALSCORER", Subject: "Bo\x00Bo"}:                 "",
		{Market: "GOALSCORER", Subject: "Nobody"}:                   "",
	} {
		got := ""
		found, err := v.MarketByName(t.Context(), f, filter, func(_, body []byte) {
			var m struct {
				MarketName string `json:"market_name"`
			}
			must(t, json.Unmarshal(body, &m))
			got = m.MarketName
		})
		must(t, err)
		if got != want || found != (want != "") {
			t.Errorf("%+v: %q, want %q", filter, got, want)
		}
	}
}

func TestFixturesWithoutMarkets(t *testing.T) {
	t.Parallel()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	var list []servetest.Fixture
	for n := range 20 {
		list = append(list, servetest.Sample("acme", n, n%3, 1))
	}
	root.Publish(servetest.Content{Fixtures: list})
	v := current(t, root.DataDir)
	for n := range 20 {
		f, ok := v.Find(servetest.FixtureID("acme", n))
		if !ok || f.Markets != n%3 {
			t.Fatalf("fixture %d: %+v", n, f)
		}
		if got := pageMarkets(t, v, f, markets.Filter{}, 10); len(got) != n%3 {
			t.Errorf("fixture %d: %d markets", n, len(got))
		}
		if found, err := v.Market(t.Context(), f, servetest.ID("mk_", "x"), nil); found || err != nil {
			t.Errorf("fixture %d: %v, %v", n, found, err)
		}
	}
}

func TestEmptySnapshot(t *testing.T) {
	t.Parallel()
	root := published(t, 0, 0)
	v := current(t, root.DataDir)
	if got := pageFixtures(t, v, markets.FixtureFilter{}, 10); len(got) != 0 {
		t.Errorf("%d fixtures", len(got))
	}
	if got := pageFixtures(t, v, markets.FixtureFilter{League: "a"}, 10); len(got) != 0 {
		t.Errorf("%d fixtures", len(got))
	}
	w := v.Window()
	if w.FirstSeq != 1 || w.LastSeq != 0 || w.RetainedFrom != nil {
		t.Errorf("window %+v", w)
	}
}

// However many markets the fixtures before it have, each market is found, and belongs to its fixture.
func TestMarketsOfFixturesOfManySizes(t *testing.T) {
	t.Parallel()
	var c servetest.Content
	for n, markets := range []int{0, 1, 50, 0, 7, 0} {
		c.Fixtures = append(c.Fixtures, servetest.Sample("acme", n, markets, 1))
	}
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	root.Publish(c)
	must(t, reader.Check(t.Context(), root.Path("")))
	v := current(t, root.DataDir)
	for _, fixture := range c.Fixtures {
		f, ok := v.Find(fixture.Row.FixtureID)
		if !ok || f.Markets != len(fixture.Markets) {
			t.Fatalf("fixture of %d markets: found %v with %d", len(fixture.Markets), ok, f.Markets)
		}
		var want []string
		for i := range fixture.Markets {
			id := fixture.Markets[i].MarketID
			want = append(want, id)
			if found, err := v.Market(t.Context(), f, id, func(_, _ []byte) {}); err != nil || !found {
				t.Errorf("market %d of %d: found %v, %v", i, len(fixture.Markets), found, err)
			}
		}
		if got := pageMarkets(t, v, f, markets.Filter{}, 50); !slices.Equal(got, want) {
			t.Errorf("fixture of %d markets: %d others", len(want), len(got))
		}
	}
}

// A snapshot is read to its end however many rows it has.
func TestCheckOfManyMarkets(t *testing.T) {
	needs.Time(t, "writes and reads 65,000 markets")
	t.Parallel()
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	root.PublishSamples(1300, 50)
	must(t, reader.Check(t.Context(), root.Path("")))
}

func TestCheck(t *testing.T) {
	t.Parallel()
	root := published(t, 40, 20)
	folder := root.Path("")
	must(t, reader.Check(t.Context(), folder))
	root.Damage(layout.MarketsFile)
	if err := reader.Check(t.Context(), folder); err == nil || !strings.Contains(err.Error(), layout.MarketsFile) {
		t.Errorf("damaged: %v", err)
	}
}

// The keys of cached pages count towards the cache size: an empty page may have a long
// filter.
func TestPagesCountTheirKeys(t *testing.T) {
	t.Parallel()
	root := published(t, 1, 1)
	l := open(t, root.DataDir)
	v := view(t, refresh(l))
	key := strings.Repeat("k", 5000)
	before := l.Stats().PageBytes
	_, err := v.Page(t.Context(), key, func(context.Context) (*api.Page, error) { return api.Document(1) })
	must(t, err)
	if more := l.Stats().PageBytes - before; more < len(key) {
		t.Errorf("a page with a key of %d bytes counts %d", len(key), more)
	}
}

// A client may have seen a publication at another replica before this one has copied it.
func TestRefreshSoonFetches(t *testing.T) {
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	asked, now := 0, servetest.Start
	l := open(t, root.DataDir, func(o *reader.Options) {
		o.Now = func() time.Time { return now }
		o.Fetch = func(_ context.Context, clientID string, p football.Product) error {
			if asked++; clientID != "acme" || p != football.MarketEngine {
				t.Errorf("asked for %s %s", clientID, p)
			}
			return errors.New("the store is away")
		}
	})
	d := l.Tenant("acme").Dataset(football.MarketEngine)
	for range 3 { // soon after each other
		d.RefreshSoon(t.Context(), time.Minute)
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	now = now.Add(time.Second)
	if d.RefreshSoon(t.Context(), time.Minute); asked != 2 {
		t.Errorf("asked %d times, a second later", asked)
	}
	now = now.Add(time.Second)
	d.Refresh(t.Context()) // a poll, which asks nobody
	if d.RefreshSoon(t.Context(), time.Minute); asked != 3 {
		t.Errorf("asked %d times, after a poll", asked)
	}
}

// A position beyond the end of the log may be of a newer copy of it, until something that was published
// after it was sent ends before it.
func TestForeignPositions(t *testing.T) {
	root := servetest.NewRoot(t, t.TempDir(), "acme")
	now := servetest.Start.Add(time.Minute)
	l := open(t, root.DataDir, func(o *reader.Options) { o.Now = func() time.Time { return now } })
	d := l.Tenant("acme").Dataset(football.MarketEngine)
	foreign := func(seq uint64) bool {
		now = now.Add(time.Second)
		d.Refresh(t.Context())
		v := d.Acquire()
		if v != nil {
			defer v.Release()
		}
		return d.IsForeign(seq, v)
	}
	if first, again := foreign(9), foreign(9); first || again {
		t.Error("nothing was published yet")
	}
	root.PublishNext(4, 1) // before
	if nine, five, again := foreign(9), foreign(5), foreign(5); nine || five || again {
		t.Error("nothing was published since")
	}
	root.PublishNext(2, 1) // an hour later
	if !foreign(9) || foreign(7) {
		t.Error("what was published since ends before 9; 7 is new")
	}
	now = servetest.Start.Add(2*time.Hour - 30*time.Second) // perhaps the clock here is behind
	foreign(11)
	root.PublishNext(1, 1)
	if foreign(11) || !foreign(9) {
		t.Error("published within the tolerance of clocks")
	}
	for seq := range uint64(1000) { // of a client that makes them up
		d.IsForeign(1000+seq, nil)
	}
	if !foreign(9) {
		t.Error("forgotten")
	}
}
