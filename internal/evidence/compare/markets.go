package compare

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/diff"
)

func (r *run) markets() error {
	a, err := openMarkets(r.A)
	if err != nil {
		return err
	}
	defer a.close()
	b, err := openMarkets(r.B)
	if err != nil {
		return err
	}
	defer b.close()
	base := func(f *table.FixtureRow) Change { return about(f.FixtureID, f.Home, f.Away, f.League) }
	return fixtures(r, layout.FixturesFile, base, func(base Change, rowA, rowB *table.FixtureRow) error {
		if rowA.ContentDigest == rowB.ContentDigest && rowA.ContentDigest != "" {
			return nil
		}
		marketsA, err := a.of(rowA)
		if err != nil {
			return err
		}
		marketsB, err := b.of(rowB)
		if err != nil {
			return err
		}
		if err := columns(r, base, rowA, rowB, "home", "away", "league", "starts_at", "source_provider", "provider_fixture_id"); err != nil {
			return err
		}
		if err := r.marketsOf(base, marketsA, marketsB); err != nil {
			return err
		}
		if r.changes == 0 { // a label or the order changed, which is not compared here
			return columns(r, base, rowA, rowB, "content_digest")
		}
		return nil
	}, func(p diff.Pair[table.FixtureRow]) {
		a.pass(p.Old)
		b.pass(p.New)
	})
}

// about begins the changes of a fixture.
func about(id string, home, away, league *string) Change {
	name := func(s *string, otherwise string) string {
		if s == nil {
			return otherwise
		}
		return *s
	}
	return Change{FixtureID: id, Fixture: name(home, "?") + " - " + name(away, "?"), Home: name(home, ""), Away: name(away, ""), League: name(league, "")}
}

// marketRows reads the markets of fixtures in order, and can skip some.
type marketRows struct {
	name  string
	file  durable.Reader
	rows  *table.Reader[table.MarketRow]
	begin int64             // number of the first market of the current fixture
	at    int64             // number of the first row of left
	left  []table.MarketRow // read and not returned yet
}

const (
	batch = 1024
	// seekFrom is the least number of rows to skip for which a seek is faster than reading them: a
	// seek takes as long as reading some hundred rows (BenchmarkRun).
	seekFrom = 2 * batch
)

func openMarkets(s Side) (*marketRows, error) {
	name := s.Commit.Dir() + "/" + layout.MarketsFile
	file, err := s.Root.Open(name)
	if err != nil {
		return nil, err
	}
	rows, err := table.NewReader[table.MarketRow](file, file.Size())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	return &marketRows{name: name, file: file, rows: rows}, nil
}

func (m *marketRows) close() {
	m.rows.Close()
	m.file.Close()
}

// pass skips the markets of f, which may be nil.
func (m *marketRows) pass(f *table.FixtureRow) {
	if f != nil {
		m.begin += int64(f.MarketCount)
	}
}

// of returns the markets of the current fixture. They are never overwritten.
func (m *marketRows) of(f *table.FixtureRow) ([]table.MarketRow, error) {
	if m.begin-m.at-int64(len(m.left)) >= seekFrom && m.begin < m.rows.Len() {
		m.left, m.at = nil, m.begin
		if err := m.rows.SeekRow(m.begin); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	if _, err := m.take(m.begin - m.at); err != nil {
		return nil, err
	}
	rows, err := m.take(int64(f.MarketCount))
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].FixtureID != f.FixtureID {
			return nil, fmt.Errorf("%s: %w: row %d is of %s, not of %s", m.name, snapshot.ErrDamaged, m.begin+int64(i), rows[i].FixtureID, f.FixtureID)
		}
	}
	return rows, nil
}

func (m *marketRows) take(n int64) (taken []table.MarketRow, err error) {
	for n > int64(len(m.left)) {
		n -= int64(len(m.left))
		taken = append(taken, m.left...)
		m.at += int64(len(m.left))
		rows := make([]table.MarketRow, batch)
		read, err := m.rows.Read(rows)
		if read == 0 {
			if err == nil || err == io.EOF {
				err = fmt.Errorf("%w: it ends behind row %d", snapshot.ErrDamaged, m.at)
			}
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		m.left = rows[:read]
	}
	first := m.left[:n:n]
	m.left, m.at = m.left[n:], m.at+n
	if taken == nil {
		return first, nil
	}
	return append(taken, first...), nil
}

func (r *run) marketsOf(base Change, a, b []table.MarketRow) error {
	byID := func(a, b *table.MarketRow) int { return cmp.Compare(a.MarketID, b.MarketID) }
	for p := range diff.Pairs(diff.Each(a), diff.Each(b), byID) {
		var err error
		switch {
		case p.New == nil:
			err = r.emit(ofMarket(base, MarketRemoved, p.Old))
		case p.Old == nil:
			err = r.emit(ofMarket(base, MarketAdded, p.New))
		default:
			err = r.market(base, p.Old, p.New)
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

func (r *run) market(base Change, a, b *table.MarketRow) error {
	changed := ofMarket(base, MarketChanged, b)
	err := columns(r, changed, a, b, "market", "market_name", "period", "origin_type", "rule", "raw_reason", "sections", "lines")
	if err != nil {
		return err
	}
	return r.selections(changed, a.Selections, b.Selections)
}
