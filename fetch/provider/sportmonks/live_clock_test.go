package sportmonks_test

import (
	"fmt"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/internal/testing/providertest"
)

// TestClock reads the scoreboard of every part of a match. A break says where the clock
// stands; a shoot-out may follow normal time directly.
func TestClock(t *testing.T) {
	const (
		first  = `{"type_id":1,"sort_order":1,"counts_from":0,"ticking":%v,"minutes":%d,"seconds":%d,"time_added":%s}`
		second = `{"type_id":2,"sort_order":2,"counts_from":45,"ticking":%v,"minutes":%d,"seconds":%d,"time_added":%s}`
		extra  = `{"type_id":3,"sort_order":3,"counts_from":90,"ticking":%v,"minutes":%d,"seconds":%d,"time_added":%s}`
		kicks  = `{"type_id":5,"sort_order":5,"counts_from":120,"ticking":true,"minutes":null,"seconds":0,"time_added":null}`
	)
	periods := func(rows ...string) string { return "[" + strings.Join(rows, ",") + "]" }
	over1 := fmt.Sprintf(first, false, 47, 12, "2")
	over2 := fmt.Sprintf(second, false, 95, 3, "4")
	for _, c := range []struct {
		name, state, periods, want string
		status                     input.PlayStatus
	}{
		{"not begun", "1", "[]", "half absent, absent:absent, added absent, running absent", input.NotStarted},
		{"first half", "2", periods(fmt.Sprintf(first, true, 12, 34, "null")), "half 1, 12:34, added null, running true", input.InPlay},
		{"stoppage time", "2", periods(fmt.Sprintf(first, true, 46, 2, "3")), "half 1, 46:2, added 3, running true", input.InPlay},
		{"half-time", "3", periods(over1), "half 1, 45:0, added absent, running false", input.InPlay},
		{"second half", "22", periods(over1, fmt.Sprintf(second, true, 45, 0, "null")), "half 2, 45:0, added null, running true", input.InPlay},
		{"before extra time", "4", periods(over1, over2), "half 3, 90:0, added absent, running false", input.InPlay},
		{"extra time", "6", periods(over1, over2, fmt.Sprintf(extra, true, 106, 9, "1")), "half 3, 106:9, added 1, running true", input.InPlay},
		{"break in extra time", "21", periods(over1, over2, fmt.Sprintf(extra, false, 106, 9, "1")), "half 3, 105:0, added absent, running false", input.InPlay},
		{"second half of extra time", "23", periods(over1, over2, fmt.Sprintf(extra, true, 105, 30, "1")), "half 4, 105:30, added 1, running true", input.InPlay},
		{"before a shoot-out", "25", periods(over1, over2, fmt.Sprintf(extra, false, 121, 0, "1")), "half 5, 120:0, added absent, running false, shoot-out", input.InPlay},
		{"shoot-out", "9", periods(kicks, over1, over2, fmt.Sprintf(extra, false, 121, 0, "1")), "half 5, 120:0, added absent, running false, shoot-out", input.InPlay},
		{"shoot-out without extra time", "9", periods(over1, over2, kicks), "half 5, 90:0, added absent, running false, shoot-out", input.InPlay},
		{"shoot-out, periods not sent", "9", "null", "half null, null:null, added null, running null, shoot-out", input.InPlay},
		{"suspended", "11", periods(fmt.Sprintf(first, false, 30, 1, "null")), "half 1, 30:1, added null, running false", input.Halted},
		{"interrupted", "18", periods(over1, fmt.Sprintf(second, true, 60, 1, "null")), "half 2, 60:1, added null, running true", input.Halted},
		{"abandoned", "15", periods(over1, fmt.Sprintf(second, false, 60, 1, "null")), "half 2, 60:1, added null, running false", input.Off},
		{"postponed", "10", "[]", "half absent, absent:absent, added absent, running absent", input.Off},
		{"over", "8", periods(over1, over2, kicks), "half 2, 95:3, added 4, running false", input.Over},
	} {
		body := `{"data":[{"id":1,"sport_id":1,"state_id":` + c.state + `,"periods":` + c.periods + `}]}`
		s, err := live.ReadList([]provider.Payload{{Body: []byte(body)}})
		if err != nil || len(s.Samples) != 1 || len(s.Damaged) > 0 {
			t.Fatalf("%s: %+v, %v", c.name, s, err)
		}
		r := s.Samples[0].Clock
		got := fmt.Sprintf("half %s, %s:%s, added %s, running %s", providertest.Said(r.Half), providertest.Said(r.Minute), providertest.Said(r.Second), providertest.Said(r.Added), providertest.Said(r.Running))
		if r.Shootout {
			got += ", shoot-out"
		}
		if got != c.want || s.Samples[0].Status != c.status {
			t.Errorf("%s: %s, status %v; want %s, %v", c.name, got, s.Samples[0].Status, c.want, c.status)
		}
	}
}
