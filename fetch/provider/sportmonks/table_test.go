package sportmonks

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/internal/answer"
	"mkt/fetch/mapping"
	"mkt/publish/football"
)

// TestTableLines: every line claims a market and a period of the vocabulary, or says
// why it stays RAW; its id is its key; and no two lines that can be of one market and
// one side have the same rank, of which there is a first.
func TestTableLines(t *testing.T) {
	type place struct {
		market, period, subject, parameter string
		rank                               int
	}
	taken, first := make(map[place]string), make(map[place]bool)
	check := func(match string, e *mapping.Entry) {
		if len(e.IDs) != 1 || !answer.IsDigits(e.IDs[0]) {
			t.Errorf("%s: ids %v", match, e.IDs)
		}
		r := e.Reading
		if r == nil {
			if e.Reason == "" {
				t.Errorf("%s: neither a market nor a reason", match)
			}
			return
		}
		term, ok := football.Lookup(r.Market)
		periods := []string{r.Period}
		if r.Condition == input.NeedsHalves {
			periods = []string{"1H", "2H"}
		}
		if !ok {
			t.Errorf("%s: no market %s", match, r.Market)
			return
		}
		subjects := []string{r.Subject}
		if r.Subject == "TEAM" {
			subjects = []string{"HOME", "AWAY"}
		}
		for _, period := range periods {
			if !term.AllowsPeriod(period) {
				t.Errorf("%s: %s has no period %q", match, r.Market, period)
			}
			for _, subject := range subjects {
				at := place{r.Market, period, subject, r.Parameter, r.Rank}
				if other := taken[at]; other != "" {
					t.Errorf("%s and %s are both of rank %d", match, other, r.Rank)
				}
				taken[at] = match
				at.rank = 0
				first[at] = first[at] || r.Rank == 1
				if r.Condition == input.NeedsScorers { // its rows are of two more markets
					for _, market := range []string{"GOALSCORER_FIRST", "GOALSCORER_LAST"} {
						at.market = market
						first[at] = first[at] || r.Rank == 1
					}
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(table().ByKey)) {
		e := table().ByKey[key]
		if e.Key != key || e.IDs[0] != key {
			t.Errorf("%s: key %s, ids %v", key, e.Key, e.IDs)
		}
		check(key, e)
	}
	for _, name := range slices.Sorted(maps.Keys(table().ByRow)) {
		if e := table().ByRow[name]; table().ByKey[e.Key] != nil {
			t.Errorf("row %s has the key of a market", name)
		} else {
			check(name, e)
		}
	}
	for at, has := range first {
		if !has {
			t.Errorf("%s has no first rank", fmt.Sprint(at))
		}
	}
}
