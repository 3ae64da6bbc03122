package simulation

import (
	"fmt"
	"strings"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// inPlay is a fixture in play of a publication.
type inPlay struct {
	fixture, score string
	runs           bool      // its clock does
	stale          time.Time // when its data is too old; zero: never
}

func (f *inPlay) isStale(now time.Time) bool { return !f.stale.IsZero() && now.After(f.stale) }

// staleness returns how stale the feed of a publication is: 1 if the data of every fixture with a running clock is
// too old, 2 if that of every fixture is.
func staleness(fixtures []inPlay, now time.Time) int {
	running, isFresh := 0, false
	for _, f := range fixtures {
		switch {
		case f.runs && !f.isStale(now):
			return 0
		case f.runs:
			running++
		default:
			isFresh = isFresh || !f.isStale(now)
		}
	}
	switch {
	case len(fixtures) == 0 || running == 0 && isFresh:
		return 0
	case isFresh:
		return 1
	}
	return 2
}

// rowsInPlay returns the fixtures in play of a publication, and notes that its account has them.
func (o *owners) rowsInPlay(root durable.ReadFS, j job, c snapshot.Commit) []inPlay {
	list := []inPlay{}
	for row, err := range snapshot.Rows[table.LiveRow](root, c.Dir()+"/"+layout.LiveFile) {
		if err != nil {
			j.w.fail(nothingTorn, "%s version %d: %v", j, c.Version, err)
			return nil
		}
		f := inPlay{fixture: strings.Clone(row.FixtureID), runs: row.ClockRunning != nil && *row.ClockRunning, score: scoreText(row.ScoreHome, row.ScoreAway)}
		o.own(j.id, f.fixture)
		if row.StaleAt != nil {
			f.stale = *row.StaleAt
		}
		if row.InPlay {
			list = append(list, f)
		}
	}
	return list
}

func scoreText(home, away *int32) string {
	side := func(n *int32) string {
		if n == nil {
			return "null"
		}
		return fmt.Sprint(*n)
	}
	return side(home) + "-" + side(away)
}
