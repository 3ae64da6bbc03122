package live

import (
	"testing"
	"time"

	"mkt/publish/table"
)

// A line has the published values, and no momentum if the match is stale.
func TestListed(t *testing.T) {
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	row := table.LiveRow{FixtureID: "fx_a", Home: of("Home"), Away: of("Away"), InPlay: true, FreshAt: now.Add(-3 * time.Second), StaleAt: of(now.Add(time.Minute)),
		ClockPeriod: of("1H"), ClockMinute: of(int32(46)), ClockSecond: of(int32(7)), ScoreHome: of(int32(0)), MomentumHome: of(int32(60)), MomentumAway: of(int32(40))}
	l := listedOf("acme", &row, now)
	if l.clock != "45+2'" || l.Stale || l.AgeMS != 3000 || *l.MomentumHome != 60 || *l.ScoreHome != 0 || l.ScoreAway != nil || l.Reason != nil {
		t.Errorf("%+v", l)
	}
	l = listedOf("acme", &row, now.Add(2*time.Minute))
	if !l.Stale || l.MomentumHome != nil || l.MomentumAway != nil || words(l.Reason) != "FEED_STALE" {
		t.Errorf("stale: %+v", l)
	}
	if l = listedOf("acme", &table.LiveRow{InPlay: true}, now); l.clock != "" || l.ScoreHome != nil || l.Stale {
		t.Errorf("a match about which nothing is known: %+v", l)
	}
}
