package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/durable"
	"mkt/serve"
	"mkt/serve/account"
	"mkt/serve/requests"
)

// keptOf returns what is kept of an account in a data root, as "route status code", newest first.
func keptOf(t *testing.T, dataDir, clientID string) (list []requests.Record, lines string) {
	t.Helper()
	disk, err := durable.OpenExisting(serve.RequestsDir(filepath.Join(dataDir, serve.UsageFolder)))
	must(t, err)
	defer disk.Close()
	list, damage, err := requests.Read(disk, clientID)
	if err != nil || damage != nil {
		t.Fatal(err, damage)
	}
	for _, r := range list {
		lines += strings.TrimSpace(fmt.Sprintln(r.Path(), r.Status, r.Code)) + "\n"
	}
	return list, lines
}

// The requests of an account are kept with what the access log says of them, and never with
// anything of another account, with a token or with the value of a query.
func TestRequestsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme", "other")
	w.add("asked", func(a *account.Account) { a.Status = account.Suspended })
	for _, id := range []string{"acme", "other"} {
		w.publish(id, 5, 3, 1)
	}
	w.publishLive("acme", 2)
	at := begin
	w.edit = func(o *serve.Options) { o.Replica = "web-0" }
	w.start()
	own, others := servetest.FixtureID("acme", 1), servetest.FixtureID("other", 1)
	etag := ""
	get := func(path, as string, headers ...string) reply {
		t.Helper()
		r := w.get(path, as, headers...)
		eventually(t, path+" is logged", func() bool { return strings.Contains(w.log.String(), r.header.Get("X-Request-Id")) }) // before it, it is not kept yet
		return r
	}
	for _, ask := range []struct{ path, as string }{
		{"/fixtures?league=Serie%20A", "acme"},
		{"/fixtures/" + own, "acme"},
		{"/fixtures/" + own + "/markets/TOTAL_GOALS?subject=secretquery", "acme"},
		{"/fixtures/" + others, "acme"},
		{"/fixtures/" + others + "/markets/" + servetest.ID("mk_", "x"), "acme"},
		{"/fixtures?limit=secretlimit", "acme"},
		{"/live", "acme"},
		{"/nothing", "acme"},
		{"/account", "asked"},
		{"/fixtures", "mkt_secrettoken"},
		{"/status", ""},
	} {
		at = at.Add(time.Second)
		w.setClock(at)
		if r := get(ask.path, ask.as); strings.HasSuffix(ask.path, own) {
			etag = r.header.Get("ETag")
		}
	}
	w.setClock(at.Add(time.Second))
	if r := get("/fixtures/"+own, "acme", "If-None-Match", etag, "X-Request-Id", "complaint-7"); r.status != 304 {
		t.Errorf("status %d", r.status)
	}
	w.setClock(at.Add(2 * time.Second))
	s, _ := w.connect("acme")
	s.Close()
	if code := w.refused("asked"); code != "CLIENT_SUSPENDED" {
		t.Errorf("the socket is refused with %s", code)
	}
	must(t, w.stop())

	list, got := keptOf(t, w.dataDir, "acme")
	if want := strings.Join([]string{
		"/realtime connect 0", "/fixtures/" + own + " 304", "/live 200", "/fixtures 400 INVALID_PARAMETER", "/fixtures/{id}/markets/{market_id} 404 FIXTURE_NOT_FOUND",
		"/fixtures/{id} 404 FIXTURE_NOT_FOUND", "/fixtures/" + own + "/markets/{market_id} 404 MARKET_NOT_FOUND", "/fixtures/" + own + " 200", "/fixtures 200", "",
	}, "\n"); want != got {
		t.Errorf("kept are\n%s", got)
	}
	for _, r := range list {
		switch {
		case r.Route == "/fixtures" && r.Status == 200 && (r.Version != 1 || r.Product != "market_engine" || r.Bytes == 0 || r.Replica != "web-0" || !r.At.Equal(begin.Add(time.Second)) || !strings.HasPrefix(r.ID, "req_")),
			r.Status == 304 && r.ID != "complaint-7",
			r.Status == 400 && !strings.Contains(r.Message, "limit"):
			t.Errorf("%+v", r)
		}
	}
	if _, got := keptOf(t, w.dataDir, "other"); got != "" {
		t.Errorf("who asked for nothing has\n%s", got)
	}
	if _, got := keptOf(t, w.dataDir, "asked"); got != "/realtime connect 0 CLIENT_SUSPENDED\n/account 403 CLIENT_SUSPENDED\n" {
		t.Errorf("who is suspended has\n%s", got)
	}
	all := usage(t, w.dataDir)
	for _, secret := range []string{"secret", "Serie", others, "127.0.0.1", "Bearer", w.tokens["acme"]} {
		if strings.Contains(all, secret) {
			t.Errorf("the files have %q", secret)
		}
	}
}

// Two servers of one data root keep an account's requests side by side, and a server that is started
// again goes on where it ended.
func TestRequestsOfReplicas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme")
	for n, replica := range []string{"web-0", "web-1", "web-0"} {
		w.setClock(begin.Add(time.Duration(n) * time.Second))
		w.edit = func(o *serve.Options) { o.Replica = replica }
		w.start()
		w.get("/schema", "acme")
		must(t, w.stop())
	}
	list, _ := keptOf(t, w.dataDir, "acme")
	var names []string
	for _, r := range list {
		names = append(names, r.Replica)
	}
	if got := strings.Join(names, " "); got != "web-0 web-1 web-0" {
		t.Errorf("kept are requests of %s", got)
	}
}

// A server that cannot make the folder answers as ever, and says so once.
func TestRequestsWithoutFolder(t *testing.T) {
	t.Parallel()
	w := published(t, 3, 1)
	must(t, os.MkdirAll(filepath.Join(w.dataDir, serve.UsageFolder), 0o755))
	must(t, os.WriteFile(serve.RequestsDir(filepath.Join(w.dataDir, serve.UsageFolder)), nil, 0o600))
	w.start()
	if r := w.get("/fixtures", "acme"); r.status != 200 {
		t.Errorf("status %d", r.status)
	}
	must(t, w.stop())
	if n := strings.Count(w.log.String(), "the newest requests of accounts are not kept"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
}
