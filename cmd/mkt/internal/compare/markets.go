package compare

import (
	"fmt"
	"strings"
	"time"

	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// marketsHalf is one side's two tables.
type marketsHalf struct {
	rows    *cursor[table.FixtureRow]
	markets *cursor[table.MarketRow]
	unread  int // markets of the fixture at hand that were not read
}

func openMarkets(s Side) (*marketsHalf, error) {
	rows, err := openCursor[table.FixtureRow](s, layout.FixturesFile)
	if err != nil {
		return nil, err
	}
	markets, err := openCursor[table.MarketRow](s, layout.MarketsFile)
	if err != nil {
		rows.close()
		return nil, err
	}
	h := &marketsHalf{rows: rows, markets: markets}
	if err := h.pass(); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *marketsHalf) close() {
	h.rows.close()
	h.markets.close()
}

func (h *marketsHalf) id() string {
	if h.rows.row == nil {
		return ""
	}
	return h.rows.row.FixtureID
}

func (h *marketsHalf) about(what What) Change { return about(what, h.rows.row) }

func (h *marketsHalf) fixtures() int64 { return h.rows.rows.Len() }

func (h *marketsHalf) pass() error {
	h.markets.skip(h.unread)
	h.unread = 0
	if err := h.rows.next(); err != nil || h.rows.row == nil {
		return err
	}
	h.unread = int(h.rows.row.MarketCount)
	return nil
}

// read reads the markets of the fixture at hand.
func (h *marketsHalf) read() ([]table.MarketRow, error) {
	f := h.rows.row
	rows, err := h.markets.take(h.unread)
	h.unread = 0
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].FixtureID != f.FixtureID {
			return nil, fmt.Errorf("%s: %w: row %d is of %s, not of %s", h.markets.name, snapshot.ErrDamaged, h.markets.at-int64(len(rows)-i), rows[i].FixtureID, f.FixtureID)
		}
	}
	return rows, nil
}

// markets compares two snapshots of the market engine.
func (r *run) markets() error { return walk(r, openMarkets, r.marketsChanged) }

// marketsChanged compares a fixture that both have. Its markets are not read where
// the content is the same.
func (r *run) marketsChanged(a, b *marketsHalf) error {
	fa, fb := a.rows.row, b.rows.row
	if fa.ContentDigest == fb.ContentDigest && fa.ContentDigest != "" {
		return nil
	}
	marketsA, err := a.read()
	if err != nil {
		return err
	}
	marketsB, err := b.read()
	if err != nil {
		return err
	}
	base := about(FixtureChanged, fb)
	err = r.fields(base, []field{
		{"home", column(fa.Home, "home", fa.Absent), column(fb.Home, "home", fb.Absent)},
		{"away", column(fa.Away, "away", fa.Absent), column(fb.Away, "away", fb.Absent)},
		{"league", column(fa.League, "league", fa.Absent), column(fb.League, "league", fb.Absent)},
		{"starts_at", timeColumn(fa.StartsAt, "starts_at", fa.Absent), timeColumn(fb.StartsAt, "starts_at", fb.Absent)},
		{"source_provider", valueOf(fa.SourceProvider), valueOf(fb.SourceProvider)},
		{"provider_fixture_id", valueOf(fa.ProviderFixtureID), valueOf(fb.ProviderFixtureID)},
	})
	if err != nil {
		return err
	}
	if err := r.marketsOf(base, marketsA, marketsB); err != nil {
		return err
	}
	if r.current == 0 { // a label, or an order: nothing that has a name of its own here
		return r.field(base, "content_digest", valueOf(fa.ContentDigest), valueOf(fb.ContentDigest))
	}
	return nil
}

// about begins a change of a fixture.
func about(what What, f *table.FixtureRow) Change {
	name := func(s *string) string {
		if s == nil {
			return "?"
		}
		return *s
	}
	c := Change{What: what, FixtureID: f.FixtureID, Fixture: name(f.Home) + " - " + name(f.Away)}
	if f.Home != nil {
		c.Home = *f.Home
	}
	if f.Away != nil {
		c.Away = *f.Away
	}
	if f.League != nil {
		c.League = *f.League
	}
	return c
}

func timeColumn(at *time.Time, name string, notSent []string) Value {
	if at == nil {
		return column(nil, name, notSent)
	}
	return valueOf(at.UTC().Format(time.RFC3339))
}

// field emits a change of one field, when there is one.
func (r *run) field(base Change, name string, a, b Value) error {
	if a == b {
		return nil
	}
	base.Field, base.Old, base.New = name, a, b
	return r.emit(base)
}

// field is one of both sides.
type field struct {
	name string
	a, b Value
}

// fields emits a change of each field that differs.
func (r *run) fields(base Change, all []field) error {
	for _, f := range all {
		if err := r.field(base, f.name, f.a, f.b); err != nil {
			return err
		}
	}
	return nil
}

// marketsOf merges the markets of one fixture: both are sorted by id.
func (r *run) marketsOf(base Change, a, b []table.MarketRow) error {
	for len(a) > 0 || len(b) > 0 {
		idA, idB := "", ""
		if len(a) > 0 {
			idA = a[0].MarketID
		}
		if len(b) > 0 {
			idB = b[0].MarketID
		}
		var err error
		switch first := order(idA, idB); {
		case first < 0:
			err = r.emit(ofMarket(base, MarketRemoved, &a[0]))
			a = a[1:]
		case first > 0:
			err = r.emit(ofMarket(base, MarketAdded, &b[0]))
			b = b[1:]
		default:
			err = r.market(base, &a[0], &b[0])
			a, b = a[1:], b[1:]
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func ofMarket(base Change, what What, m *table.MarketRow) Change {
	base.What, base.MarketID = what, m.MarketID
	switch {
	case m.Market != nil:
		base.Market = *m.Market
	case m.MarketName != nil:
		base.Market = *m.MarketName
	default:
		base.Market = m.ProviderMarketKey
	}
	if m.Period != nil {
		base.Period = *m.Period
	}
	return base
}

// market compares a market that both have.
func (r *run) market(base Change, a, b *table.MarketRow) error {
	changed := ofMarket(base, MarketChanged, b)
	err := r.fields(changed, []field{
		{"market", column(a.Market, "market", a.Absent), column(b.Market, "market", b.Absent)},
		{"market_name", column(a.MarketName, "market_name", a.Absent), column(b.MarketName, "market_name", b.Absent)},
		{"period", column(a.Period, "period", a.Absent), column(b.Period, "period", b.Absent)},
		{"origin_type", valueOf(a.OriginType), valueOf(b.OriginType)},
		{"rule", column(a.Rule, "rule", a.Absent), column(b.Rule, "rule", b.Absent)},
		{"raw_reason", column(a.RawReason, "raw_reason", a.Absent), column(b.RawReason, "raw_reason", b.Absent)},
		{"sections", listOf(a.Sections), listOf(b.Sections)},
		{"lines", listOf(a.Lines), listOf(b.Lines)},
	})
	if err != nil {
		return err
	}
	return r.selections(changed, a.Selections, b.Selections)
}

func listOf(list []string) Value { return valueOf(strings.Join(list, ", ")) }
