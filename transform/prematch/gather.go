package prematch

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/bounds"
	"mkt/transform/reading"
)

// gather joins the payloads' fixtures with the listing. If several payloads have a fixture, a
// complete one has priority, then the newest. A fixture missing in the listing was filtered out
// or not requested, and is left out.
func (c *Cycle) gather(l provider.Listing, sheets []sheet) *gathering {
	g := &gathering{listing: l, byID: make(map[string]gathered), broken: make(map[string]football.Reason), withoutMarkets: make(map[string]gathered)}
	m := c.Header
	m.Counters = map[string]int64{"payloads": int64(len(sheets))}
	m.Filtered = l.Filtered
	m.Broken, m.Damaged, m.UnknownFields = reading.Sums(l.Broken), reading.Sums(l.Damaged), reading.Sums(l.Unknown)
	for i := range sheets {
		g.sheet(&sheets[i], m)
		g.prices, g.badPrices = g.prices+sheets[i].prices, g.badPrices+sheets[i].badPrices
		if s := &sheets[i]; s.err != nil {
			reading.Unreadable(c.Log, m.Counters, s.origin.Response, s.err)
		}
	}
	return g
}

// conclude sets the run's result from the gathered parts. It returns an error if too many of them
// are unreadable.
func (c *Cycle) conclude(g *gathering) error {
	m := c.Header
	for _, reason := range g.broken {
		m.Broken["fixture:"+string(reason)]++
	}
	c.Totals.Broken, c.Totals.Failed = len(g.broken), len(c.Archive.Cycle().Failed)
	c.Totals.Damaged = reading.Total(m.Damaged)
	c.Totals.Bytes = m.Counters["payload_bytes"]
	if err := g.tooMuch(m.ClientID, m.Damaged); err != nil {
		return err
	}
	m.ListingComplete = c.Archive.Cycle().ListingComplete && len(g.listing.Broken) == 0
	for _, read := range g.byID {
		c.fixtures = append(c.fixtures, read.refreshed)
	}
	c.fixtures = append(c.fixtures, g.notOffered(c)...)
	var newest time.Time // retrieval of a fixture
	for i := range c.fixtures {
		if at := c.fixtures[i].fixture.FetchedAt; at.After(newest) {
			newest = at
		}
	}
	if newest = newest.UTC(); !newest.IsZero() {
		m.ProviderFetchedAt = &newest
	}
	slices.SortFunc(c.fixtures, func(a, b refreshed) int { return cmp.Compare(a.fixture.ID, b.fixture.ID) })
	c.listing = g.rows(c)
	return nil
}

// gathering joins one cycle, by provider fixture id.
type gathering struct {
	listing provider.Listing
	byID    map[string]gathered
	broken  map[string]football.Reason // not readable in any payload
	met     provider.Parts
	hurt    provider.Parts // of all parts

	withoutMarkets    map[string]gathered // answered without any market
	prices, badPrices int                 // selections with a price, and those with an unreadable price
}

type gathered struct {
	refreshed
	origin reading.Origin
}

func (g *gathering) sheet(s *sheet, m *snapshot.Manifest) {
	m.Counters["payload_bytes"] += int64(s.bytes)
	reading.Add(m.Damaged, s.damaged)
	reading.Add(m.UnknownFields, s.unknown)
	g.met.Add(s.met)
	g.hurt.Add(s.hurt)
	for name, n := range s.skipped {
		m.Counters["skipped:"+name] += int64(n)
	}
	if s.err != nil {
		g.unreadable(s)
		return
	}
	for i := range s.fixtures {
		g.fixture(&s.fixtures[i], s, m)
	}
	for id, reason := range s.broken {
		if _, read := g.byID[id]; !read && g.active(id) {
			g.broken[id] = reason
		}
	}
}

func (g *gathering) fixture(f *refreshed, s *sheet, m *snapshot.Manifest) {
	id := f.fixture.ProviderFixtureID
	if !g.active(id) {
		name := "fixtures_not_listed"
		if g.listing.Fixtures[id].InPlay {
			name = "fixtures_in_play"
		}
		m.Counters[name]++
		return
	}
	delete(g.broken, id)
	f.answer = s.origin.SHA256
	if f.counts.markets == 0 && !f.partial {
		f.notOffered = true
		g.withoutMarkets[id] = gathered{*f, s.origin}
		return
	}
	now := gathered{*f, s.origin}
	if before, twice := g.byID[id]; twice {
		m.Counters["fixtures_repeated"]++
		if now.partial && !before.partial || now.partial == before.partial && before.origin.FetchedAt.After(now.origin.FetchedAt) {
			return
		}
	}
	g.byID[id] = now
}

// active reports whether the listing has a fixture that is still to be played.
func (g *gathering) active(id string) bool {
	listed, ok := g.listing.Fixtures[id]
	return ok && !listed.Over && !listed.InPlay
}

// unreadable counts the fixtures requested with an unreadable payload.
func (g *gathering) unreadable(s *sheet) {
	for id := range g.listing.Fixtures {
		if _, read := g.byID[id]; !read && g.active(id) && asked(s.origin.Response, id) {
			g.broken[id] = football.AmbiguousShape
		}
	}
}

// tooMuch returns an error if too much of a cycle is unreadable: items of the listing, fixtures,
// or parts of fixtures.
func (g *gathering) tooMuch(tenant string, damaged map[string]int) error {
	for _, part := range []struct {
		what            string
		bad, few, whole int
		most            float64 // share of the whole
	}{
		{"fixtures' markets", len(g.broken), 1, len(g.broken) + len(g.byID), bounds.MaxBroken},
		{"items of the fixture list", reading.Total(g.listing.Broken), 1, reading.Total(g.listing.Broken) + len(g.listing.Fixtures), bounds.MaxBroken},
		{"items of the fixture list in part", g.listing.Hurt, 1, g.listing.Met, bounds.MaxBroken},
		{"sections of fixtures", g.hurt.Sections, bounds.ManyParts, g.met.Sections, bounds.MaxBroken},
		{"markets", g.hurt.Markets, bounds.ManyParts, g.met.Markets, bounds.MaxBroken},
		{"rows of markets", g.hurt.Rows, bounds.ManyParts, g.met.Rows, bounds.MaxBroken},
		{"prices", g.badPrices, bounds.ManyParts, g.prices, bounds.MaxUnreadable},
	} {
		if part.bad > part.few && float64(part.bad) > part.most*float64(part.whole) {
			return fmt.Errorf("%w: %d of %d %s%s; the provider's format may have changed: mkt mapping report --tenant %s shows what is not understood",
				reading.ErrQuarantined, part.bad, part.whole, part.what, reading.MostOften(damaged), tenant)
		}
	}
	return nil
}

// notOffered returns the fixtures without an offer, as listed: the provider left them out of its
// answers, or answered without any market. It leaves out fixtures whose markets were read, or
// could not be retrieved or read.
func (g *gathering) notOffered(c *Cycle) (all []refreshed) {
	minter, cycle := c.minter(), c.Archive.Cycle()
	for _, id := range cycle.NotOffered {
		if _, answered := g.withoutMarkets[id]; answered || !g.active(id) {
			continue
		}
		listed := g.listing.Fixtures[id].Fixture
		listed.ID = minter.Fixture(id).FixtureID()
		g.withoutMarkets[id] = gathered{refreshed: refreshed{notOffered: true, fixture: listed}}
	}
	for id, f := range g.withoutMarkets {
		if _, read := g.byID[id]; !read && !g.isFailed(id, cycle.Failed) {
			all = append(all, f.refreshed)
		}
	}
	return all
}

// isFailed reports whether a fixture's markets could not be retrieved or read.
func (g *gathering) isFailed(id string, failed []string) bool {
	_, broken := g.broken[id]
	_, notRetrieved := slices.BinarySearch(failed, id)
	return broken || notRetrieved
}

// rows returns the listing's rows, by fixture id.
func (g *gathering) rows(c *Cycle) []table.ListingRow {
	minter := c.minter()
	failed := c.Archive.Cycle().Failed
	rows := make([]table.ListingRow, 0, len(g.listing.Fixtures))
	for id, listed := range g.listing.Fixtures {
		row := table.ListingRow{FixtureID: string(minter.Fixture(id).FixtureID()), ProviderFixtureID: id, Status: "LISTED", Markets: "NONE"}
		if listed.Over {
			row.Status = "OVER"
		}
		if read, ok := g.byID[id]; ok && read.partial {
			row.Markets = "PARTIAL"
		} else if ok {
			row.Markets = "REFRESHED"
		} else if g.isFailed(id, failed) {
			row.Markets = "FAILED"
		}
		if at, known := listed.StartsAt.Get(); known && (row.Markets == "FAILED" || row.Markets == "NONE") && row.Status == "LISTED" {
			row.StartsAt = &at
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b table.ListingRow) int { return cmp.Compare(a.FixtureID, b.FixtureID) })
	return rows
}
