package serve

import (
	"testing"
	"time"

	"mkt/serve/internal/api"
)

func BenchmarkCount(b *testing.B) {
	m := newMetrics(&server{})
	answers := []*answer{
		{route: "/fixtures", status: 200, traffic: new(traffic), took: time.Millisecond},
		{route: "/fixtures/{id}/markets", status: 304, traffic: new(traffic), took: time.Millisecond},
		{route: "/account", status: 429, code: api.RateLimited, traffic: new(traffic), took: time.Millisecond},
		{status: 404, code: api.NotFound, took: time.Millisecond},
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		m.count(answers[n%len(answers)])
		n++
	}
}
