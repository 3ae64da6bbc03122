package health_test

import (
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/health"
)

// A state file sums up the runs of a day, hour by hour: how many succeeded, how many failed, the longest time
// without a good one, and the least that was left of the quota.
func TestHours(t *testing.T) {
	f := durabletest.NewMem()
	record := func(after time.Duration, ok bool, left int64) {
		limit := int64(100)
		must(t, health.Record(f, health.Run{Step: "fetch", FinishedAt: start.Add(after), OK: ok, Quota: &health.Quota{Left: &left, Limit: &limit}}))
	}
	record(10*time.Minute, true, 90)
	record(20*time.Minute, false, 80)
	record(50*time.Minute, true, 85)
	record(3*time.Hour, true, 70)
	record(3*time.Hour+time.Minute, true, 99)
	record(30*time.Minute, true, 1) // the clock was set back: it belongs to the hour that it says
	hours := func() []health.Hour {
		run, err := health.Read(f, "fetch")
		must(t, err)
		return run.Hours
	}
	got := hours()
	if len(got) != 2 || !got[0].At.Equal(start) || !got[1].At.Equal(start.Add(3*time.Hour)) {
		t.Fatalf("%+v", got)
	}
	if h := got[0]; h.OK != 3 || h.Failed != 1 || h.Wait != (40*time.Minute).Milliseconds() || *h.Left != 1 || *h.Limit != 100 {
		t.Errorf("the first hour: %+v", h)
	}
	if h := got[1]; h.OK != 2 || h.Failed != 0 || h.Wait != (130*time.Minute).Milliseconds() || *h.Left != 70 {
		t.Errorf("the hour after a break: %+v", h)
	}
	for i := range 60 {
		record(time.Duration(i)*time.Hour+4*time.Hour, true, 50)
	}
	if got := hours(); len(got) != health.HoursKept || !got[len(got)-1].At.Equal(start.Add(63*time.Hour)) {
		t.Errorf("%d hours, the last is %s", len(got), got[len(got)-1].At)
	}
}

// After the clock was hours ahead and was set back, the hours that it counted are not kept: otherwise none
// would be added until it is as late again.
func TestHoursOfAClockAhead(t *testing.T) {
	f := durabletest.NewMem()
	record := func(after time.Duration) {
		must(t, health.Record(f, health.Run{Step: "fetch", FinishedAt: start.Add(after), OK: true}))
	}
	record(0)
	record(1000 * time.Hour)
	record(time.Hour)
	record(2 * time.Hour)
	run, err := health.Read(f, "fetch")
	must(t, err)
	if h := run.Hours; len(h) != 2 || !h[0].At.Equal(start.Add(time.Hour)) || !h[1].At.Equal(start.Add(2*time.Hour)) || h[0].OK != 1 || h[1].OK != 1 {
		t.Errorf("%+v", h)
	}
}
