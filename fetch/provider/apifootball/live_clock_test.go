package apifootball_test

import (
	"fmt"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/internal/testing/providertest"
)

// TestClock reads the scoreboard of every part of a match, which has no seconds.
func TestClock(t *testing.T) {
	for _, c := range []struct {
		name, short, elapsed, extra, want string
		status                            input.PlayStatus
	}{
		{"not begun", "NS", "null", "null", "half absent, null, running absent", input.NotStarted},
		{"first half", "1H", "12", "null", "half 1, 12, running true", input.InPlay},
		{"stoppage time", "1H", "45", "3", "half 1, 48, running true", input.InPlay},
		{"half-time", "HT", "45", "3", "half 2, 45, running false", input.InPlay},
		{"second half", "2H", "90", "7", "half 2, 97, running true", input.InPlay},
		{"before extra time", "BT", "90", "null", "half 3, 90, running false", input.InPlay},
		{"extra time", "ET", "105", "1", "half 3, 106, running true", input.InPlay},
		{"break in extra time", "BT", "105", "null", "half 4, 105, running false", input.InPlay},
		{"second half of extra time", "ET", "106", "null", "half 4, 106, running true", input.InPlay},
		{"before a shoot-out", "BT", "120", "null", "half 5, 120, running false, shoot-out", input.InPlay},
		{"shoot-out", "P", "120", "4", "half 5, 120, running false, shoot-out", input.InPlay},
		{"shoot-out without extra time", "P", "90", "null", "half 5, 90, running false, shoot-out", input.InPlay},
		{"shoot-out without a minute", "P", "null", "null", "half absent, null, running absent, shoot-out", input.InPlay},
		{"suspended", "SUSP", "60", "null", "half absent, 60, running false", input.Halted},
		{"interrupted", "INT", "45", "2", "half absent, 47, running false", input.Halted},
		{"abandoned", "ABD", "60", "null", "half absent, 60, running absent", input.Off},
		{"postponed", "PST", "null", "null", "half absent, null, running absent", input.Off},
		{"in play", "LIVE", "70", "null", "half absent, 70, running absent", input.InPlay},
	} {
		body := fmt.Sprintf(`{"get":"fixtures","parameters":[],"errors":[],"results":1,"paging":{"current":1,"total":1},"response":[{"fixture":{"id":1,"status":{"short":%q,"elapsed":%s,"extra":%s}},"goals":{"home":2,"away":1}}]}`,
			c.short, c.elapsed, c.extra)
		s, err := live.ReadList([]provider.Payload{{Body: []byte(body)}})
		if err != nil || len(s.Samples) != 1 {
			t.Fatalf("%s: %+v, %v", c.name, s, err)
		}
		r := s.Samples[0].Clock
		got := fmt.Sprintf("half %s, %s, running %s", providertest.Said(r.Half), providertest.Said(r.Minute), providertest.Said(r.Running))
		if r.Shootout {
			got += ", shoot-out"
		}
		if got != c.want || s.Samples[0].Status != c.status {
			t.Errorf("%s: %s, status %v; want %s, %v", c.name, got, s.Samples[0].Status, c.want, c.status)
		}
	}
}
