package theoddsapi_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/fetch/provider/providertest"
	"mkt/fetch/provider/theoddsapi"
)

// TestProvider runs the suite over the goldens' payloads.
func TestProvider(t *testing.T) {
	samples := make(map[string]providertest.Sample)
	goldens(t, func(file string, a *txtar.Archive) {
		name := filepath.Base(file)
		for _, f := range a.Files {
			// What a shape should not be is no sample, and a price that is taken away would
			// be another market's.
			if p := payload(f); p.Endpoint != "" && name != "damaged.txtar" && name != "american.txtar" {
				samples[name+"/"+f.Name] = providertest.Sample{Endpoint: p.Endpoint, Body: f.Data}
			}
		}
	})
	providertest.Run(t, providertest.Suite{Provider: theoddsapi.Provider(), Samples: samples, Price: []string{"price"}})
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
