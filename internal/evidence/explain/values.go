package explain

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/transform/reading"
)

// Rules outside the mapping table.
const (
	ruleAbsent   = "the payload does not have the field"
	ruleVerbatim = "the provider's own characters, untouched"
	ruleEpoch    = "seconds since 1970, as a time in UTC"
	ruleTime     = "a date and a time, as a time in UTC"
	ruleStart    = "the kick-off, as a time in UTC"
	ruleListed   = "from the newest page of the provider's list"
	ruleCount    = "how many markets of the payload have prices"
	ruleLines    = "the distinct lines of the selections that can be relied on, in numeric order; handicaps as the home side's"
	ruleToken    = "the row's texts, each read once and none left over, in the only way that the market's definition allows"
	ruleClaim    = "what the provider says itself, read as a row's texts are; its labels do not contradict it"
	ruleRaw      = "the provider's own words: the market is RAW, or the row could not be read"
	ruleTabs     = "the provider's tabs that show it, in the order met"
)

func (m *marketTrace) fixture() {
	f, id := &m.found.fixture, provider.Subject{Fixture: m.found.fixture.ProviderFixtureID}
	m.report.Kind, m.report.Title = "fixture", title(f)
	origin := m.read.Listed
	var starts *string
	if f.StartsAt != nil {
		text := timeText(*f.StartsAt)
		starts = &text
	}
	for _, v := range []struct {
		field, rule string
		value       *string
	}{{provider.FieldHome, ruleListed, f.Home}, {provider.FieldAway, ruleListed, f.Away},
		{provider.FieldLeague, ruleListed, f.League}, {provider.FieldStartsAt, "", starts}} {
		from := m.pieces(origin, id, v.field)
		if len(from) == 0 {
			from = m.pieces(m.read.Offered, id, provider.FieldTeams)
		}
		if v.field == provider.FieldStartsAt && m.moved.Trace != nil {
			from = m.pieces(m.moved, id, v.field)
		}
		if v.field == provider.FieldStartsAt {
			v.rule = startRule(from)
		}
		m.value(v.field, v.value, f.Absent, v.rule, from)
	}
	count := strconv.Itoa(int(f.MarketCount))
	from := m.pieces(m.read.Offered, id, provider.FieldThing)
	if m.read.NotOffered {
		m.report.note("the provider answered for the fixture and offers no markets on it")
	}
	m.value("market_count", &count, nil, ruleCount, from)
	at := f.ProviderFetchedAt.UTC().Format(time.RFC3339Nano)
	m.value("provider_fetched_at", &at, nil, "when the newest answer that it was read from arrived", nil)
	m.value("provenance.provider_fixture_id", &f.ProviderFixtureID, nil, ruleVerbatim, m.pieces(origin, id, provider.FieldThing))
}

// startRule describes how a kick-off was read, by its text in the payload. Some providers send a
// number, as JSON or in a text, and others a date.
func startRule(from []Piece) string {
	for _, p := range from {
		text := strings.Trim(p.Text, `"`)
		switch {
		case p.Says != provider.FieldStartsAt || text == "" || text[0] < '0' || text[0] > '9':
		case strings.Trim(text, "0123456789") == "":
			return ruleEpoch
		default:
			return ruleTime
		}
	}
	return ruleStart
}

func (m *marketTrace) market() {
	r := m.found.market
	m.report.Kind = "market"
	m.report.Title = title(&m.found.fixture) + ": " + marketName(r)
	of := provider.Subject{Fixture: m.found.fixture.ProviderFixtureID, Market: r.ProviderMarketKey}
	thing := m.pieces(m.read.Offered, of, provider.FieldThing)
	if len(thing) == 0 { // it was split off another market: its rows show where
		thing = m.firstRows(3)
	}
	rule := m.mappingRule()
	if claim := m.pieces(m.read.Offered, of, provider.FieldClaim); len(claim) > 0 && r.Rule != nil && !m.isOwnRule() {
		thing = claim
	}
	m.value("origin_type", &r.OriginType, nil, rule, thing)
	if r.RawReason != nil {
		m.value("raw_reason", r.RawReason, nil, whyRaw[football.Reason(*r.RawReason)], thing)
	} else {
		m.value("market", r.Market, nil, rule, thing)
		m.value("period", r.Period, nil, rule, thing)
	}
	m.value("market_name", r.MarketName, r.Absent, ruleVerbatim, m.pieces(m.read.Offered, of, provider.FieldMarketName))
	m.lists("lines", r.Lines, ruleLines, nil)
	m.lists("sections", r.Sections, ruleTabs, thing)
	m.lists("provenance.provider_market_ids", r.ProviderMarketIDs, ruleVerbatim, m.pieces(m.read.Offered, of, provider.FieldMarketID))
	count := strconv.Itoa(int(r.SelectionCount))
	m.value("selection_count", &count, nil, "its rows, each in one selection", m.firstRows(1))
}

func (m *marketTrace) firstRows(n int) (from []Piece) {
	if m.derived == nil {
		return nil
	}
	for i := range m.derived.Selections[:min(n, len(m.derived.Selections))] {
		from = append(from, m.pieces(m.read.Offered, provider.Subject{Row: m.derived.Selections[i].Place}, provider.FieldThing)...)
	}
	return from
}

// mappingRule returns the market's line in the mapping table, or why there is none.
func (m *marketTrace) mappingRule() string {
	r := m.found.market
	if r.Rule == nil {
		return "RAW: " + whyRaw[football.Reason(valueOr(r.RawReason, ""))]
	}
	if m.adapter.Table != nil {
		if line := m.adapter.Table().Rule(*r.Rule); line != "" {
			return *r.Rule + ": " + strings.ReplaceAll(line, "\n", " | ")
		}
	}
	if m.isOwnRule() {
		return *r.Rule + ", of the account's own table: " + m.read.OwnRule(*r.Rule)
	}
	if m.adapter.ParseTable != nil {
		return *r.Rule + ": what the feed says itself, which the rows bear out"
	}
	return *r.Rule + ": this build's table has no such line"
}

// isOwnRule reports whether a line of the account's own table says what the market is.
func (m *marketTrace) isOwnRule() bool {
	rule := m.found.market.Rule
	return rule != nil && m.read.OwnRule(*rule) != ""
}

// value adds a field as it was served. absent lists the columns the provider did not send.
func (m *marketTrace) value(field string, value *string, absent []string, rule string, from []Piece) {
	v := Value{Field: field, State: HasValue, Value: valueOr(value, ""), Rule: rule, From: from}
	column := strings.ReplaceAll(field, ".", "_")
	if value == nil {
		v.State = IsNull
		if slices.Contains(absent, column) {
			v.State, v.Rule = IsAbsent, ruleAbsent
		}
	}
	m.report.add(v)
}

func (m *marketTrace) lists(field string, values []string, rule string, from []Piece) {
	if len(values) == 0 {
		m.report.add(Value{Field: field, State: NotApply, Rule: rule})
		return
	}
	text := strings.Join(values, ", ")
	m.value(field, &text, nil, rule, from)
}

// pieces returns where fields were found, all fields if none is named.
func (m *marketTrace) pieces(o reading.Origin, s provider.Subject, fields ...string) (from []Piece) {
	for _, f := range o.Trace.Of(s) {
		if len(fields) == 0 || slices.Contains(fields, f.Field) {
			from = append(from, pieceOf(o, f))
		}
	}
	return from
}

func pieceOf(o reading.Origin, f provider.Found) Piece {
	return Piece{Cycle: string(o.Cycle), Response: o.Number, Path: f.Path, Text: cut(f.Text, maxText), Says: f.Field}
}

func title(f *table.FixtureRow) string {
	return valueOr(f.Home, "?") + " - " + valueOr(f.Away, "?")
}

func marketName(r *table.MarketRow) string {
	if r.Market == nil {
		return "RAW " + r.ProviderMarketKey
	}
	return *r.Market + " " + valueOr(r.Period, "")
}
