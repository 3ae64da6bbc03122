package providertest

import (
	"testing"

	"mkt/fetch/provider"
)

// CheckRecorded reads a recorded answer for every bookmaker whose prices it has. It fails unless
// there are so many bookmakers and rows, every price stands at its place in the answer, no field is
// unknown, and nothing is damaged but that a fixture lacks the prices of a bookmaker.
func CheckRecorded(t *testing.T, p provider.Provider, body []byte, bookmakers, rows int) {
	t.Helper()
	r := p.Recorded(body)
	found, tree := 0, NewTree(r.Body)
	for _, bookmaker := range r.Bookmakers {
		trace := new(provider.Trace)
		s, err := p.Markets.ReadMarkets(provider.Payload{Number: 1, Endpoint: r.Endpoint, Query: p.Bookmakers.Query(bookmaker), Body: r.Body, Trace: trace}, provider.Listing{})
		if err != nil || len(s.Fixtures) == 0 || sum(s.Damaged) != len(s.Broken) || len(s.Unknown) > 0 {
			t.Fatalf("bookmaker %s: %v, %d fixtures, broken %v, damaged %v, unknown %v", bookmaker, err, len(s.Fixtures), s.Broken, s.Damaged, s.Unknown)
		}
		CheckSheet(t, s)
		found += checkPlaces(t, s, tree, trace)
	}
	if len(r.Bookmakers) != bookmakers || found != rows {
		t.Errorf("%d rows of %d bookmakers, want %d of %d", found, len(r.Bookmakers), rows, bookmakers)
	}
}

func sum(counts map[string]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}
