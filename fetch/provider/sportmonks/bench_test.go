package sportmonks_test

import (
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/internal/testing/providertest"
)

func BenchmarkReadMarkets(b *testing.B) {
	for _, c := range []struct {
		name string
		body func() []byte
	}{{"own", func() []byte { return own(b, "multi") }}, {"recorded", func() []byte { return withOdds(b) }}} {
		b.Run(c.name, func(b *testing.B) {
			providertest.BenchmarkReadMarkets(b, adapter, provider.Payload{Endpoint: "fixtures/multi", Body: c.body()})
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
