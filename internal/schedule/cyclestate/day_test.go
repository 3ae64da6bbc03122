package cyclestate_test

import (
	"testing"
	"time"

	"mkt/internal/schedule/cyclestate"
	"mkt/publish/health"
)

// A day says of every hour how many cycles were published, how many steps failed, and how long nothing was.
func TestDay(t *testing.T) {
	now := noon.Add(30 * time.Minute)
	last, left, limit := noon.Add(-110*time.Minute), int64(7), int64(100) // 10:10
	hour := func(at, ok, failed int, wait time.Duration) health.Hour {
		return health.Hour{At: noon.Add(time.Duration(at-12) * time.Hour), OK: ok, Failed: failed, Wait: wait.Milliseconds()}
	}
	publish := &health.Run{Step: "publish", LastOKAt: &last, Hours: []health.Hour{hour(6, 1, 0, 0), hour(7, 1, 0, time.Hour), hour(10, 1, 0, 3*time.Hour)}}
	fetch := &health.Run{Step: "fetch", Hours: []health.Hour{hour(-20, 9, 9, 0), hour(7, 1, 0, 0), {At: noon.Add(-3 * time.Hour), Failed: 2, Left: &left, Limit: &limit}, hour(14, 1, 1, 0)}}
	day := cyclestate.DayOf(now, fetch, nil, publish)
	at := func(hour int) cyclestate.Hour { return day[hour+11] } // the last is that of noon
	if h := at(12); !h.At.Equal(noon) || h.Wait != 140*time.Minute || h.Published != 0 || !h.Known {
		t.Errorf("the hour that goes on: %+v", h)
	}
	if h := at(11); h.Wait != 110*time.Minute {
		t.Errorf("an hour since the last publication: %+v", h)
	}
	if h := at(10); h.Wait != 3*time.Hour || h.Published != 1 {
		t.Errorf("the hour of the last publication: %+v", h)
	}
	if h := at(9); h.Failed != 2 || h.Wait != 3*time.Hour || *h.Left != 7 || *h.Limit != 100 {
		t.Errorf("an hour in which fetches failed: %+v", h)
	}
	if h := at(7); h.Wait != time.Hour {
		t.Errorf("an hour with a publication: %+v", h)
	}
	if published, failed, wait := day.Sums(); published != 3 || failed != 2 || wait != 3*time.Hour {
		t.Errorf("%d published, %d failed, %s", published, failed, wait)
	}
	none := cyclestate.DayOf(now, nil, nil)
	if h := none[23]; h.Known || h.Wait != 0 {
		t.Errorf("nothing was recorded: %+v", h)
	}
}
