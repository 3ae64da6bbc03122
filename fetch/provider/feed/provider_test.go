package feed_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/feed"
	"mkt/fetch/provider/feed/emulator"
	"mkt/fetch/simulator/meant"
	"mkt/internal/testing/feedtest"
	"mkt/internal/testing/providertest"
)

// example returns the example of an answer in the schema, from the simulated source.
func example(t testing.TB, answer string) []byte {
	t.Helper()
	schema := feedtest.Open(t, "../../../docs/feed.schema.json")
	examples := schema.Root["$defs"].(map[string]any)[answer].(map[string]any)["examples"].([]any)
	body, err := json.Marshal(examples[0])
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Replace(body, []byte(`"acme-odds"`), []byte(`"`+feed.Simulated+`"`), 1)
}

// TestProvider runs the suite over the examples of the contract, and over the reference
// server.
func TestProvider(t *testing.T) {
	providertest.Run(t, providertest.Suite{
		Provider: feed.Provider(feed.Simulated),
		Samples: map[string]providertest.Sample{
			"fixtures": {Endpoint: "fixtures", Body: example(t, "fixtures")},
			"markets":  {Endpoint: "markets", Body: example(t, "markets")},
		},
		Invalid: []string{`{"source":"simulated"}`, `{"source":"simulated","fixtures":{}}`, `{"source":"simulated","fixtures":[`, `[]`,
			`{"source":"simulated","source":"simulated","fixtures":[],"missing":[],"missing":[]}`, `{"error":"Unauthorized"}`},
		Price:    []string{"decimal", "fractional"},
		Emulator: emulator.New,
		Means:    func(m meant.Market, o input.Offer) bool { return slices.Contains(o.ProviderIDs, m.ID) },
	})
}

// TestLiveExample: the example of matches in play is accepted, and read without damage.
func TestLiveExample(t *testing.T) {
	body, p := example(t, "live"), feed.Provider(feed.Simulated)
	sheet, err := p.Live.ReadDetail(provider.Payload{Number: 1, Endpoint: "live", Body: body})
	if err != nil || len(sheet.Samples) != 1 || len(sheet.Damaged)+len(sheet.Broken)+len(sheet.Unknown) > 0 {
		t.Fatalf("%v, %+v", err, sheet)
	}
}
