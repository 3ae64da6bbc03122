package theoddsapi_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/providertest"
	"mkt/fetch/provider/theoddsapi"
	"mkt/fetch/provider/theoddsapi/emulator"
	"mkt/fetch/simulator"
)

// TestProvider runs the suite over the goldens' payloads.
func TestProvider(t *testing.T) {
	samples := make(map[string]providertest.Sample)
	providertest.Goldens(t, goldens, func(name string, a *txtar.Archive) {
		for _, f := range a.Files {
			// What a shape should not be is no sample, and a price that is taken away would
			// be another market's.
			if p := payload(f); p.Endpoint != "" && name != "damaged" && name != "american" {
				samples[name+"/"+f.Name] = providertest.Sample{Endpoint: p.Endpoint, Body: f.Data}
			}
		}
	})
	providertest.Run(t, providertest.Suite{
		Provider: theoddsapi.Provider(),
		Samples:  samples,
		Price:    []string{"price"},
		Emulator: func(o simulator.Options) (*simulator.Server, error) {
			o.Quota = 5_000_000 // a plan that buys every market
			return emulator.New(o)
		},
		Asked: func(p provider.Payload, m simulator.MeantMarket) bool {
			return slices.Contains(strings.Split(p.Query.Get("markets"), ","), m.Key)
		},
		Means: func(m simulator.MeantMarket, o input.Offer) bool { return o.Key == m.Key },
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
