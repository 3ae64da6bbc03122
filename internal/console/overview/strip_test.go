package overview

import (
	"strings"
	"testing"
	"time"

	"mkt/internal/schedule/cyclestate"
)

// A bar is full, and bad, from where a cycle is overdue; an hour without anything has none.
func TestStrips(t *testing.T) {
	l := &productLine{Cycles: "/cycles/acme/market_engine"}
	var day cyclestate.Day
	if dayStrip(l, &day, time.Hour).Words != "" || quotaStrip(l, &day).Words != "" {
		t.Error("a day of which nothing is known is drawn")
	}
	left, none, limit := int64(25), int64(0), int64(100)
	day[1] = cyclestate.Hour{Published: 1, Wait: time.Hour, Left: &left, Limit: &limit}
	day[2] = cyclestate.Hour{Failed: 2, Wait: 5 * time.Hour, Left: &none, Limit: &limit}
	s := dayStrip(l, &day, time.Hour)
	if s.Good != "M4 16v-8h3V16z" || s.Bad != "M8 16v-16h3V16z" || !strings.HasPrefix(s.Failed, "M8 0") {
		t.Errorf("%+v", s)
	}
	if s.Words != "1 cycle, 2 steps failed, at most 5 h without new data" || s.Link != "/cycles/acme/market_engine" {
		t.Errorf("%+v", s)
	}
	if q := quotaStrip(l, &day); q.Good != "M4 16v-4h3V16z" || q.Bad != "M8 16v-16h3V16z" || q.Words != "at least 0 left of the quota" {
		t.Errorf("%+v", q)
	}
}
