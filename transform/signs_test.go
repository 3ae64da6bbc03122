package transform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// TestSignsByPrices: an Asian handicap at API-Football has the home side's line on every
// value or each side's own, and the prices say which. If they do not, it stays RAW.
func TestSignsByPrices(t *testing.T) {
	for name, c := range map[string]struct{ values, want string }{
		"the home side's line": {"Home -1.5 3.60, Away -1.5 1.28, Home -0.5 1.95, Away -0.5 1.90, Home +0.5 1.27, Away +0.5 3.70",
			"AWAY+0.5@1.90 AWAY+1.5@1.28 AWAY-0.5@3.70 HOME+0.5@1.27 HOME-0.5@1.95 HOME-1.5@3.60"},
		"each side's own line": {"Home -1.5 3.60, Away +1.5 1.28, Home -0.5 1.95, Away +0.5 1.90, Home +0.5 1.27, Away -0.5 3.70",
			"AWAY+0.5@1.90 AWAY+1.5@1.28 AWAY-0.5@3.70 HOME+0.5@1.27 HOME-0.5@1.95 HOME-1.5@3.60"},
		"own lines of both signs, without the mirror": {"Home -0.5 1.95, Away +0.5 1.90", "AWAY+0.5@1.90 HOME-0.5@1.95"},
		"prices that fit neither":                     {"Home -0.5 5.00, Away -0.5 5.00, Home +0.5 5.00, Away +0.5 5.00", "RAW"},
		"prices that fit both":                        {"Home -0.5 1.90, Away -0.5 1.90, Home +0.5 1.90, Away +0.5 1.90", "RAW"},
	} {
		t.Run(name, func(t *testing.T) {
			var values []string
			for value := range strings.SplitSeq(c.values, ", ") {
				text, price := value[:len(value)-5], value[len(value)-4:]
				values = append(values, fmt.Sprintf(`{"value":%q,"odd":%q}`, text, price))
			}
			body := `{"get":"odds","parameters":[],"errors":[],"results":1,"paging":{"current":1,"total":1},"response":[{"fixture":{"id":1},"bookmakers":[{"id":8,"bets":[{"id":4,"name":"Asian Handicap","values":[` + strings.Join(values, ",") + `]}]}]}]}`
			sheet, err := apifootball.Provider().Markets.ReadMarkets(provider.Payload{Body: []byte(body)}, provider.Listing{})
			if err != nil || len(sheet.Fixtures) != 1 {
				t.Fatalf("%v, %+v", err, sheet)
			}
			m := markets.Derive(identity.NewMinter(identity.Key{1}, apifootball.Name), football.Fixture{ProviderFixtureID: "1"}, sheet.Fixtures[0].Offers)[0]
			got := []string{}
			for _, s := range m.Selections {
				if s.Quality.Publishable {
					got = append(got, s.Selection+s.Line+"@"+s.Odds.Decimal().Or(""))
				}
			}
			slices.Sort(got)
			if m.Origin == football.Raw {
				got = append(got, "RAW")
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%v, want %s", got, c.want)
			}
		})
	}
}
