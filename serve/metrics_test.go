package serve_test

import (
	"bufio"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"mkt/internal/testing/servetest"
	"mkt/serve/account"
)

func (w *world) scrape() string {
	w.t.Helper()
	status, body := w.side("/metrics")
	if status != http.StatusOK {
		w.t.Fatalf("/metrics: %d %s", status, body)
	}
	return body
}

func (w *world) side(path string) (int, string) {
	w.t.Helper()
	a, err := http.Get(w.admin.URL() + path)
	must(w.t, err)
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	must(w.t, err)
	return a.StatusCode, string(body)
}

// metric returns one value, which is named as in /metrics, or -1 if there is none.
func (w *world) metric(name string) float64 {
	w.t.Helper()
	for lines := bufio.NewScanner(strings.NewReader(w.scrape())); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			v, err := strconv.ParseFloat(text, 64)
			must(w.t, err)
			return v
		}
	}
	return -1
}

func TestMetricsCountWhatHappens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add("acme", func(a *account.Account) { a.Limit = account.Limit{Requests: 1, Per: time.Hour, Burst: 9} })
	w.add("other", nil)
	w.publish("acme", 5, 4, 1)
	w.publish("other", 7, 2, 1)
	w.publishLive("acme", 3)
	w.start()
	w.setClock(servetest.Start.Add(30 * time.Minute))
	w.get("/fixtures", "acme")
	w.get("/fixtures", "acme")
	w.get("/fixtures?limit=0", "acme")
	w.get("/fixtures/"+servetest.FixtureID("acme", 99), "acme")
	w.sendPlain("/test/error", "acme")
	for range 6 {
		w.get("/account", "acme")
	}
	w.get("/account", "bogus")
	w.do("POST", "/fixtures", "acme")
	w.get("//nowhere", "acme")
	for name, want := range map[string]float64{
		`mkt_http_requests_total{code="",route="/fixtures",status="200"}`:                       2,
		`mkt_http_requests_total{code="INVALID_PARAMETER",route="/fixtures",status="400"}`:      1,
		`mkt_http_requests_total{code="FIXTURE_NOT_FOUND",route="/fixtures/{id}",status="404"}`: 1,
		`mkt_http_requests_total{code="RATE_LIMITED",route="/account",status="429"}`:            2,
		`mkt_http_requests_total{code="INVALID_API_TOKEN",route="/account",status="401"}`:       1,
		`mkt_http_requests_total{code="METHOD_NOT_ALLOWED",route="none",status="405"}`:          1,
		`mkt_http_requests_total{code="NOT_FOUND",route="none",status="404"}`:                   1,
		`mkt_http_request_duration_seconds_count{route="/account"}`:                             7,
		`mkt_account_requests_total{client_id="acme",outcome="answered"}`:                       6,
		`mkt_account_requests_total{client_id="acme",outcome="refused"}`:                        2,
		`mkt_account_requests_total{client_id="acme",outcome="failed"}`:                         1,
		`mkt_account_requests_total{client_id="acme",outcome="rate_limited"}`:                   2,
		`mkt_account_requests_total{client_id="other",outcome="answered"}`:                      -1, // it asked for nothing
		`mkt_accounts{status="ACTIVE"}`:                                                         2,
		`mkt_pages_total{outcome="rendered"}`:                                                   1,
		`mkt_pages_total{outcome="cached"}`:                                                     1,
		`mkt_snapshot_loads_total{outcome="loaded",product="market_engine"}`:                    2,
		`mkt_snapshot_rows{product="market_engine",table="fixtures"}`:                           12,
		`mkt_snapshot_rows{product="market_engine",table="markets"}`:                            34,
		`mkt_snapshot_rows{product="live_intelligence",table="fixtures"}`:                       3,
		`mkt_datasets{product="market_engine",state="current"}`:                                 2,
		`mkt_datasets{product="live_intelligence",state="empty"}`:                               1,
		`mkt_publication_oldest_age_seconds{product="market_engine"}`:                           1920,
		`mkt_http_requests_in_flight`:                                                           0,
		`mkt_socket_connections`:                                                                0,
		`mkt_build_info{version="test"}`:                                                        1,
	} {
		if got := w.metric(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	// Two cadences later, both are overdue; the age of a suspended account does not count.
	w.setClock(servetest.Start.Add(3 * time.Hour))
	w.add("other", func(a *account.Account) { a.Status = account.Suspended })
	if got := w.metric(`mkt_datasets{product="market_engine",state="overdue"}`); got != 1 {
		t.Errorf("%v overdue, want acme's", got)
	}
}

func TestMetricsOfSockets(t *testing.T) {
	t.Parallel()
	w := published(t, 5, 4).start()
	s, _ := w.connect("acme")
	for name, want := range map[string]float64{
		`mkt_socket_connections`:                     1,
		`mkt_socket_accounts`:                        1,
		`mkt_socket_sessions_opened_total`:           1,
		`mkt_socket_handshakes_total{code=""}`:       1,
		`mkt_socket_subscriptions{channel="live"}`:   0,
		`mkt_socket_sessions_pending`:                0,
		`mkt_socket_pushes_total{channel="changes"}`: 0,
	} {
		if got := w.metric(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	eventually(t, "the request is counted", func() bool {
		return w.metric(`mkt_http_requests_total{code="",route="/realtime",status="101"}`) == 1
	})
	s.Close()
	eventually(t, "the socket is gone", func() bool { return w.metric(`mkt_socket_connections`) == 0 })
}

func TestLabelsAreOfClosedSets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	w.add("leaves", nil)
	w.publish("acme", 2, 2, 1)
	w.start()
	w.get("/fixtures?league=canary&canary=1", "acme", "X-Request-Id", "canary")
	w.get("/fixtures/canary", "acme", "Origin", "https://canary.example")
	w.get("/canary/"+w.tokens["acme"], "acme")
	w.get("/fixtures", "canary")
	w.get("/fixtures?cursor=canary", "acme")
	w.do("CANARY", "/fixtures", "acme")
	w.send("GET", "//canary", "acme", strings.NewReader("canary"))
	w.get("/account", "leaves")
	before := w.scrape()
	if strings.Contains(strings.ToLower(before), "canary") || strings.Contains(before, w.tokens["acme"]) {
		t.Errorf("something of a request is in the metrics:\n%s", before)
	}
	if !strings.Contains(before, `client_id="leaves"`) {
		t.Error("an account's counter is missing")
	}
	routes := map[string]bool{"none": true, "/realtime": true}
	for route := range everyRoute("acme") {
		routes[route] = true
	}
	for _, m := range regexp.MustCompile(`route="([^"]*)"`).FindAllStringSubmatch(before, -1) {
		if !routes[m[1]] && !strings.HasPrefix(m[1], "/test/") {
			t.Errorf("%q is no route pattern", m[1])
		}
	}
	only, err := account.NewGeneration([]account.Account{w.accounts["acme"]})
	must(t, err)
	w.registry.Swap(only)
	if strings.Contains(w.scrape(), `client_id="leaves"`) {
		t.Error("the series of an account that is gone are still there")
	}
}

func TestMetricsAreWellNamed(t *testing.T) {
	t.Parallel()
	w := shared(t)
	w.get("/fixtures", "acme")
	problems, err := promlint.New(strings.NewReader(w.scrape())).Lint()
	must(t, err)
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "mkt_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// Between "not ready" and the first refusal, a load balancer has time to notice.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	w := published(t, 3, 2)
	w.delay = 10 * time.Second // a busy machine needs more than one for both requests
	w.start()
	began := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- w.stop() }()
	eventually(t, "not ready", func() bool { status, _ := w.side("/readyz"); return status == 503 })
	if r := w.get("/fixtures", "acme"); r.status != 200 {
		t.Errorf("%v after the end began: %d %s", time.Since(began), r.status, r.code())
	}
	if s, err := w.dial("acme"); err != nil {
		t.Errorf("a socket, %v after the end began: %v", time.Since(began), err)
	} else {
		s.next("ready")
	}
	must(t, <-stopped)
	if took := time.Since(began); took < w.delay {
		t.Errorf("over after %v", took)
	}
}
