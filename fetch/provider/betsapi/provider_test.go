package betsapi_test

import (
	"slices"
	"strings"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator/meant"
	"mkt/internal/testing/providertest"
)

// TestProvider runs the suite over the goldens' payloads.
func TestProvider(t *testing.T) {
	providertest.Run(t, providertest.Suite{
		Provider: betsapi.Provider(),
		// A file about a wrong shape is no sample.
		Samples: providertest.SamplesOf(t, goldens, payload, "states", "damaged", "listing_without_ids"),
		Invalid: []string{`{"success":1}`, `{"success":0,"error":"PARAM_INVALID"}`, `{"success":1,"results":{}}`, `{"results":[]}`, `{"success":1,"results":[`,
			`{"success":1,"results":[],"results":[]}`, `{"success":1,"success":1,"results":[]}`, `{"success":true,"results":[]}`, `[]`},
		Price:    []string{"odds"},
		Packed:   packed,
		Emulator: emulator.New,
		Means: func(m meant.Market, o input.Offer) bool {
			split := m.Key == "specials" && slices.Contains(o.ProviderIDs, m.ID)
			return o.Key == m.Key || o.Key == m.Key+"#"+m.ID || split
		},
	})
}

// packed takes BS apart: "pt=N#o=9/2#…".
func packed(text string) (parts []string) {
	for _, pair := range strings.Split(text, "#") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			parts = append(parts, key, value)
		}
	}
	if home, away, ok := strings.Cut(text, " v "); ok {
		parts = append(parts, home, away)
	}
	return parts
}
