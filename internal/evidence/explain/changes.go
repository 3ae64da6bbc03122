package explain

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mkt/publish/snapshot"
	"mkt/publish/steps"
)

// mostChanges bounds [Report.Changes].
const mostChanges = 5

// Change is a change of a selection: of its price, its line or its publishability, or that it came or
// went away.
type Change struct {
	Version     uint64    `json:"version"` // the publication that brought it
	CycleID     string    `json:"cycle_id"`
	PublishedAt time.Time `json:"published_at"`
	// BeforeRecords: no change, but the state in the last publication before steps were recorded.
	BeforeRecords bool       `json:"before_records,omitempty"`
	Present       bool       `json:"present"` // false: it went away, and the rest is not there
	FetchedAt     *time.Time `json:"provider_fetched_at,omitempty"`
	Decimal       *string    `json:"odds_decimal,omitempty"`
	Fractional    *string    `json:"odds_fractional,omitempty"`
	Line          *string    `json:"line,omitempty"`
	Publishable   *bool      `json:"publishable,omitempty"`
	Reasons       []string   `json:"reasons,omitempty"`
	Absent        []string   `json:"absent,omitempty"`
}

// changes adds the last changes of the selection, from the steps up to the publication.
func (m *marketTrace) changes(ctx context.Context) error {
	if len(m.manifest.Steps) == 0 {
		m.report.note("when the price became what it is was not recorded: the publication has no steps of prices, and snapshots alone show only the time between two of them")
		return nil
	}
	last, err := steps.Last(ctx, m.Root, &m.manifest, m.found.fixture.FixtureID, m.found.market.MarketID, m.found.selection.SelectionID, m.commit.PublishedAt, mostChanges)
	if snapshot.IsDamage(err) {
		m.report.note("the last changes of the price are not known: " + err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	if len(last) == 0 {
		m.report.note(fmt.Sprintf("when the price became what it is was not recorded, or is longer ago than the steps of prices that are kept, the oldest of %s",
			m.manifest.Steps[0].Begins().UTC().Format(time.RFC3339)))
	}
	for _, x := range slices.Backward(last) {
		m.report.Changes = append(m.report.Changes, changeOf(x))
	}
	return nil
}

func changeOf(x *steps.Point) Change {
	c := Change{Version: x.Version, CycleID: string(x.Cycle), PublishedAt: x.PublishedAt.UTC(), BeforeRecords: x.Before, Present: x.Present}
	if x.Present {
		c.FetchedAt, c.Decimal, c.Fractional, c.Line, c.Publishable, c.Reasons, c.Absent = &x.FetchedAt, x.OddsDecimalText, x.OddsFractional, x.Line, &x.Publishable, x.Reasons, x.Absent
	}
	return c
}
