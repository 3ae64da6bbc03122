package transform_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// TestMixedTotals: a bet that says Exactly in one value, and has two-way prices, is the
// two-way total that it is without that value, with the same id.
func TestMixedTotals(t *testing.T) {
	const pairs = `{"value":"Over 4","odd":"1.67"},{"value":"Under 4","odd":"2.08"},{"value":"Over 4.5","odd":"2.03"},{"value":"Under 4.5","odd":"1.70"}`
	read := func(values string) string {
		t.Helper()
		text, _ := bet(t, `{"id":77,"name":"Total Corners (1st Half)","values":[`+values+`]}`)
		return text
	}
	plain := read(pairs)
	if n := strings.Count(plain, "\n"); n != 5 || !strings.HasPrefix(plain, "MAPPED TOTAL_CORNERS 1H ") {
		t.Fatalf("without Exactly:\n%s", plain)
	}
	for _, values := range []string{`{"value":"Exactly 4","odd":"4.90"},` + pairs, pairs + `,{"value":"Exactly 4","odd":"4.90"}`} {
		if got := read(values); got != plain {
			t.Errorf("got\n%swant\n%s", got, plain)
		}
	}
	three := read(`{"value":"Exactly 4","odd":"5.00"},{"value":"Over 4","odd":"2.30"},{"value":"Under 4","odd":"2.25"}`)
	if lines := strings.Split(three, "\n"); len(lines) != 5 || !strings.HasPrefix(three, "MAPPED TOTAL_CORNERS_3WAY 1H ") || !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "EXACTLY 4 5.00") }) {
		t.Errorf("three-way:\n%s", three)
	}
}

// bet reads one bet, and returns its publishable rows and the unknown fields.
func bet(t *testing.T, bet string) (text string, unknown map[string]int) {
	t.Helper()
	body := `{"get":"odds","parameters":{"bookmaker":"2"},"errors":[],"results":1,"paging":{"current":1,"total":1},"response":[
		{"league":{"id":1},"fixture":{"id":7},"update":"2026-03-04T05:00:00+00:00","bookmakers":[{"id":2,"name":"Marathonbet","bets":[` + bet + `]}]}]}`
	p := provider.Payload{Number: 1, Endpoint: "odds", Query: url.Values{"bookmaker": {"2"}}, Body: []byte(body)}
	sheet, err := apifootball.Provider().Markets.ReadMarkets(p, provider.Listing{})
	must(t, err)
	var b strings.Builder
	f := &sheet.Fixtures[0]
	for _, m := range markets.New(identity.NewMinter(identity.Key{1}, apifootball.Name)).Derive(&f.Fixture, f.Offers) {
		fmt.Fprintln(&b, m.Origin, m.Canonical, m.Period, m.ID, m.Lines)
		for i := range m.Selections {
			if s := &m.Selections[i]; s.Quality.Publishable {
				fmt.Fprintln(&b, s.Selection, s.Line, s.Odds.Decimal().Or(""), s.ID)
			}
		}
	}
	return b.String(), sheet.Unknown
}

// TestUnknownMembers: a member that is not known is counted, and the row is what its known ones say, with the same id.
// Where it alone tells two prices apart, neither is published.
func TestUnknownMembers(t *testing.T) {
	total := func(values string) (string, map[string]int) {
		return bet(t, `{"id":5,"name":"Goals Over/Under","values":[`+values+`]}`)
	}
	plain, _ := total(`{"value":"Over 2.5","odd":"1.90"},{"value":"Under 2.5","odd":"1.95"}`)
	got, unknown := total(`{"main":"yes","value":"Over 2.5","odd":"1.90"},{"value":"Under 2.5","odd":"1.95","note":{"a":1}}`)
	if got != plain || strings.Count(plain, "\n") != 3 || unknown["value.main"] != 1 || unknown["value.note"] != 1 {
		t.Errorf("%v, got\n%swant\n%s", unknown, got, plain)
	}
	if got, _ := total(`{"value":"Over","handicap":"2.5","odd":"1.90"},{"value":"Under 2.5","odd":"1.95"}`); strings.Contains(got, "OVER") {
		t.Errorf("a line in a member that is not known:\n%s", got)
	}
	if got, _ := total(`{"value":"Over 2.5","of":"a","odd":"1.90"},{"value":"Over 2.5","of":"b","odd":"2.90"},{"value":"Under 2.5","odd":"1.95"}`); strings.Contains(got, "OVER") {
		t.Errorf("two prices of one meaning:\n%s", got)
	}
}
