package console

import (
	"context"
	"fmt"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/find"
	"mkt/publish/snapshot"
)

const (
	maxDeparted   = 20_000 // fixtures kept of a dataset
	showsDeparted = 50     // on a page
)

// goneRow is a departed fixture.
type goneRow struct {
	fixtureRow
	Version uint64
	Left    time.Time
}

// departedShown has the departed fixtures found by a search.
type departedShown struct {
	Rows    []goneRow
	More    int    // matches left out of Rows
	Reading string // how far the reading is; "" if it is done
}

// searchDeparted returns the fixtures that left the newest publications and are found by a query, none if
// it is "". They are read from the first search on and again after each publication: the lists of 200
// publications take a second or two.
func (c *Console) searchDeparted(ctx context.Context, of dataset.Dataset, list *fixtureList, query string, matches func(*fixtureRow) bool) (shown departedShown, err error) {
	if query == "" {
		return shown, nil
	}
	r := c.departed.Get(ctx, of, list.commit.SHA256, c.Now(), func(_ []goneRow, progress func(done, total int)) ([]goneRow, error) {
		return goneFrom(of, list.commit, progress)
	})
	if r.Err != nil {
		return shown, r.Err
	}
	if r.Running != nil {
		shown.Reading = "Older publications are being read"
		if r.Total > 0 {
			shown.Reading += fmt.Sprintf(", %d of %d so far", r.Done, r.Total)
		}
	}
	present := map[string]bool{} // the list may still be of an older publication, while it is read again
	for i := range list.rows {
		present[list.rows[i].FixtureID] = true
	}
	for _, row := range r.Value {
		switch {
		case present[row.FixtureID], !matches(&row.fixtureRow):
		case len(shown.Rows) == showsDeparted:
			shown.More++
		default:
			shown.Rows = append(shown.Rows, row)
		}
	}
	return shown, nil
}

// goneFrom reads the departed fixtures, the last ones first.
func goneFrom(of dataset.Dataset, head snapshot.Commit, progress func(done, total int)) (rows []goneRow, err error) {
	root, err := of.Open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for gone, err := range find.Departed(root, head, progress) {
		if err != nil {
			return nil, err
		}
		if rows = append(rows, goneRow{searched(gone.FixtureRow), gone.Version, gone.Left}); len(rows) == maxDeparted {
			break
		}
	}
	return rows, nil
}
