package explain

import (
	"errors"
	"fmt"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/transform"
)

// markets explains what the market engine served.
func (e *explainer) markets() error {
	if !e.report.Publication.Kept {
		return e.unkept()
	}
	f, err := e.find()
	if err != nil {
		return err
	}
	e.report.Rules = Rules{Then: e.manifest.DerivationVersion, Now: football.DerivationVersion}
	if f.market != nil {
		e.report.Rules.Then = f.market.DerivationVersion
	}
	m := &marketsTrail{explainer: e, found: f}
	m.adapter, _ = e.Provider(f.fixture.SourceProvider) // what reads the payload, where it is there, must be known
	if err := m.retrace(); err != nil {
		return err
	}
	switch {
	case f.selection != nil:
		m.selection()
	case f.market != nil:
		m.market()
	default:
		m.fixture()
	}
	return nil
}

// marketsTrail is a row and the payload that it was read from.
type marketsTrail struct {
	*explainer
	found
	adapter  provider.Provider
	archive  *raw.Archive // nil when its payloads are gone
	read     transform.Retraced
	again    *football.Market // the market as it is read now; nil when that fails
	sameRows bool             // again has the selections of the row, in order
}

// retrace reads the fixture's payload once more.
func (m *marketsTrail) retrace() error {
	cycle, err := m.refreshedIn(m.found.fixture.ProviderFetchedAt)
	if errors.Is(err, ErrDeleted) {
		m.report.doubt(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	m.report.Cycle, m.report.CarriedOver = string(cycle), cycle != m.commit.CycleID
	if m.report.CarriedOver {
		m.report.note(fmt.Sprintf("carried over: the fixture was last refreshed in cycle %s", cycle))
	}
	if m.archive, err = m.open(cycle); err != nil || m.archive == nil {
		return err
	}
	if m.adapter, err = m.explainer.adapter(m.archive.Cycle().Provider); err != nil {
		return err
	}
	m.read, err = transform.Retrace(m.archive, m.adapter, m.found.fixture.ProviderFixtureID)
	if errors.Is(err, transform.ErrNotInCycle) {
		m.report.doubt(fmt.Sprintf("cycle %s: its payloads do not have the fixture", cycle))
		return nil
	}
	if err != nil {
		return err
	}
	if at := m.read.Fixture.FetchedAt.UTC().Truncate(time.Millisecond); !at.Equal(m.found.fixture.ProviderFetchedAt) {
		m.report.doubt(fmt.Sprintf("the payload found was retrieved at %s, the row says %s", at.Format(time.RFC3339Nano), m.found.fixture.ProviderFetchedAt.UTC().Format(time.RFC3339Nano)))
	}
	m.source(m.read.Listed)
	m.source(m.read.Offered)
	if m.found.market != nil {
		m.compare()
	}
	return nil
}

// compare finds the market in what was read again, and holds it against the row.
func (m *marketsTrail) compare() {
	row := m.found.market
	if i := int(row.Ordinal); i < len(m.read.Markets) && m.read.Markets[i].Key == row.ProviderMarketKey {
		m.again = &m.read.Markets[i]
	}
	for i := range m.read.Markets { // rules of another version may have put it elsewhere
		if m.again == nil && m.read.Markets[i].Key == row.ProviderMarketKey {
			m.again = &m.read.Markets[i]
		}
	}
	if m.again == nil {
		m.report.doubt("the payload, read by the rules of this build, has no such market" + m.otherRules())
		return
	}
	differs := differences(*row, table.MarketOf(football.FixtureID(row.FixtureID), row.DerivationVersion, m.again))
	m.sameRows = len(m.again.Selections) == len(row.Selections)
	if len(differs) > 0 {
		m.report.doubt("the payload, read by the rules of this build, differs from what was served in " + list(differs) + m.otherRules())
	}
}

func (m *marketsTrail) otherRules() string {
	if r := m.report.Rules; r.Then != r.Now {
		return fmt.Sprintf(": it was served by rules %s, these are %s", r.Then, r.Now)
	}
	return ", although the rules have the same version: mkt verify tells whether a file was changed"
}

// place is where the selection asked for begins in the payload; 0 when unknown.
func (m *marketsTrail) place() uint32 {
	if m.again == nil {
		return 0
	}
	if m.sameRows && sameRow(m.found.selection, &m.again.Selections[m.found.at]) {
		return m.again.Selections[m.found.at].Place
	}
	for i := range m.again.Selections {
		if s := &m.again.Selections[i]; sameRow(m.found.selection, s) {
			return s.Place
		}
	}
	return 0
}

// sameRow tells whether a row and a selection are of one row of the provider.
func sameRow(row *table.SelectionRow, s *football.Selection) bool {
	if len(row.Labels) != len(s.Labels) || or(row.ProviderSelectionID) != s.ProviderSelectionID.Or("") || or(row.OddsDecimalText) != s.Odds.Decimal().Or("") {
		return false
	}
	for i, l := range row.Labels {
		if l != table.LabelRow(s.Labels[i]) {
			return false
		}
	}
	return true
}

func or(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
