package serve

import (
	"testing"
	"time"

	"mkt/serve/internal/api"
)

// BenchmarkCount measures the metrics of one answer.
func BenchmarkCount(b *testing.B) {
	m := newMetrics(&server{})
	answers := []*answer{
		{route: "/fixtures", status: 200, tenant: "acme", since: time.Now()},
		{route: "/fixtures/{id}/markets", status: 304, tenant: "other", since: time.Now()},
		{route: "/account", status: 429, code: api.RateLimited, tenant: "acme", since: time.Now()},
		{status: 404, code: api.NotFound, since: time.Now()},
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		m.count(answers[n%len(answers)])
		n++
	}
}
