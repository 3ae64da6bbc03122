package canonical

import (
	"strconv"
	"time"
	"unsafe"

	"mkt/publish/football"
	"mkt/publish/table"
)

// Fixture returns the row of a fixture with a number of markets and a content digest, see
// [content.Digest].
func Fixture(f football.Fixture, markets int, digest string) table.FixtureRow {
	row := table.FixtureRow{
		FixtureID:         string(f.ID),
		MarketCount:       int32(markets),
		SourceProvider:    f.Provider,
		ProviderFixtureID: f.ProviderFixtureID,
		ProviderFetchedAt: f.FetchedAt.UTC(),
		ContentDigest:     digest,
	}
	row.Home = field(&row.Absent, "home", f.Home)
	row.Away = field(&row.Absent, "away", f.Away)
	row.League = field(&row.Absent, "league", f.League)
	row.StartsAt = field(&row.Absent, "starts_at", f.StartsAt)
	if row.StartsAt != nil {
		*row.StartsAt = row.StartsAt.UTC().Truncate(time.Millisecond)
	}
	return row
}

// field returns a provider's field as a nullable column, and adds the name of a
// missing one to absent.
func field[V any](absent *[]string, name string, f football.Field[V]) *V {
	switch f.State() {
	case football.Missing:
		*absent = append(*absent, name)
		return nil
	case football.Null:
		return nil
	}
	value, _ := f.Get()
	return &value
}

// Market returns the row of a market. derivation is the version of the rules that derived it.
// The row points into m, which must not change while the row is used.
func Market(fixture football.FixtureID, derivation string, m *football.Market) table.MarketRow {
	values := arena{texts: make([]string, 0, 3*len(m.Selections)), numbers: make([]float64, 0, len(m.Selections))}
	return values.marketOf(fixture, derivation, m)
}

// arena has the values to which a market's rows point.
type arena struct {
	selections []table.SelectionRow
	texts      []string
	numbers    []float64
	reasons    []string
}

// reset empties the arena and keeps its memory. Earlier rows are no longer valid.
func (r *arena) reset() {
	clear(r.selections)
	clear(r.texts)
	r.selections, r.texts, r.numbers, r.reasons = r.selections[:0], r.texts[:0], r.numbers[:0], r.reasons[:0]
}

func (r *arena) marketOf(fixture football.FixtureID, derivation string, m *football.Market) table.MarketRow {
	row := table.MarketRow{
		FixtureID:         string(fixture),
		MarketID:          string(m.ID),
		Ordinal:           int32(m.Ordinal),
		Market:            filled(&m.Canonical),
		Period:            filled(&m.Period),
		Sections:          m.Sections,
		Lines:             m.Lines,
		OriginType:        string(m.Origin),
		DerivationVersion: derivation,
		SelectionCount:    int32(len(m.Selections)),
		ProviderMarketIDs: m.ProviderMarketIDs,
		ProviderMarketKey: m.Key,
		Rule:              filled(&m.Rule),
		RawReason:         filled((*string)(&m.RawReason)),
	}
	row.MarketName = field(&row.Absent, "market_name", m.Name)
	from := len(r.selections)
	for i := range m.Selections {
		r.selections = append(r.selections, r.selectionOf(&m.Selections[i]))
	}
	row.Selections = r.selections[from:]
	return row
}

func (r *arena) selectionOf(s *football.Selection) table.SelectionRow {
	row := table.SelectionRow{
		SelectionID:   string(s.ID),
		Selection:     filled(&s.Selection),
		Line:          filled(&s.Line),
		Qualifier:     filled(&s.Qualifier),
		Dimension:     filled(&s.Dimension),
		Subject:       filled(&s.Subject),
		Subject2:      filled(&s.Subject2),
		QualityStatus: string(s.Quality.Status),
		Publishable:   s.Quality.Publishable,
		Labels:        labelRows(s.Labels),
	}
	missing := 0
	row.OddsFractional = r.text(s.Odds.Fractional(), &missing, 1)
	row.OddsDecimalText = r.text(s.Odds.Decimal(), &missing, 2)
	row.OddsDecimal = r.number(row.OddsDecimalText)
	row.ProviderSelectionID = r.text(s.ProviderSelectionID, &missing, 4)
	row.Absent = absentOf[missing]
	if s.Grid != nil {
		row.GridRow, row.GridColumn = &s.Grid.Row, &s.Grid.Column
	}
	if n := len(s.Quality.Reasons); n > 0 {
		from := len(r.reasons)
		for _, reason := range s.Quality.Reasons {
			r.reasons = append(r.reasons, string(reason))
		}
		row.Reasons = r.reasons[from : from+n : from+n]
	}
	return row
}

// labelRows returns labels as rows, which share their memory: the fields of both types are the
// same.
func labelRows(labels []football.Label) []table.LabelRow {
	_ = table.LabelRow(football.Label{}) // does not compile if they differ
	return unsafe.Slice((*table.LabelRow)(unsafe.Pointer(unsafe.SliceData(labels))), len(labels))
}

// absentOf lists a selection's columns that were not sent, by the bits of the three possible
// ones.
var absentOf = func() (lists [8][]string) {
	for bits := range lists {
		for i, name := range []string{"odds_fractional", "odds_decimal", "provider_selection_id"} {
			if bits&(1<<i) != 0 {
				lists[bits] = append(lists[bits], name)
			}
		}
	}
	return lists
}()

// text stores a field's value. A missing field sets its bit.
func (r *arena) text(f football.Field[string], missing *int, bit int) *string {
	value, ok := f.Get()
	if !ok {
		if f.State() == football.Missing {
			*missing |= bit
		}
		return nil
	}
	r.texts = append(r.texts, value)
	return &r.texts[len(r.texts)-1]
}

// number returns a price as a number, or nil if its digits are not a plain number as in JSON.
func (r *arena) number(digits *string) *float64 {
	if digits == nil || !football.PlainDecimal(*digits) {
		return nil
	}
	value, err := strconv.ParseFloat(*digits, 64)
	if err != nil {
		return nil
	}
	r.numbers = append(r.numbers, value)
	return &r.numbers[len(r.numbers)-1]
}

// filled returns a string as a nullable column: NULL if it is "".
func filled(s *string) *string {
	if *s == "" {
		return nil
	}
	return s
}
