package publish_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/needs"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
	"mkt/publish/steps"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/publish/table/content"
	"mkt/publish/table/stepindex"
)

// The steps alone say what every snapshot has of prices, lines, publishability and kick-offs,
// whatever moves, vanishes and returns, and also if earlier builds published without them.
func TestStepsTellEverySnapshot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f := durabletest.NewMem()
		cycles := rapid.IntRange(1, 6).Draw(rt, "cycles")
		without := rapid.IntRange(0, cycles-1).Draw(rt, "cycles of builds without steps")
		seen, states := map[string]bool{}, map[time.Time]map[string]string{}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "content"), 1)) // rapid itself prefers small numbers
		for number := 1; number <= cycles; number++ {
			c := drawCycle(rt, number)
			c.content = func(n int) (table.FixtureRow, []table.MarketRow) { return drawContent(r, &c, n) }
			c.moved = map[int]time.Time{}
			for n := range 12 {
				if r.IntN(3) == 0 {
					c.moved[n] = start.Add(time.Duration(r.IntN(3)) * time.Hour)
				}
			}
			publishCycle(t, f, c, func(o *publish.Options) { o.WithoutSteps = number <= without })
			head, m := newest(t, f)
			if number <= without {
				if len(m.Steps) > 0 {
					rt.Fatal("steps of a build without them")
				}
				continue
			}
			if diff := differentSteps(t, f, head, m); diff != "" {
				rt.Fatalf("cycle %d: %s", number, diff)
			}
			want := snapshotState(t, f, head)
			if diff := cmp.Diff(want, stepsState(t, f, m, seen)); diff != "" {
				rt.Fatalf("cycle %d: the snapshot (-) and its steps (+): %s", number, diff)
			}
			states[m.PublishedAt.UTC()] = want
			for at, want := range states {
				if diff := cmp.Diff(want, pathState(t, f, m, at)); diff != "" {
					rt.Fatalf("cycle %d: the snapshot of %s (-) and the paths of prices (+): %s", number, at, diff)
				}
			}
		}
	})
}

// A fixture that begins earlier than it was listed keeps its markets, which are not asked for any more, with the
// kick-off of the list: clients hear of it, and its closing prices are judged by it. So does one that moves later.
func TestKickOffOfAFixtureThatIsNotAskedFor(t *testing.T) {
	t.Parallel()
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: []int{0, 1, 2}})
	begun := start.Add(30 * time.Minute)
	for number, c := range []cycle{
		{refreshed: []int{1}, failed: []int{0}, bare: []int{2}, moved: map[int]time.Time{0: begun}},
		{refreshed: []int{1}, failed: []int{0}, bare: []int{2}, moved: map[int]time.Time{0: begun}}, // it did not move again
		{refreshed: []int{1}, failed: []int{0}, bare: []int{2}, moved: map[int]time.Time{0: begun, 2: begun}},
	} {
		c.number = number + 2
		before, _ := newest(t, f)
		publishCycle(t, f, c)
		head, m := newest(t, f)
		if diff := differentSteps(t, f, head, m); diff != "" {
			t.Errorf("cycle %d: %s", c.number, diff)
		}
		had, has := contentOf(t, f, before), contentOf(t, f, head)
		var updated []string
		for e, err := range snapshot.Events(f, m, before.LastSeq) {
			must(t, err)
			updated = append(updated, fmt.Sprint(e.FixtureID, " ", *e.ContentDigest == has.fixtures[e.FixtureID].ContentDigest))
		}
		want := [][]string{{"fx_0000 true", "fx_0001 true"}, {"fx_0001 true"}, {"fx_0001 true", "fx_0002 true"}}[number]
		if !slices.Equal(updated, want) {
			t.Errorf("cycle %d: events of %v, want %v", c.number, updated, want)
		}
		for id, row := range has.fixtures {
			was := had.fixtures[id]
			_, markets, _, err := snapshot.FixtureOf(f, head, m, id)
			must(t, err)
			if row.ContentDigest != content.Digest(row, markets) || len(markets) != marketsEach {
				t.Errorf("cycle %d: %s: %d markets, or another digest", c.number, id, len(markets))
			}
			if id != fixtureID(1) && (!row.ProviderFetchedAt.Equal(was.ProviderFetchedAt) || (row.ContentDigest == was.ContentDigest) != row.StartsAt.Equal(*was.StartsAt)) {
				t.Errorf("cycle %d: %s: %+v was %+v", c.number, id, row, was)
			}
		}
	}
	_, m := newest(t, f)
	rows, err := steps.Rows(t.Context(), f, m.Steps, fixtureID(0), "mk_0")
	must(t, err)
	_, paths := steps.Paths(rows, steps.JudgedAt(&m, time.Time{}))
	if at, moved := paths["mk_0"].KickOff(); !moved || !at.Equal(begun) {
		t.Errorf("the kick-off is %v, moved: %t", at, moved)
	}
	// Its price was retrieved after that, when the list had it later.
	if j := paths["mk_0"].Closing(&paths["mk_0"].Selections[0]); j.State != steps.Unavailable || j.Reason != steps.AfterKickOff {
		t.Errorf("its closing price is %+v", j)
	}
}

// The first publication of a build with steps may have no event: the state before is recorded all the
// same, and the next publication follows it.
func TestFirstStepsWithoutEvents(t *testing.T) {
	t.Parallel()
	f, seen := durabletest.NewMem(), map[string]bool{}
	for number, c := range []cycle{{refreshed: upTo(3)}, {failed: upTo(3)}, {failed: upTo(3)}, {refreshed: upTo(2), failed: []int{2}}} {
		c.number = number + 1
		publishCycle(t, f, c, func(o *publish.Options) { o.WithoutSteps = c.number == 1 })
		if c.number == 1 {
			continue
		}
		head, m := newest(t, f)
		if diff := cmp.Diff(snapshotState(t, f, head), stepsState(t, f, m, seen)); diff != "" {
			t.Errorf("cycle %d: %s", c.number, diff)
		}
	}
}

// A history that begins anew, as after a restored backup, goes on with the same paths.
func TestStepsOfANewHistory(t *testing.T) {
	t.Parallel()
	f, seen, states := durabletest.NewMem(), map[string]bool{}, map[time.Time]map[string]string{}
	for number := 1; number <= 8; number++ {
		c := cycle{number: number, refreshed: upTo(3 + number%2)}
		if number%3 == 0 {
			_, err := newHistory(f, c.at().Add(time.Minute), fmt.Sprint("history-", number))
			must(t, err)
		} else {
			publishCycle(t, f, c)
		}
		head, _, err := snapshot.Head(f)
		must(t, err)
		m, err := snapshot.Open(f, head)
		must(t, err)
		states[m.PublishedAt.UTC()] = snapshotState(t, f, head)
		if diff := cmp.Diff(snapshotState(t, f, head), stepsState(t, f, m, seen)); diff != "" {
			t.Fatalf("publication %d: %s", number, diff)
		}
		for at, want := range states {
			if diff := cmp.Diff(want, pathState(t, f, m, at)); diff != "" {
				t.Fatalf("publication %d: the snapshot of %s (-) and the paths of prices (+): %s", number, at, diff)
			}
		}
	}
	if len(states) != 8 {
		t.Errorf("%d publications", len(states))
	}
}

// The steps of files with several row groups, whose markets and selections come, go and change places,
// are those that the rows of the snapshots give.
func TestStepsOfManyRowGroups(t *testing.T) {
	t.Parallel()
	f := durabletest.NewMem()
	for number := 1; number <= 2; number++ {
		r := rand.New(rand.NewPCG(1, uint64(number)))
		c := cycle{number: number}
		for n := range 100 {
			switch r.IntN(10) {
			case 0:
				c.failed = append(c.failed, n)
			case 1: // not listed any more
			default:
				c.refreshed = append(c.refreshed, n)
			}
		}
		c.content = func(n int) (table.FixtureRow, []table.MarketRow) { return manyMarkets(r, &c, n) }
		publishCycle(t, f, c)
		head, m := newest(t, f)
		if diff := differentSteps(t, f, head, m); diff != "" {
			t.Errorf("cycle %d: %s", number, diff)
		}
		if rows := m.Tables["markets"].Rows; rows < 20_000 {
			t.Errorf("%d markets are not several row groups", rows)
		}
	}
}

// manyMarkets returns some 290 markets, of which most are as in the cycle before.
func manyMarkets(r *rand.Rand, c *cycle, n int) (table.FixtureRow, []table.MarketRow) {
	f := football.Fixture{ID: football.FixtureID(fixtureID(n)), Provider: c.provider, ProviderFixtureID: fmt.Sprint(n), FetchedAt: c.at().Add(time.Minute)}
	var rows []table.MarketRow
	for i := range 300 {
		if r.IntN(30) == 0 {
			continue
		}
		market := football.Market{ID: football.MarketID(fmt.Sprintf("mk_%04d", i)), Name: football.Of(fmt.Sprint("market ", i)), Origin: football.Raw, Ordinal: i}
		for k := range i % 5 {
			s := football.Selection{ID: football.SelectionID(fmt.Sprintf("sl_%d", k)), Selection: fmt.Sprint("outcome ", k), Line: []string{"", "2.5"}[i%2],
				Odds: football.NewOdds(football.Field[string]{}, football.Of(fmt.Sprintf("%d.%02d", 1+i%7, n%100))), Quality: football.Quality{Status: football.StatusOK, Publishable: true}}
			switch r.IntN(40) {
			case 0:
				s.Odds = football.NewOdds(football.NullField[string](), football.Of("9.00"))
			case 1:
				s.Quality = football.Quality{Status: football.StatusSuspect, Reasons: []football.Reason{"ODDS_NULL", "UNREADABLE_LINE"}[:1+i%2]}
			case 2:
				continue
			}
			market.Selections = append(market.Selections, s)
		}
		if n := len(market.Selections); n > 1 && r.IntN(20) == 0 {
			market.Selections[0], market.Selections[n-1] = market.Selections[n-1], market.Selections[0]
		}
		rows = append(rows, canonical.Market(f.ID, "1", &market))
	}
	row := canonical.Fixture(f, len(rows), "")
	row.ContentDigest = content.Digest(row, rows)
	return row, rows
}

// drawContent returns two markets of two selections, of which any may be missing, and one may be there
// twice. In each of twelve fixtures it is mostly one column that moves.
func drawContent(r *rand.Rand, c *cycle, n int) (table.FixtureRow, []table.MarketRow) {
	column := 0
	draw := func(most int) int {
		if column++; column%12 == n || r.IntN(40) == 0 {
			return r.IntN(most + 1)
		}
		return 0
	}
	f := football.Fixture{ID: football.FixtureID(fixtureID(n)), Provider: c.provider, ProviderFixtureID: fmt.Sprint(n), FetchedAt: c.at().Add(time.Minute)}
	if k := draw(2); k > 0 {
		f.StartsAt = football.Of(start.Add(time.Duration(k) * 1000 * time.Hour))
	}
	if home := draw(2); home > 0 {
		f.Home = football.Of(fmt.Sprint("team ", home))
	}
	prices := []football.Field[string]{football.Of("1.5"), football.Of("1.50"), football.NullField[string](), {}}
	var rows []table.MarketRow
	for m := range 2 {
		column = 2
		market := football.Market{ID: football.MarketID(fmt.Sprintf("mk_%d", m)), Origin: football.Mapped, Ordinal: m, Name: prices[draw(3)]}
		ids := []string{"sl_a", "sl_b", "sl_b"}
		for range draw(3) {
			r.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
			ids = ids[1:]
		}
		for _, id := range ids {
			column = 4
			market.Selections = append(market.Selections, football.Selection{
				ID: football.SelectionID(id), Line: []string{"", "2.5", "3"}[draw(2)], Odds: football.NewOdds(prices[draw(3)], prices[draw(3)]),
				Selection: []string{"", "OVER"}[draw(1)], Qualifier: []string{"", "q"}[draw(1)], Subject: []string{"", "HOME"}[draw(1)],
				Quality: football.Quality{Status: football.StatusOK, Publishable: draw(1) == 0, Reasons: []football.Reason{"A", "B"}[:draw(2)]},
			})
		}
		if len(ids) > 0 || r.IntN(2) == 0 {
			rows = append(rows, canonical.Market(f.ID, "1", &market))
		}
	}
	row := canonical.Fixture(f, len(rows), "")
	row.ContentDigest = content.Digest(row, rows)
	return row, rows
}

// differentSteps compares the steps of the newest publication (+), byte for byte, with those that the rows
// of its snapshot and of the one before give (-).
func differentSteps(t testing.TB, f durable.ReadFS, head snapshot.Commit, m snapshot.Manifest) string {
	t.Helper()
	var got []byte
	if n := len(m.Steps); n > 0 && m.Steps[n-1].At.Equal(head.PublishedAt) {
		var err error
		got, err = durable.ReadFile(f, m.Steps[n-1].File, 1<<30)
		must(t, err)
	}
	rows := wantedSteps(t, f, head, m)
	if len(rows) == 0 && got == nil {
		return ""
	}
	var want bytes.Buffer
	w := table.NewWriter[table.StepRow](&want, table.Header{ClientID: m.ClientID, Product: string(m.Product), CycleID: string(m.CycleID), Provider: m.Provider, DerivationVersion: m.DerivationVersion})
	must(t, w.Write(rows...))
	_, err := w.Close()
	must(t, err)
	if bytes.Equal(want.Bytes(), got) {
		return ""
	}
	var written []table.StepRow
	if got != nil {
		for row, err := range snapshot.Rows[table.StepRow](f, m.Steps[len(m.Steps)-1].File) {
			must(t, err)
			written = append(written, *row)
		}
	}
	return "the steps have other bytes: " + cmp.Diff(rows, written, cmpopts.EquateEmpty())
}

// contents is a snapshot in memory.
type contents struct {
	fixtures map[string]table.FixtureRow
	markets  map[string]map[string]table.MarketRow // by fixture and market
}

func contentOf(t testing.TB, f durable.ReadFS, c snapshot.Commit) contents {
	t.Helper()
	all := contents{map[string]table.FixtureRow{}, map[string]map[string]table.MarketRow{}}
	if c.Version == 0 {
		return all
	}
	for row, err := range snapshot.Rows[table.FixtureRow](f, c.Dir()+"/"+layout.FixturesFile) {
		must(t, err)
		all.fixtures[row.FixtureID], all.markets[row.FixtureID] = *row, map[string]table.MarketRow{}
	}
	for row, err := range snapshot.Rows[table.MarketRow](f, c.Dir()+"/"+layout.MarketsFile) {
		must(t, err)
		all.markets[row.FixtureID][row.MarketID] = *row
	}
	return all
}

// selection returns a selection by its id, the first one of two.
func selection(m *table.MarketRow, id string) *table.SelectionRow {
	for i := range m.Selections {
		if m.Selections[i].SelectionID == id {
			return &m.Selections[i]
		}
	}
	return nil
}

// wantedSteps returns the steps of a publication, from all rows of two snapshots.
func wantedSteps(t testing.TB, f durable.ReadFS, head snapshot.Commit, m snapshot.Manifest) (rows []table.StepRow) {
	t.Helper()
	var base snapshot.Commit
	whole := false
	before := table.StepRow{Before: true}
	if head.Version > 1 {
		var err error
		base, err = snapshot.ReadCommit(f, head.Version-1)
		must(t, err)
		of, err := snapshot.Open(f, base)
		must(t, err)
		whole = len(of.Steps) == 0
		before.Seq, before.PublishedAt, before.CycleID = int64(base.LastSeq), base.PublishedAt.UTC(), string(base.CycleID)
		before.Version, before.ProcessedAt = int64(base.Version), of.ProcessedAt
	}
	old, now := contentOf(t, f, base), contentOf(t, f, head)
	events := map[string]int64{}
	for e, err := range snapshot.Events(f, m, base.LastSeq) {
		must(t, err)
		events[e.FixtureID] = e.Seq
	}
	ids := maps.Clone(old.fixtures)
	maps.Copy(ids, now.fixtures)
	for id := range ids {
		was, had := old.fixtures[id]
		is, has := now.fixtures[id]
		here := table.StepRow{PublishedAt: head.PublishedAt.UTC(), CycleID: string(head.CycleID), Version: int64(head.Version), ProcessedAt: m.ProcessedAt, Seq: events[id], FixtureID: id}
		then := before
		then.FixtureID = id
		ofFixture := func(row table.StepRow, f *table.FixtureRow) {
			row.Present, row.ProviderFetchedAt, row.StartsAt, row.Home, row.Away, row.League = true, &f.ProviderFetchedAt, f.StartsAt, f.Home, f.Away, f.League
			rows = append(rows, row)
		}
		if whole && had {
			ofFixture(then, &was)
		}
		if here.Seq > 0 && !has {
			rows = append(rows, here)
		} else if here.Seq > 0 && (!had || !cmp.Equal([]any{was.StartsAt, was.Home, was.Away, was.League}, []any{is.StartsAt, is.Home, is.Away, is.League})) {
			ofFixture(here, &is)
		}
		changed := here.Seq > 0 && has && (!had || was.ContentDigest != is.ContentDigest)
		markets := maps.Clone(old.markets[id])
		if markets == nil {
			markets = map[string]table.MarketRow{}
		}
		maps.Copy(markets, now.markets[id])
		for market := range markets {
			oldMarket, newMarket := old.markets[id][market], now.markets[id][market]
			ofSelection := func(row table.StepRow, f *table.FixtureRow, m *table.MarketRow, s *table.SelectionRow) {
				row.MarketID, row.SelectionID, row.ProviderFetchedAt = market, s.SelectionID, &f.ProviderFetchedAt
				if row.Present = m != nil; row.Present {
					row.Market, row.MarketName, row.Period, row.Subject, row.Selection = m.Market, m.MarketName, m.Period, s.Subject, s.Selection
					row.Line, row.Qualifier, row.Reasons, row.OddsFractional, row.OddsDecimalText, row.Publishable = s.Line, s.Qualifier, s.Reasons, s.OddsFractional, s.OddsDecimalText, &s.Publishable
					row.Absent = pricesIn(s)
				}
				rows = append(rows, row)
			}
			selections := map[string]bool{}
			for _, s := range slices.Concat(oldMarket.Selections, newMarket.Selections) {
				selections[s.SelectionID] = true
			}
			for name := range selections {
				a, b := selection(&oldMarket, name), selection(&newMarket, name)
				if whole && a != nil {
					ofSelection(then, &was, &oldMarket, a)
				}
				switch {
				case !changed || a != nil && b != nil && samePrice(a, b):
				case b == nil:
					ofSelection(here, &is, nil, a)
				default:
					ofSelection(here, &is, &newMarket, b)
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b table.StepRow) int { return a.Compare(&b) })
	return rows
}

// samePrice reports whether two selections have the same values in all that a step records, but for the
// subject.
func samePrice(a, b *table.SelectionRow) bool { return reflect.DeepEqual(recorded(a), recorded(b)) }

func recorded(s *table.SelectionRow) table.SelectionRow {
	return table.SelectionRow{Selection: s.Selection, Line: s.Line, Qualifier: s.Qualifier, OddsFractional: s.OddsFractional, OddsDecimalText: s.OddsDecimalText,
		Publishable: s.Publishable, Reasons: s.Reasons, Absent: slices.Sorted(slices.Values(pricesIn(s)))}
}

// pricesIn returns the prices that a selection does not have because the provider did not send them.
func pricesIn(s *table.SelectionRow) (absent []string) {
	for _, name := range s.Absent {
		if name == "odds_decimal" || name == "odds_fractional" {
			absent = append(absent, name)
		}
	}
	return absent
}

// snapshotState is what a snapshot has, by fixture, market and selection.
func snapshotState(t testing.TB, f durable.ReadFS, c snapshot.Commit) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, eachRow(f.(durable.FS), c.Dir()+"/"+layout.FixturesFile, func(row *table.FixtureRow) error {
		all[row.FixtureID] = timeText(row.StartsAt)
		return nil
	}))
	must(t, eachRow(f.(durable.FS), c.Dir()+"/"+layout.MarketsFile, func(row *table.MarketRow) error {
		for _, s := range slices.Backward(row.Selections) { // of two with one id the first one counts
			all[row.FixtureID+" "+row.MarketID+" "+s.SelectionID] = priceText(s.OddsFractional, s.OddsDecimalText, s.Line, &s.Publishable, s.Absent)
		}
		return nil
	}))
	return all
}

// stepsState is the same as the steps of a manifest tell it. It also checks that no row of a
// publication that was seen before has changed.
func stepsState(t testing.TB, f durable.ReadFS, m snapshot.Manifest, seen map[string]bool) map[string]string {
	t.Helper()
	var rows []table.StepRow
	for _, s := range m.Steps {
		must(t, snapshot.VerifySegment(f, s))
		for row, err := range snapshot.Rows[table.StepRow](f, s.File) {
			must(t, err)
			rows = append(rows, *row)
		}
	}
	slices.SortStableFunc(rows, func(a, b table.StepRow) int { return int(a.Seq - b.Seq) })
	all, now := map[string]string{}, map[string]bool{}
	for _, r := range rows {
		now[fmt.Sprint(r.Seq, r.FixtureID, r.MarketID, r.SelectionID)] = true
		name := strings.TrimSpace(r.FixtureID + " " + r.MarketID + " " + r.SelectionID)
		switch {
		case r.Present && r.MarketID == "":
			all[name] = timeText(r.StartsAt)
		case r.Present:
			all[name] = priceText(r.OddsFractional, r.OddsDecimalText, r.Line, r.Publishable, r.Absent)
		case r.MarketID == "":
			for other := range all {
				if other == name || strings.HasPrefix(other, name+" ") {
					delete(all, other)
				}
			}
		default:
			delete(all, name)
		}
	}
	for row := range seen {
		if !now[row] {
			t.Fatalf("step %s is lost", row)
		}
	}
	for row := range now {
		seen[row] = true
	}
	return all
}

// pathState is what the paths of all markets say about a time.
func pathState(t testing.TB, f durable.ReadFS, m snapshot.Manifest, at time.Time) map[string]string {
	t.Helper()
	all := map[string]string{}
	from := steps.Source{FS: f, Index: func(s snapshot.Segment) (*stepindex.Index, error) { return steps.NewIndex(f, s) }}
	for n := range 12 {
		for _, market := range []string{"mk_0", "mk_1", "mk_2"} {
			p, err := steps.NewMarket(&m, fixtureID(n), market, at).Path(from, steps.Whole)
			must(t, err)
			if k := len(p.KickOffs); k > 0 && p.KickOffs[k-1].Present {
				all[p.FixtureID] = timeText(p.KickOffs[k-1].StartsAt)
			}
			for _, s := range p.Selections {
				if n == 0 {
					checkLast(t, f, m, p, s, at)
				}
				if last := s.Points[len(s.Points)-1]; last.Present {
					all[p.FixtureID+" "+market+" "+s.ID] = priceText(last.OddsFractional, last.OddsDecimalText, last.Line, &last.Publishable, last.Absent)
				}
			}
		}
	}
	return all
}

// checkLast: the last points of a selection are those at the end of its path.
func checkLast(t testing.TB, f durable.ReadFS, m snapshot.Manifest, p *steps.Path, s steps.Selection, at time.Time) {
	t.Helper()
	last, err := steps.Last(t.Context(), f, &m, p.FixtureID, p.MarketID, s.ID, at, 2)
	must(t, err)
	for _, x := range last {
		x.Version = 0 // which the path does not have
	}
	if diff := cmp.Diff(s.Points[len(s.Points)-max(1, len(last)):], last, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s of %s: the path (-) and its last points (+): %s", s.ID, at, diff)
	}
}

func timeText(at *time.Time) string {
	if at == nil {
		return "no kick-off"
	}
	return at.UTC().String()
}

func priceText(fractional, decimal, line *string, publishable *bool, absent []string) string {
	text := func(s *string) string {
		if s == nil {
			return "null"
		}
		return *s
	}
	return fmt.Sprint(text(fractional), " ", text(decimal), " ", text(line), " ", *publishable, " ",
		slices.Contains(absent, "odds_fractional"), slices.Contains(absent, "odds_decimal"))
}

// After a year of hourly publications there are few segments of steps, none of their rows is lost, and
// files that no manifest names are deleted.
func TestManyStepsAreCompacted(t *testing.T) {
	t.Parallel()
	needs.Time(t, "publishes 600 times")
	f := durabletest.NewMem()
	seen := map[string]bool{}
	for i := 1; i <= 600; i++ {
		c := cycle{number: i, refreshed: []int{i % 5}, partly: true}
		publishCycle(t, f, c, keeping(retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: time.Hour}))
		if i%50 != 0 && i < 590 {
			continue
		}
		head, m := newest(t, f)
		if diff := cmp.Diff(snapshotState(t, f, head), stepsState(t, f, m, seen)); diff != "" {
			t.Fatalf("cycle %d: %s", i, diff)
		}
		if n := len(m.Steps); n > 40 || i > 512 && m.Steps[0].Cycles != 256 {
			t.Fatalf("cycle %d: %d segments, the first of %d cycles", i, n, m.Steps[0].Cycles)
		}
	}
	if n := len(list(t, f, layout.StepsDir)); n > 60 {
		t.Errorf("%d segments left on the disk", n)
	}
}

// Retention keeps a file that was made and compacted between the oldest kept publication and the newest.
func TestRetentionOfStepsCompactedTwice(t *testing.T) {
	t.Parallel()
	f := durabletest.NewMem()
	for i := 1; i <= 282; i++ {
		publishCycle(t, f, cycle{number: i, refreshed: []int{i % 2}, partly: true}, keeping(retention.Policy{Snapshots: 24, SnapshotAge: time.Hour, CycleAge: time.Hour}))
		if i >= 273 {
			checkSegments(t, f)
		}
	}
	if _, m := newest(t, f); m.Steps[0].Cycles != 256 {
		t.Errorf("steps %+v", m.Steps)
	}
}

// Steps are kept for their own age, and what is deleted is not taken for damage.
func TestRetentionOfSteps(t *testing.T) {
	t.Parallel()
	f := durabletest.NewMem()
	for i := 1; i <= 40; i++ {
		c := cycle{number: i * 10, refreshed: []int{0}}
		publishCycle(t, f, c, keeping(retention.Policy{Snapshots: 3, SnapshotAge: time.Hour, CycleAge: time.Hour, StepsAge: 8 * 24 * time.Hour}))
	}
	head, m := newest(t, f)
	oldest := m.Steps[0] // as a whole: sixteen cycles are a week
	if newest := head.PublishedAt.Sub(oldest.At); newest > 8*24*time.Hour || head.PublishedAt.Sub(oldest.Begins()) > 15*24*time.Hour || len(m.Steps) < 2 {
		t.Errorf("the oldest steps are of %s before the newest publication and more: %+v", newest, m.Steps)
	}
	if n := len(list(t, f, layout.StepsDir)); n > len(m.Steps)+4 {
		t.Errorf("%d files of steps, %d are named", n, len(m.Steps))
	}
	done, err := repair.Run(context.Background(), options(f, cycle{number: 401}, "repair"))
	must(t, err)
	if len(done.Repaired)+len(done.Unrepairable) > 0 {
		t.Errorf("%+v", done)
	}
}

// A damaged segment of steps is rebuilt from the publications, byte for byte, and publications of
// builds before steps are rebuilt without them.
func TestStepsAreRepaired(t *testing.T) {
	t.Parallel()
	for _, without := range []int{0, 2} {
		f := durabletest.NewMem()
		for i := 1; i <= 4; i++ {
			c := cycle{number: i, refreshed: upTo(3)}
			publishCycle(t, f, c, func(o *publish.Options) { o.WithoutSteps = i <= without })
		}
		_, m := newest(t, f)
		if len(m.Steps) != 4-without {
			t.Fatalf("%d segments of steps", len(m.Steps))
		}
		damaged := []string{layout.Cycle(layout.SnapshotsDir, cycle{number: 2}.id()) + "/" + layout.ManifestFile}
		for _, s := range m.Steps {
			damaged = append(damaged, s.File)
		}
		for _, name := range damaged {
			must(t, f.Remove(name))
		}
		done, err := repair.Run(context.Background(), options(f, cycle{number: 5}, "repair"))
		must(t, err)
		slices.Sort(damaged)
		slices.Sort(done.Repaired)
		if diff := cmp.Diff(damaged, done.Repaired); diff != "" || len(done.Unrepairable) > 0 {
			t.Errorf("without %d: %s\n%v", without, diff, done.Unrepairable)
		}
	}
}

// An account whose first list had no fixture is published again once there is one.
func TestStepsAfterAnEmptyDataset(t *testing.T) {
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1})
	s := publishCycle(t, f, cycle{number: 2, refreshed: upTo(2)})
	_, m := newest(t, f)
	if s.LastSeq != 2 || len(m.Steps) != 1 || m.Steps[0].First != 1 || m.Steps[0].Last != 2 {
		t.Errorf("seq %d, steps %+v", s.LastSeq, m.Steps)
	}
}
