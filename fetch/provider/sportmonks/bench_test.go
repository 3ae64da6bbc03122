package sportmonks_test

import (
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
)

func BenchmarkReadMarkets(b *testing.B) {
	for _, c := range []struct {
		name string
		body func() []byte
	}{{"own", func() []byte { return own(b, "multi") }}, {"recorded", func() []byte { return withOdds(b) }}} {
		b.Run(c.name, func(b *testing.B) {
			body, rows := c.body(), 0
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				s, err := adapter.ReadMarkets(provider.Payload{Endpoint: "fixtures/multi", Body: body}, provider.Listing{})
				if err != nil {
					b.Fatal(err)
				}
				rows = s.Met.Rows
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func BenchmarkClassify(b *testing.B) {
	body := own(b, "multi")
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		sportmonks.Classify(200, nil, body)
	}
}
