package coverage

import (
	"maps"
	"slices"

	"mkt/publish/football"
)

// Change is a result whose markets are others now.
type Change struct {
	Result
	Before Counts `json:"before"`
	Now    Counts `json:"now"`
}

// Comparison is a comparison of two reports of a provider. Its pairs are of before and now.
type Comparison struct {
	Markets     [2]int   `json:"markets"`
	Mapped      [2]int   `json:"mapped"`
	Publishable [2]int   `json:"publishable"`
	Changed     []Change `json:"changed"`
}

// Compare compares a report with an earlier one by their outcomes.
func Compare(before, now *Summary) Comparison {
	c := Comparison{Changed: []Change{}}
	results := map[Result]*[2]Counts{}
	for i, outcomes := range [][]Outcome{before.Outcomes, now.Outcomes} {
		for _, o := range outcomes {
			if results[o.Result] == nil {
				none := Counts{Reasons: map[football.Reason]int{}}
				results[o.Result] = &[2]Counts{none, none}
			}
			results[o.Result][i] = o.Counts
			c.Markets[i] += o.Markets
			c.Publishable[i] += o.Publishable
			if o.Reason == "" {
				c.Mapped[i] += o.Markets
			}
		}
	}
	for _, r := range slices.SortedFunc(maps.Keys(results), Result.Compare) {
		if n := results[r]; !n[0].Equal(n[1]) {
			c.Changed = append(c.Changed, Change{r, n[0], n[1]})
		}
	}
	return c
}
