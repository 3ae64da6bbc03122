package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/publish/table/diff"
	"mkt/transform/prematch"
	"mkt/transform/reading"
)

func (e *explainer) markets(ctx context.Context) error {
	if !e.report.Publication.Kept {
		return e.errSnapshotDeleted()
	}
	f, err := e.find()
	if err != nil {
		return err
	}
	e.report.Rules = Rules{Then: e.manifest.DerivationVersion, Now: football.DerivationVersion}
	if f.market != nil {
		e.report.Rules.Then = f.market.DerivationVersion
	}
	m := &marketTrace{explainer: e, found: f}
	m.adapter, _ = e.Provider(f.fixture.SourceProvider) // it must be known only if the payload is kept
	if err := m.trace(ctx); err != nil {
		return err
	}
	switch {
	case f.selection != nil:
		m.selection()
		return m.changes(ctx)
	case f.market != nil:
		m.market()
	default:
		m.fixture()
	}
	return nil
}

type marketTrace struct {
	*explainer
	found
	adapter  provider.Provider
	archive  *raw.Archive // nil if the payloads are deleted
	read     prematch.Traced
	derived  *football.Market // the market as it is derived now; nil if it is not derived
	sameRows bool             // derived has as many selections as the row
	moved    reading.Origin   // the place in a later list of a kick-off that moved since; empty if it did not
}

func (m *marketTrace) trace(ctx context.Context) error {
	cycle, err := m.refreshedIn(m.found.fixture.ProviderFetchedAt, valueOr(m.found.fixture.AnswerSHA256, ""))
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
	name := m.archive.Cycle().Provider
	var known bool
	if m.adapter, known = m.Provider(name); !known {
		return fmt.Errorf("provider %q: this build does not know it", name)
	}
	m.read, err = prematch.Trace(ctx, m.archive, m.adapter, m.found.fixture.ProviderFixtureID)
	if errors.Is(err, prematch.ErrNotInCycle) {
		m.report.doubt(fmt.Sprintf("the payloads of cycle %s do not have the fixture", cycle))
		return nil
	}
	if err != nil {
		return err
	}
	if at := m.read.Fixture.FetchedAt.UTC().Truncate(time.Millisecond); !at.Equal(m.found.fixture.ProviderFetchedAt) {
		m.report.doubt(fmt.Sprintf("the payload was retrieved at %s, the row says %s", at.Format(time.RFC3339Nano), m.found.fixture.ProviderFetchedAt.UTC().Format(time.RFC3339Nano)))
	}
	m.source(m.read.Listed)
	m.source(m.read.Offered)
	if err := m.traceKickOff(ctx); err != nil {
		return err
	}
	if m.found.market != nil {
		m.compare()
	}
	return nil
}

// traceKickOff finds a kick-off that the list moved after the fixture was refreshed, in the list of the publication's cycle.
func (m *marketTrace) traceKickOff(ctx context.Context) error {
	row := m.found.fixture.StartsAt
	isIts := func(at football.Field[time.Time]) bool {
		starts, known := at.Get()
		return known && starts.UTC().Truncate(time.Millisecond).Equal(*row)
	}
	if row == nil || !m.report.CarriedOver || isIts(m.read.Fixture.StartsAt) {
		return nil
	}
	archive, err := m.open(m.commit.CycleID)
	if err != nil || archive == nil {
		return err
	}
	read, err := prematch.Trace(ctx, archive, m.adapter, m.found.fixture.ProviderFixtureID)
	switch {
	case errors.Is(err, prematch.ErrNotInCycle):
		return nil
	case err != nil:
		return err
	case isIts(read.Fixture.StartsAt):
		m.moved = read.Listed
		m.report.note(fmt.Sprintf("the kick-off is that of the list of cycle %s: it moved after the fixture was refreshed", m.commit.CycleID))
		m.source(m.moved)
	}
	return nil
}

// compare finds the market in the new reading and compares it with the row, except for the ids,
// which need the id key.
func (m *marketTrace) compare() {
	row := m.found.market
	hasKey := func(market football.Market) bool { return market.Key == row.ProviderMarketKey }
	at := int(row.Ordinal)
	if at >= len(m.read.Markets) || !hasKey(m.read.Markets[at]) {
		at = slices.IndexFunc(m.read.Markets, hasKey) // another version of the rules may have put it elsewhere
	}
	if at < 0 {
		m.report.doubt("the payload, read by the rules of this build, has no such market" + m.otherRules())
		return
	}
	m.derived = &m.read.Markets[at]
	m.sameRows = len(m.derived.Selections) == len(row.Selections)
	now := canonical.Market(football.FixtureID(row.FixtureID), row.DerivationVersion, m.derived)
	now.MarketID = row.MarketID
	for i := range min(len(now.Selections), len(row.Selections)) {
		now.Selections[i].SelectionID = row.Selections[i].SelectionID
	}
	if differing := diff.Columns(*row, now); len(differing) > 0 {
		m.report.doubt("the payload, read by the rules of this build, differs from the served values in " + firstOf(differing) + m.otherRules())
	}
}

func firstOf(names []string) string {
	const most = 6
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

func (m *marketTrace) otherRules() string {
	if r := m.report.Rules; r.Then != r.Now {
		return fmt.Sprintf(": it was served by rules %s, these are %s", r.Then, r.Now)
	}
	return ", although the rules have the same version: run mkt verify to see whether a file was changed"
}

// place returns where the selection begins in the payload; 0 if unknown.
func (m *marketTrace) place() uint32 {
	if m.derived == nil {
		return 0
	}
	all := m.derived.Selections
	if m.sameRows && isRowOf(m.found.selection, all[m.found.at]) {
		return all[m.found.at].Place
	}
	if i := slices.IndexFunc(all, func(s football.Selection) bool { return isRowOf(m.found.selection, s) }); i >= 0 {
		return all[i].Place
	}
	return 0
}

// isRowOf reports whether a row and a selection were read from the same row of the provider.
func isRowOf(row *table.SelectionRow, s football.Selection) bool {
	return valueOr(row.ProviderSelectionID, "") == s.ProviderSelectionID.Or("") && valueOr(row.OddsDecimalText, "") == s.Odds.Decimal().Or("") &&
		slices.EqualFunc(row.Labels, s.Labels, func(a table.LabelRow, b football.Label) bool { return a == table.LabelRow(b) })
}

// valueOr returns *p, or a default if p is nil.
func valueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
