package live

import (
	"strings"
	"testing"
	"time"

	"mkt/internal/console/inplay"
	"mkt/publish/table"
)

func of[T any](v T) *T { return &v }

// Matches in play are apart from the others, sorted so that they stay where they are, and a stale
// one has no momentum.
func TestLiveLines(t *testing.T) {
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	row := func(league, home string, inPlay bool, staleIn time.Duration) table.LiveRow {
		return table.LiveRow{FixtureID: home, League: of(league), Home: of(home), InPlay: inPlay, FreshAt: now, StaleAt: of(now.Add(staleIn)),
			MomentumHome: of(int32(60)), MomentumAway: of(int32(40))}
	}
	b := liveBody{}
	unknown := table.LiveRow{FixtureID: "unknown", InPlay: true}
	b.read(&inplay.Snapshot{Rows: []table.LiveRow{unknown, row("B", "c", true, time.Minute), row("A", "d", true, -time.Second), row("A", "b", true, time.Minute), row("A", "a", false, -time.Hour)}}, now, nil)
	var got []string
	for _, l := range b.InPlay {
		text := l.FixtureID
		if l.Momentum {
			text += " momentum"
		}
		if l.Stale {
			text += " stale"
		}
		got = append(got, text)
	}
	if text := strings.Join(got, ", "); text != "b momentum, d stale, c momentum, unknown" {
		t.Error(text)
	}
	if len(b.Over) != 1 || b.Over[0].FixtureID != "a" || b.Over[0].Stale || b.Stale != 1 {
		t.Errorf("%+v, %d stale", b.Over, b.Stale)
	}
}
