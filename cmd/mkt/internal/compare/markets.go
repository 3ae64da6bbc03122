package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// half is one side's two tables.
type half struct {
	fixtures *cursor[table.FixtureRow]
	markets  *cursor[table.MarketRow]
}

func openHalf(s Side) (*half, error) {
	fixtures, err := openCursor[table.FixtureRow](s, layout.FixturesFile)
	if err != nil {
		return nil, err
	}
	markets, err := openCursor[table.MarketRow](s, layout.MarketsFile)
	if err != nil {
		fixtures.close()
		return nil, err
	}
	return &half{fixtures, markets}, fixtures.next()
}

func (h *half) close() {
	h.fixtures.close()
	h.markets.close()
}

// pass goes on to the next fixture without reading this one's markets.
func (h *half) pass() error {
	h.markets.skip(int(h.fixtures.row.MarketCount))
	return h.fixtures.next()
}

// read reads the markets of the fixture at hand.
func (h *half) read() ([]table.MarketRow, error) {
	f := h.fixtures.row
	rows, err := h.markets.take(int(f.MarketCount))
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
func (r *run) markets() error {
	a, err := openHalf(r.A)
	if err != nil {
		return err
	}
	defer a.close()
	b, err := openHalf(r.B)
	if err != nil {
		return err
	}
	defer b.close()
	total := max(a.fixtures.rows.Len(), b.fixtures.rows.Len())
	for a.fixtures.row != nil || b.fixtures.row != nil {
		if err := r.fixture(a, b); err != nil {
			return err
		}
		if err := r.step(total); err != nil {
			return err
		}
	}
	return nil
}

// order tells which side's row comes first: both when it is 0.
func order(a, b string, hasA, hasB bool) int {
	switch {
	case !hasB:
		return -1
	case !hasA:
		return 1
	}
	return cmp.Compare(a, b)
}

// fixture compares what comes next.
func (r *run) fixture(a, b *half) error {
	fa, fb := a.fixtures.row, b.fixtures.row
	idA, idB := "", ""
	if fa != nil {
		idA = fa.FixtureID
	}
	if fb != nil {
		idB = fb.FixtureID
	}
	first := order(idA, idB, fa != nil, fb != nil)
	wanted := r.Fixture == "" || first <= 0 && idA == r.Fixture || first > 0 && idB == r.Fixture
	switch {
	case first < 0:
		if wanted {
			r.sum.FixturesA++
			if err := r.emit(about(FixtureRemoved, fa)); err != nil {
				return err
			}
		}
		r.current = 0
		return a.pass()
	case first > 0:
		if wanted {
			r.sum.FixturesB++
			if err := r.emit(about(FixtureAdded, fb)); err != nil {
				return err
			}
		}
		r.current = 0
		return b.pass()
	}
	if wanted {
		r.sum.FixturesA++
		r.sum.FixturesB++
		if same := fa.ContentDigest == fb.ContentDigest && fa.ContentDigest != ""; !same {
			return r.changed(a, b)
		}
		r.both()
	}
	if err := a.pass(); err != nil {
		return err
	}
	return b.pass()
}

// changed compares a fixture that both have.
func (r *run) changed(a, b *half) error {
	fa, fb := a.fixtures.row, b.fixtures.row
	marketsA, err := a.read()
	if err != nil {
		return err
	}
	marketsB, err := b.read()
	if err != nil {
		return err
	}
	base := about(FixtureChanged, fb)
	for _, f := range []struct {
		name string
		a, b Value
	}{
		{"home", column(fa.Home, "home", fa.Absent), column(fb.Home, "home", fb.Absent)},
		{"away", column(fa.Away, "away", fa.Absent), column(fb.Away, "away", fb.Absent)},
		{"league", column(fa.League, "league", fa.Absent), column(fb.League, "league", fb.Absent)},
		{"starts_at", timeColumn(fa.StartsAt, "starts_at", fa.Absent), timeColumn(fb.StartsAt, "starts_at", fb.Absent)},
		{"source_provider", valueOf(fa.SourceProvider), valueOf(fb.SourceProvider)},
		{"provider_fixture_id", valueOf(fa.ProviderFixtureID), valueOf(fb.ProviderFixtureID)},
	} {
		if err := r.field(base, f.name, f.a, f.b); err != nil {
			return err
		}
	}
	if err := r.marketsOf(base, marketsA, marketsB); err != nil {
		return err
	}
	if r.current == 0 { // a label, or an order: nothing that has a name of its own here
		if err := r.field(base, "content_digest", valueOf(fa.ContentDigest), valueOf(fb.ContentDigest)); err != nil {
			return err
		}
	}
	r.both()
	if err := a.fixtures.next(); err != nil {
		return err
	}
	return b.fixtures.next()
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
		switch first := order(idA, idB, len(a) > 0, len(b) > 0); {
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
	for _, f := range []struct {
		name string
		a, b Value
	}{
		{"market", column(a.Market, "market", a.Absent), column(b.Market, "market", b.Absent)},
		{"market_name", column(a.MarketName, "market_name", a.Absent), column(b.MarketName, "market_name", b.Absent)},
		{"period", column(a.Period, "period", a.Absent), column(b.Period, "period", b.Absent)},
		{"origin_type", valueOf(a.OriginType), valueOf(b.OriginType)},
		{"rule", column(a.Rule, "rule", a.Absent), column(b.Rule, "rule", b.Absent)},
		{"raw_reason", column(a.RawReason, "raw_reason", a.Absent), column(b.RawReason, "raw_reason", b.Absent)},
		{"sections", listOf(a.Sections), listOf(b.Sections)},
		{"lines", listOf(a.Lines), listOf(b.Lines)},
	} {
		if err := r.field(changed, f.name, f.a, f.b); err != nil {
			return err
		}
	}
	return r.selections(changed, a.Selections, b.Selections)
}

func listOf(list []string) Value { return valueOf(strings.Join(list, ", ")) }

// selections pairs them by id: in A's order those that went or changed, then in
// B's those that came.
func (r *run) selections(base Change, a, b []table.SelectionRow) error {
	for i := range a {
		old := &a[i]
		k := slices.IndexFunc(b, func(s table.SelectionRow) bool { return s.SelectionID == old.SelectionID })
		if i < len(b) && b[i].SelectionID == old.SelectionID {
			k = i
		}
		var err error
		if k < 0 {
			err = r.emit(ofSelection(base, SelectionRemoved, old))
		} else {
			err = r.selection(base, old, &b[k])
		}
		if err != nil {
			return err
		}
	}
	for i := range b {
		if i < len(a) && a[i].SelectionID == b[i].SelectionID || slices.ContainsFunc(a, func(s table.SelectionRow) bool { return s.SelectionID == b[i].SelectionID }) {
			continue
		}
		if err := r.emit(ofSelection(base, SelectionAdded, &b[i])); err != nil {
			return err
		}
	}
	return nil
}

func ofSelection(base Change, what What, s *table.SelectionRow) Change {
	base.What, base.SelectionID = what, s.SelectionID
	for _, name := range []*string{s.Selection, s.Subject, s.ProviderSelectionID} {
		if name != nil {
			base.Selection = *name
			break
		}
	}
	if s.Line != nil {
		base.Line = *s.Line
	}
	if odds := column(s.OddsDecimalText, "odds_decimal", s.Absent); what == SelectionAdded {
		base.New = odds
	} else if what == SelectionRemoved {
		base.Old = odds
	}
	return base
}

const suspended = string(football.Suspended)

// selection compares a selection that both have.
func (r *run) selection(base Change, a, b *table.SelectionRow) error {
	if err := r.odds(base, a, b); err != nil {
		return err
	}
	was, is := slices.Contains(a.Reasons, suspended), slices.Contains(b.Reasons, suspended)
	switch {
	case is && !was:
		if err := r.emit(ofSelection(base, Suspended, b)); err != nil {
			return err
		}
	case was && !is:
		if err := r.emit(ofSelection(base, Resumed, b)); err != nil {
			return err
		}
	}
	if err := r.field(ofSelection(base, QualityChanged, b), "quality", qualityOf(a), qualityOf(b)); err != nil {
		return err
	}
	changed := ofSelection(base, SelectionChanged, b)
	for _, f := range []struct {
		name string
		a, b Value
	}{
		{"selection", column(a.Selection, "selection", a.Absent), column(b.Selection, "selection", b.Absent)},
		{"line", column(a.Line, "line", a.Absent), column(b.Line, "line", b.Absent)},
		{"qualifier", column(a.Qualifier, "qualifier", a.Absent), column(b.Qualifier, "qualifier", b.Absent)},
		{"subject", column(a.Subject, "subject", a.Absent), column(b.Subject, "subject", b.Absent)},
		{"subject_2", column(a.Subject2, "subject_2", a.Absent), column(b.Subject2, "subject_2", b.Absent)},
		{"dimension", column(a.Dimension, "dimension", a.Absent), column(b.Dimension, "dimension", b.Absent)},
		{"grid_row", column(a.GridRow, "grid_row", a.Absent), column(b.GridRow, "grid_row", b.Absent)},
		{"grid_column", column(a.GridColumn, "grid_column", a.Absent), column(b.GridColumn, "grid_column", b.Absent)},
		{"provider_selection_id", column(a.ProviderSelectionID, "provider_selection_id", a.Absent), column(b.ProviderSelectionID, "provider_selection_id", b.Absent)},
	} {
		if err := r.field(changed, f.name, f.a, f.b); err != nil {
			return err
		}
	}
	return nil
}

// odds compares the provider's digits. The fractional form is told only where the
// decimal one is the same.
func (r *run) odds(base Change, a, b *table.SelectionRow) error {
	moved := ofSelection(base, OddsMoved, b)
	moved.Field = "odds_decimal"
	moved.Old, moved.New = column(a.OddsDecimalText, "odds_decimal", a.Absent), column(b.OddsDecimalText, "odds_decimal", b.Absent)
	if a.OddsDecimal != nil && b.OddsDecimal != nil && *a.OddsDecimal > 0 {
		percent := math.Round((*b.OddsDecimal-*a.OddsDecimal) / *a.OddsDecimal * 1e4) / 100
		moved.Percent = &percent
	}
	if moved.Old == moved.New {
		moved.Field, moved.Percent = "odds_fractional", nil
		moved.Old, moved.New = column(a.OddsFractional, "odds_fractional", a.Absent), column(b.OddsFractional, "odds_fractional", b.Absent)
	}
	if moved.Old == moved.New {
		return nil
	}
	return r.emit(moved)
}

// qualityOf is whether the service vouches for a selection, and why not; a
// suspension is told by itself.
func qualityOf(s *table.SelectionRow) Value {
	text := s.QualityStatus
	if !s.Publishable {
		text += ", not publishable"
	}
	var reasons []string
	for _, reason := range s.Reasons {
		if reason != suspended {
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) > 0 {
		text += ": " + strings.Join(reasons, ", ")
	}
	return valueOf(text)
}
