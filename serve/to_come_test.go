package serve_test

import (
	"strings"
	"testing"
	"time"
)

// A publication whose time is to come has no age that anybody knows: it is DEGRADED and stale
// until its time has come, and one within the tolerance of two clocks is not.
func TestTimesToCome(t *testing.T) {
	w := newWorld(t, "acme")
	w.publish("acme", 3, 2, 1)
	w.start()
	now := w.now()
	for _, c := range []struct {
		ahead  time.Duration // of the publication, to the clock that reads it
		toCome bool
	}{{0, false}, {2 * time.Second, false}, {3 * time.Second, true}, {time.Hour, true}} {
		w.setClock(newestAt(t, w).Add(-c.ahead))
		part, _ := w.healthOf("market_engine", "acme")
		if strings.Contains(part, "DEGRADED") != c.toCome || strings.Contains(part, "CLOCK") != c.toCome {
			t.Errorf("%s ahead: %s", c.ahead, part)
		}
		if body := w.get("/fixtures", "acme").body; strings.Contains(body, `"index_stale":true`) != c.toCome {
			t.Errorf("%s ahead: %.400s", c.ahead, body)
		}
		if got := w.metric(`mkt_datasets{product="market_engine",state="clock"}`); (got == 1) != c.toCome {
			t.Errorf("%s ahead: the metric counts %v", c.ahead, got)
		}
	}
	w.setClock(now)
}

// newestAt is when the newest publication of acme was published, as the API says.
func newestAt(t *testing.T, w *world) time.Time {
	t.Helper()
	_, text, _ := strings.Cut(w.get("/fixtures", "acme").body, `"published_at":"`)
	text, _, _ = strings.Cut(text, `"`)
	at, err := time.Parse(time.RFC3339Nano, text)
	must(t, err)
	return at
}
