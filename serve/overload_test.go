package serve_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/serve"
)

// hold requests uncached pages that are rendered until release, as many as one account may have
// slots for, and returns when they are being rendered.
func (w *world) hold(as string) (release func()) {
	w.t.Helper()
	places := min(8, max(2, runtime.GOMAXPROCS(0))-1)
	var asked sync.WaitGroup
	var pages []chan struct{}
	for range places {
		asked.Go(func() {
			if r, err := w.sendPlain("/test/held", as); err != nil || r.status != 200 {
				w.t.Errorf("a slow page: %d %s, %v", r.status, r.body, err)
			}
		})
		pages = append(pages, <-serve.Held)
	}
	return func() {
		for _, p := range pages {
			close(p)
		}
		asked.Wait()
	}
}

// coldPage returns the path of a page of markets that is never requested twice.
func coldPage(as string, n int) string {
	return fmt.Sprintf("/fixtures/%s/markets?limit=%d", servetest.FixtureID(as, n%30), 1+n/30)
}

// While the engine is busy, cached pages are still answered, pages of other accounts are
// rendered, and the account that asked for too much is asked to try again. No answer is wrong,
// and few requests wait.
func TestOverloadIsShed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"flood", "quiet"} {
		w.add(id, nil)
		w.publish(id, 30, 60, 1)
	}
	w.start()
	right := map[string]string{} // of every cold page: the text to expect
	for n := range 300 {
		right[coldPage("flood", n)] = fmt.Sprintf(`"pagination":{"limit":%d,`, 1+n/30)
	}
	cached := "/fixtures?limit=7"
	if r := w.get(cached, "flood"); r.status != 200 {
		t.Fatal(r)
	}
	release := w.hold("flood")

	var mu sync.Mutex
	count := map[string]int{}
	var flood sync.WaitGroup
	for path, want := range right {
		flood.Go(func() {
			r, err := w.sendPlain(path, "flood")
			mu.Lock()
			defer mu.Unlock()
			count[fmt.Sprint(r.status, " ", r.code())]++
			id := strings.Split(path, "/")[2]
			if err != nil || r.status == 200 && (!strings.Contains(r.body, want) || !strings.Contains(r.body, `"fixture_id":"`+id+`"`)) {
				t.Errorf("%s: %v %.200s", path, err, r.body)
			}
			if r.status != 200 && r.header.Get("Retry-After") == "" {
				t.Errorf("%d without Retry-After", r.status)
			}
		})
	}
	eventually(t, "the line is full", func() bool { return w.metric(`mkt_pages_waiting`) == 128 })
	for n := range 20 {
		if r := w.get(cached, "flood"); r.status != 200 {
			t.Errorf("a cached page during the flood: %d %s", r.status, r.code())
		}
		if r := w.get(coldPage("quiet", n), "quiet"); r.status != 200 {
			t.Errorf("another account's cold page: %d %s", r.status, r.code())
		}
	}
	flood.Wait()
	if count["503 SERVICE_UNAVAILABLE"] != len(right) {
		t.Errorf("the flood was answered %v, want 503 alone", count)
	}
	full, slow := w.metric(`mkt_page_line_refused_total{reason="full"}`), w.metric(`mkt_page_line_refused_total{reason="slow"}`)
	if shed := w.metric(`mkt_http_shed_total{reason="line"}`); full != 172 || slow != 128 || shed != 300 {
		t.Errorf("%v were turned away, %v had waited too long, %v shed; want 172, 128, 300", full, slow, shed)
	}
	release()
	for path, want := range right {
		if r := w.get(path, "flood"); r.status != 200 || !strings.Contains(r.body, want) {
			t.Errorf("afterwards: %s: %d", path, r.status)
		}
	}
}

// Clients that follow the change log do not wait for uncached pages: the events after a cursor
// are in memory, even if nobody has requested that page.
func TestChangesAreNotQueued(t *testing.T) {
	t.Parallel()
	w := published(t, 30, 6).start()
	if r := w.get("/changes", "acme"); r.status != 200 {
		t.Fatal(r)
	}
	release := w.hold("acme")
	defer release()
	for limit := 1; limit < 40; limit++ {
		if p := w.get(fmt.Sprint("/changes?limit=", limit), "acme").page(t); len(p.Data) != min(limit, 30) {
			t.Errorf("limit %d: %d events", limit, len(p.Data))
		}
	}
}

// A client that disconnects does not count as a fault, and takes no slot.
func TestClientsThatGoAway(t *testing.T) {
	t.Parallel()
	w := published(t, 30, 60).start()
	release := w.hold("acme")
	impatient := &http.Client{Timeout: 100 * time.Millisecond}
	for n := range 5 {
		q, err := http.NewRequest("GET", w.url+"/api/v1"+coldPage("acme", n), nil)
		must(t, err)
		q.Header.Set("Authorization", "Bearer "+w.tokens["acme"])
		if a, err := impatient.Do(q); err == nil {
			t.Errorf("answered %d", a.StatusCode)
		}
	}
	eventually(t, "nobody waits", func() bool { return w.metric("mkt_pages_waiting") == 0 })
	if n := w.metric(`mkt_http_shed_total{reason="line"}`); n != 0 {
		t.Errorf("%v waited to the end", n)
	}
	release()
	if log := w.log.String(); strings.Contains(log, "level=ERROR") {
		t.Error(log)
	}
	if n := w.metric(`mkt_pages_total{outcome="failed"}`); n != 0 {
		t.Errorf("%v pages count as failed", n)
	}
}
