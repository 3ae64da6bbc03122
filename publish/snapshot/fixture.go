package snapshot

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

// FixtureRows iterates over the rows of one fixture in a table's file. It only reads the parts of
// the file that may have them, and does not check the file's hash. A row is only valid until the
// next one.
func FixtureRows[T table.Row](f durable.ReadFS, name, fixture string) iter.Seq2[*T, error] {
	damaged := func(err error) error { return fmt.Errorf("%s: %w: %w", name, ErrDamaged, err) }
	return rowsOf(f, name, damaged, func(r *table.Reader[T]) iter.Seq2[*T, error] { return r.FixtureRows(fixture) })
}

// FixtureOf returns a fixture and its markets in a snapshot; false if the snapshot lacks it. The
// file of fixtures, which is small, is checked against its hash. The markets are checked against
// the fixture's content digest, which saves reading the rest of their file.
func FixtureOf(f durable.ReadFS, c Commit, m Manifest, id string) (fixture table.FixtureRow, markets []table.MarketRow, found bool, err error) {
	if err = Verify(f, c.Dir(), m.Only(layout.FixturesFile)); err != nil {
		return fixture, nil, false, err
	}
	for row, err := range FixtureRows[table.FixtureRow](f, c.Dir()+"/"+layout.FixturesFile, id) {
		if err != nil {
			return fixture, nil, false, err
		}
		fixture, found = *row, true
	}
	if !found {
		return fixture, nil, false, nil
	}
	for row, err := range FixtureRows[table.MarketRow](f, c.Dir()+"/"+layout.MarketsFile, id) {
		if err != nil {
			return fixture, nil, false, err
		}
		markets = append(markets, *row)
	}
	if content.Digest(fixture, markets) != fixture.ContentDigest {
		// The digest may be of an older format. Then the file's hash decides.
		err = Verify(f, c.Dir(), m.Only(layout.MarketsFile))
	}
	return fixture, markets, true, err
}

// FixtureWith returns the id of the fixture with a market or a selection, by the form of the id;
// "" if the snapshot has none. It only reads the column of these ids. It does not check a fixture
// it finds: [FixtureOf] does. If it finds nothing, it has checked the file's hash.
func FixtureWith(f durable.ReadFS, c Commit, m Manifest, id string) (fixture string, err error) {
	column := []string{"market_id"}
	if strings.HasPrefix(id, "sl_") {
		column = []string{"selections", "list", "element", "selection_id"}
	}
	name := c.Dir() + "/" + layout.MarketsFile
	file, err := f.Open(name)
	if err != nil {
		return "", Fault(name, err)
	}
	defer file.Close()
	rows, err := table.NewReader[table.MarketRow](file, file.Size())
	if err != nil {
		return "", fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	}
	defer rows.Close()
	at, err := rows.FindRow(id, column...)
	if err == nil && at < 0 {
		return "", Verify(f, c.Dir(), m.Only(layout.MarketsFile))
	}
	one := make([]table.MarketRow, 1)
	if err == nil {
		err = rows.SeekRow(at)
	}
	if err == nil {
		if _, err = rows.Read(one); err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	}
	return one[0].FixtureID, nil
}
