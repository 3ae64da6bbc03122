package transform_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/fetch/raw"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/meant"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/providertest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
	"mkt/transform/identity"
)

// meantBy has the expectations of each provider. A new provider needs a line.
var meantBy = map[string]struct {
	fixtures  int      // that are announced
	least     int      // selections that are compared, at least
	published []string // keys of markets with a selection that is published at least once, though its market may stay RAW on a fixture
	someOnly  bool     // not every market of a fixture is requested
}{
	"betsapi": {fixtures: 80, least: 35_000, published: []string{"1st_player_booked NO_CARD", "first_card_received NONE", "corners_race NEITHER",
		"shots_over_under OVER", "shots_on_target_over_under UNDER", "player_fouls_committed OVER"}},
	"sportmonks":     {fixtures: 200, least: 30_000},
	"apifootball":    {fixtures: 200, least: 30_000},
	"theoddsapi":     {fixtures: 80, least: 3_500, someOnly: true},
	"feed:simulated": {fixtures: 80, least: 40_000},
}

// TestMeaning fetches a cycle of markets from the emulator of each provider, transforms
// it, and compares every written row with the emulator's meaning. A wrong line
// of a mapping table fails here, and nowhere else.
func TestMeaning(t *testing.T) {
	seeds := []uint64{1, 2}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, name := range emulators.Names() {
		for _, seed := range seeds {
			t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) { compareMeaning(t, name, seed) })
		}
	}
}

func compareMeaning(t *testing.T, name string, seed uint64) {
	clock := func() time.Time { return providertest.Noon }
	want, ok := meantBy[name]
	if !ok {
		t.Fatalf("meantBy has no line for %s", name)
	}
	// The quota is one with which every market is requested.
	sim, err := emulators.New(name, simulator.Options{Seed: seed, Fixtures: want.fixtures, Now: clock, Quota: 5_000_000})
	must(t, err)
	c := &meaning{T: t, someOnly: want.someOnly, published: make(map[string]int), derived: make(map[string]map[place][]derivedRow), met: make(map[string]bool)}
	mem, asked, err := marketCycle(t, name, sim.Tokens()[0], sim)
	must(t, err)
	if !asked.ListingComplete || len(asked.Failed) > 0 {
		t.Fatalf("%+v", asked)
	}
	c.read(rowsOf[table.FixtureRow](t, mem, noonID, layout.FixturesFile), rowsOf[table.MarketRow](t, mem, noonID, layout.MarketsFile))
	listed := map[string]table.ListingRow{}
	for _, row := range rowsOf[table.ListingRow](t, mem, noonID, layout.ListingFile) {
		listed[row.ProviderFixtureID] = row
	}
	bare := 0
	for _, f := range sim.Listed(sim.Tokens()[0]) {
		if row := listed[f.ID]; row.Status == "LISTED" && row.Markets == "NONE" { // it has begun, or has no markets
			if bare++; row.StartsAt == nil || !row.StartsAt.Equal(f.KickOff) {
				c.fault("fixture %s: %+v, listed with the kick-off %s", f.ID, row, f.KickOff)
			}
		}
		markets := sim.Meant(sim.Tokens()[0], f.ID)
		got, ok := c.derived[f.ID]
		switch {
		case ok && clock().Sub(f.KickOff) > 30*time.Minute:
			c.fault("fixture %s has markets, and is in play since %s", f.ID, f.KickOff)
		case ok:
			c.fixture(f.ID, markets, got)
		case f.Human && f.KickOff.After(clock()) && !f.Over && slices.ContainsFunc(markets, mustBeThere):
			c.fault("fixture %s has no markets, %d are meant", f.ID, len(markets))
		}
	}
	if bare == 0 {
		t.Errorf("%s: no fixture without markets is listed", name)
	}
	if c.compared < want.least {
		t.Errorf("%s: %d selections were compared, want at least %d", name, c.compared, want.least)
	}
	for _, key := range slices.Sorted(maps.Keys(c.met)) {
		if !c.met[key] {
			t.Errorf("%s: market %s was never compared", name, key)
		}
	}
	for _, what := range want.published {
		if c.published[what] == 0 {
			t.Errorf("%s: never published: %s", name, what)
		}
	}
	for what, n := range c.published {
		if strings.Contains(strings.ToLower(what), bookmaker.AnyOtherPlayer) {
			t.Errorf("%s: published %d times: %s", name, n, what)
		}
	}
	if c.faults > maxFaults {
		t.Errorf("%s: %d more faults", name, c.faults-maxFaults)
	}
}

// marketCycle fetches and transforms a cycle of markets at [providertest.Noon]. The provider is the emulator, or
// answers of it that were changed.
func marketCycle(t *testing.T, name, token string, emulator http.Handler) (*durabletest.Mem, provider.Asked, error) {
	t.Helper()
	p, ok := all.Lookup(name)
	if !ok {
		t.Fatalf("no provider %s", name)
	}
	clock := func() time.Time { return providertest.Noon }
	mem := durabletest.NewMem()
	out, err := raw.Create(mem, noonID, nil)
	must(t, err)
	asked, refused := p.Markets.Ask(t.Context(), &providertest.Exchange{Adapter: p, Handler: emulator, Token: token, Clock: clock, Archive: out})
	if refused != nil { // an answer was not of the provider's form
		return mem, asked, refused
	}
	_, err = out.Seal(raw.Cycle{ClientID: "acme", Product: football.MarketEngine, Provider: name, StartedAt: clock(), FinishedAt: clock(),
		Outcome: raw.Complete, ListingComplete: asked.ListingComplete, NotOffered: asked.NotOffered, Failed: asked.Failed})
	must(t, err)
	_, err = transform.Run(t.Context(), transform.Options{ClientID: "acme", Product: football.MarketEngine, Root: mem, Data: mem, Cycle: noonID,
		Key: identity.Key{1}, Now: clock, Workers: 2, Version: "test", Provider: all.Lookup})
	return mem, asked, err
}

var noonID = layout.NewCycleID(providertest.Noon, string(football.MarketEngine))

// meaning compares the rows derived from the answers of one emulator with their meaning.
type meaning struct {
	*testing.T
	derived   map[string]map[place][]derivedRow // by provider fixture id
	rowIDs    bool                              // the provider has ids of rows
	someOnly  bool                              // not every market of a fixture is requested
	met       map[string]bool                   // whether a market was compared, by its key
	published map[string]int                    // by the provider's key of the market, and the selection
	compared  int
	faults    int
}

// place is where rows are compared: in a market, and if the provider has ids of rows, at
// one of them.
type place struct{ market, row string }

// derivedRow is a selection with its market.
type derivedRow struct {
	table.SelectionRow
	market *table.MarketRow
}

// words are the words of a selection.
type words struct {
	Market, Period, Selection, Line, Qualifier, Subject, Decimal string
	Suspended                                                    bool
}

// maxFaults is how many faults are reported one by one.
const maxFaults = 30

func (c *meaning) fault(format string, args ...any) {
	c.Helper()
	if c.faults++; c.faults <= maxFaults {
		c.Errorf(format, args...)
	}
}

// read sorts the rows of a cycle by fixture and place.
func (c *meaning) read(fixtures []table.FixtureRow, markets []table.MarketRow) {
	id := make(map[string]string)
	for _, f := range fixtures {
		id[f.FixtureID] = f.ProviderFixtureID
		c.derived[f.ProviderFixtureID] = make(map[place][]derivedRow)
	}
	for i := range markets {
		m := &markets[i]
		at := place{market: strings.Join(m.ProviderMarketIDs, ",")}
		if at.market == "" {
			at.market = m.ProviderMarketKey
		}
		for _, s := range m.Selections {
			if s.ProviderSelectionID != nil {
				c.rowIDs = true
			}
			if s.Publishable {
				c.published[m.ProviderMarketKey+" "+plain(s.Selection)]++
			}
			at.row = plain(s.ProviderSelectionID)
			c.derived[id[m.FixtureID]][at] = append(c.derived[id[m.FixtureID]][at], derivedRow{s, m})
		}
	}
}

// mustBeThere reports whether a provider's adapter must request a market.
func mustBeThere(m meant.Market) bool { return m.Proof != meant.MustBeRaw }

func (c *meaning) fixture(fixture string, markets []meant.Market, got map[place][]derivedRow) {
	c.Helper()
	known := make(map[place]bool)
	for i := range markets {
		m := &markets[i]
		want := make(map[place][]meant.Row)
		for _, r := range m.Rows {
			at := place{market: m.ID, row: r.ID}
			if m.ID == "" {
				at.market = m.Key
			}
			if !c.rowIDs {
				at.row = ""
			}
			want[at] = append(want[at], r)
		}
		for _, at := range slices.SortedFunc(maps.Keys(want), comparePlaces) {
			if known[at] {
				c.fault("fixture %s, %s: row %q is meant in two markets", fixture, m.Key, at.row)
			}
			known[at] = true
			compare := len(got[at]) > 0 || mustBeThere(*m) && !c.someOnly
			if mustBeThere(*m) {
				c.met[m.Key] = c.met[m.Key] || compare
			}
			if compare {
				c.rows(fmt.Sprintf("fixture %s, market %s %q", fixture, m.Key, m.Name), m, want[at], got[at])
			}
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(got), comparePlaces) {
		if !known[at] {
			c.fault("fixture %s, market %s: derived, and not meant: %+v", fixture, at.market, got[at][0].words())
		}
	}
}

func comparePlaces(a, b place) int {
	return strings.Compare(a.market+" "+a.row, b.market+" "+b.row)
}

// rows compares the rows of one place. Each derived row that is mapped and readable must
// say the same as one of the meant rows, and each meant row must be derived so, unless its
// meaning need not be found.
func (c *meaning) rows(where string, m *meant.Market, want []meant.Row, got []derivedRow) {
	c.Helper()
	c.compared += len(want)
	want, unread := slices.Clone(want), []derivedRow(nil)
	for _, g := range got {
		if sections := slices.Sorted(slices.Values(g.market.Sections)); !slices.Equal(sections, m.Sections) {
			c.fault("%s: in sections %v, meant in %v", where, sections, m.Sections)
		}
		mapped := g.market.OriginType == string(football.Mapped)
		if mapped && m.Proof == meant.MustBeRaw {
			c.fault("%s: mapped, and its meaning is not in the payload: %+v", where, g.words())
			return
		}
		if !mapped || !g.Publishable && !g.onlySuspended() {
			unread = append(unread, g)
			continue
		}
		said := g.words()
		at := slices.IndexFunc(want, func(w meant.Row) bool { return w.Decimal != "" && said == wordsMeant(w) })
		if at < 0 {
			c.fault("%s: derived\n\t%+v, which is none of those meant:\n\t%+v\n\tsent as %v", where, said, meantOf(want), g.Labels)
			continue
		}
		want = slices.Delete(want, at, at+1)
	}
	for _, w := range want {
		at := slices.IndexFunc(unread, func(g derivedRow) bool { return plain(g.OddsDecimalText) == w.Decimal })
		if at < 0 {
			c.fault("%s: not derived: %+v", where, wordsMeant(w))
			continue
		}
		g := unread[at]
		unread = slices.Delete(unread, at, at+1)
		isRaw := g.market.OriginType == string(football.Raw)
		if m.Proof != meant.MustBeRaw && !w.Doubtful && w.Decimal != "" && !(m.Proof == meant.MayBeRaw && isRaw) {
			c.fault("%s: not publishable: %s %v, meant %+v, sent as %v", where, plain(g.market.RawReason), g.Reasons, wordsMeant(w), g.Labels)
		}
	}
	for _, g := range unread {
		c.fault("%s: derived, and not meant: %+v", where, g.words())
	}
}

// onlySuspended reports whether nothing but its being suspended keeps a selection from
// being published.
func (g *derivedRow) onlySuspended() bool {
	return slices.Equal(g.Reasons, []string{string(football.Suspended)})
}

func (g *derivedRow) words() words {
	return words{plain(g.market.Market), plain(g.market.Period), plain(g.Selection), plain(g.Line), plain(g.Qualifier), plain(g.Subject), plain(g.OddsDecimalText),
		slices.Contains(g.Reasons, string(football.Suspended))}
}

func wordsMeant(w meant.Row) words {
	subject := w.Subject
	if subject == "" && w.Selection != "NO_GOALSCORER" {
		subject = w.Side
	}
	return words{w.Market, w.Period, w.Selection, w.Line, w.Qualifier, subject, w.Decimal, w.Stopped}
}

func meantOf(want []meant.Row) (all []words) {
	for _, w := range want[:min(len(want), 4)] {
		all = append(all, wordsMeant(w))
	}
	return all
}

func plain(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
