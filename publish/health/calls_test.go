package health_test

import (
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/health"
)

func TestCallsAddUpByDay(t *testing.T) {
	f := durabletest.NewMem()
	day := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)
	add := func(at time.Time, requests map[string]int64) {
		t.Helper()
		must(t, health.AddCalls(f, at, requests))
	}
	add(day, map[string]int64{"upcoming": 2, "prematch": 30})
	add(day.Add(30*time.Minute), map[string]int64{"prematch": 5})
	add(day.Add(2*time.Hour), map[string]int64{"prematch": 1})
	add(day.Add(3*time.Hour), nil)
	c, err := health.ReadCalls(f)
	if err != nil || c.Days["2026-11-20"]["prematch"] != 35 || c.Days["2026-11-20"]["upcoming"] != 2 || c.Days["2026-11-21"]["prematch"] != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	add(day.AddDate(0, 0, 35), map[string]int64{"prematch": 1})
	if c, _ := health.ReadCalls(f); len(c.Days) != 2 || c.Days["2026-11-20"] != nil {
		t.Errorf("after 35 days: %+v", c.Days)
	}
}

func TestCallsOfADamagedFileBeginAnew(t *testing.T) {
	f := durabletest.NewMem()
	must(t, f.MkdirAll("state"))
	must(t, durable.Create(f, "state/calls.json", durable.Bytes([]byte("{"))))
	if c, err := health.ReadCalls(f); err != nil || len(c.Days) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if err := health.AddCalls(f, time.Unix(0, 0), map[string]int64{"a": 1}); err != nil {
		t.Error(err)
	}
}
