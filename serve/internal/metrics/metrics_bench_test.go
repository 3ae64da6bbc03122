package metrics

import (
	"testing"
	"time"

	"mkt/serve/internal/api"
	"mkt/serve/internal/response"
)

func BenchmarkCount(b *testing.B) {
	m := New([]string{"/fixtures", "/fixtures/{id}/markets", "/account"})
	answers := []*response.Writer{
		{Route: "/fixtures", Status: 200, Took: time.Millisecond},
		{Route: "/fixtures/{id}/markets", Status: 304, Took: time.Millisecond},
		{Route: "/account", Status: 429, Code: api.RateLimited, Took: time.Millisecond},
		{Status: 404, Code: api.NotFound, Took: time.Millisecond},
	}
	of := []*Traffic{new(Traffic), new(Traffic), new(Traffic), nil}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		m.Count(answers[n%len(answers)], of[n%len(of)])
		n++
	}
}
