package betsapi_test

import (
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/simulator"
)

// simulatedAnswer is an answer for ten fixtures as the simulator gives it.
func simulatedAnswer(b *testing.B) []byte {
	sim := simulated(b, simulator.Options{Seed: 1})
	var ids []string
	for _, f := range sim.Listed(sim.Tokens()[0]) {
		if f.Human && !f.Over && len(ids) < 10 {
			ids = append(ids, f.ID)
		}
	}
	w := ask(b, sim, "/v4/bet365/prematch?FI="+strings.Join(ids, ","))
	if v := betsapi.Classify(w.Code, w.Header(), w.Body.Bytes()); v.Kind != provider.Accepted {
		b.Fatalf("%+v", v)
	}
	return w.Body.Bytes()
}

func BenchmarkReadMarkets(b *testing.B) {
	bodies := map[string]func() []byte{
		"simulated": func() []byte { return simulatedAnswer(b) },
		"v3":        func() []byte { return recorded(b, "bet365-prematch/football_v3_2020-09_fulham_arsenal.json") },
		"raw":       func() []byte { return recorded(b, "bet365-prematch/football_raw_2018-06_russia_saudi.json") },
	}
	for _, name := range []string{"simulated", "v3", "raw"} {
		b.Run(name, func(b *testing.B) {
			body, rows := bodies[name](), 0
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				s, err := adapter.ReadMarkets(provider.Payload{Body: body}, provider.Listing{})
				if err != nil {
					b.Fatal(err)
				}
				rows = 0
				for _, f := range s.Fixtures {
					for _, o := range f.Offers {
						rows += len(o.Rows)
					}
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func BenchmarkClassify(b *testing.B) {
	body := simulatedAnswer(b)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		betsapi.Classify(200, nil, body)
	}
}
