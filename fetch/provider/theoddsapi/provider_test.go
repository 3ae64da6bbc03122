package theoddsapi_test

import (
	"slices"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/theoddsapi"
	"mkt/fetch/provider/theoddsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/meant"
	"mkt/internal/testing/providertest"
)

// TestProvider runs the suite over the goldens' payloads.
func TestProvider(t *testing.T) {
	providertest.Run(t, providertest.Suite{
		Provider: theoddsapi.Provider(),
		// A file about a wrong shape is no sample, and a price taken away would be
		// another market's.
		Samples: providertest.SamplesOf(t, goldens, payload, "damaged", "american"),
		Invalid: []string{`{"message":"no","error_code":"INVALID_KEY"}`, `{"id":"a1","id":"a2","bookmakers":[]}`, `[] []`, `[{"id":"a1"}`, `"a1"`, `{"bookmakers":[]}`},
		Price:   []string{"price"},
		Emulator: func(o simulator.Options) (*simulator.Server, error) {
			o.Quota = 5_000_000 // a plan that buys every market
			return emulator.New(o)
		},
		Asked: func(p provider.Payload, m meant.Market) bool {
			return slices.Contains(strings.Split(p.Query.Get("markets"), ","), m.Key)
		},
		Means: func(m meant.Market, o input.Offer) bool { return o.Key == m.Key },
	})
}

func TestBookmakers(t *testing.T) {
	makers := theoddsapi.Provider().Bookmakers
	for _, name := range []string{makers.Default, "betfair_ex_eu", "sport888", "onexbet"} {
		if !makers.Valid(name) {
			t.Errorf("%q is refused", name)
		}
	}
	for _, name := range []string{"", "Pinnacle", "pinnacle,betsson", "pinnacle ", "888sport.com", "a/b", "é"} {
		if makers.Valid(name) {
			t.Errorf("%q is taken", name)
		}
	}
}
