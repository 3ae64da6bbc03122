// Package mappingtest checks the rules that the mapping table of every provider must keep.
package mappingtest

import (
	"encoding/csv"
	"maps"
	"os"
	"slices"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/publish/football"
)

// definition is the part that several lines of a table can share.
type definition struct{ market, period, subject, parameter string }

// CheckLines checks every line: it claims a market and a period of the vocabulary, or says
// why it stays RAW. Lines for the same market must have different ranks, and
// one of them the first. Markets in anyRank need not have a first rank.
func CheckLines(t *testing.T, table *mapping.Table, anyRank ...string) {
	ranks := make(map[definition]map[int]string)
	for match, e := range lines(table) {
		r := e.Reading
		if (r == nil) != (e.Reason != "") {
			t.Errorf("%s: %+v, want a market or a reason", match, e)
		}
		if r == nil {
			continue
		}
		term, ok := football.Lookup(r.Market)
		if !ok {
			t.Errorf("%s: no market %s", match, r.Market)
			continue
		}
		for _, d := range definitions(r) {
			if d.market == r.Market && !term.AllowsPeriod(d.period) {
				t.Errorf("%s: %s has no period %q", match, r.Market, d.period)
			}
			if ranks[d] == nil {
				ranks[d] = make(map[int]string)
			}
			if other := ranks[d][r.Rank]; other != "" && d.market == r.Market {
				t.Errorf("%v: rank %d is that of %s and of %s", d, r.Rank, match, other)
			}
			ranks[d][r.Rank] = match
		}
	}
	for d, byRank := range ranks {
		if byRank[1] == "" && !slices.Contains(anyRank, d.market) {
			t.Errorf("%v: no line has rank 1: %v", d, byRank)
		}
	}
}

// lines returns the lines of a table that stand for markets of their own: those by key, and
// those by row without a common key.
func lines(table *mapping.Table) map[string]*mapping.Entry {
	all := maps.Clone(table.ByKey)
	for name, e := range table.ByRow {
		if table.ByKey[e.Key] == nil {
			all["row "+name] = e
		}
	}
	return all
}

// definitions returns the definitions that the rows of a market can have: of both sides, of
// both halves, and of the first and the last goalscorer.
func definitions(r *input.Reading) (all []definition) {
	markets, periods, subjects := []string{r.Market}, []string{r.Period}, []string{r.Subject}
	if r.Condition == input.NeedsScorers {
		markets = append(markets, "GOALSCORER_FIRST", "GOALSCORER_LAST")
	}
	if r.Period == "" {
		periods = []string{"1H", "2H"}
	}
	if r.Subject == "TEAM" {
		subjects = []string{"HOME", "AWAY"}
	}
	for _, market := range markets {
		for _, period := range periods {
			for _, subject := range subjects {
				all = append(all, definition{market, period, subject, r.Parameter})
			}
		}
	}
	return all
}

// CheckVocabulary holds lines of a table against the list from which they come, a CSV file with
// the match of a line, the market's name or id, its market, period and subject, and RAW if it has
// none. Those in better are known better by now. also checks more of each line.
func CheckVocabulary(t *testing.T, file string, lines map[string]*mapping.Entry, better map[string]bool, also func(listed []string, e *mapping.Entry) bool) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list[1:] {
		e, isRaw := lines[l[0]], l[5] == "RAW"
		switch {
		case e == nil || !also(l, e):
			t.Errorf("%s %s: %+v", l[0], l[1], e)
		case better[l[0]]:
		case isRaw != (e.Reading == nil), !isRaw && (e.Reading.Market != l[2] || e.Reading.Period != l[3] || e.Reading.Subject != l[4]):
			t.Errorf("%s %s is %+v, want %v", l[0], l[1], e.Reading, l)
		}
	}
}
