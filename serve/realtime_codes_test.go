package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/internal/testing/socketiotest"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/socketio"
)

// The codes with which docs/asyncapi.yaml says that a subscribe may be refused are those with which it is:
// each is met here, and no test meets another (see checked).
func TestCodesOfSubscribe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.realtime.Tick = time.Hour // nothing is closed before it is asked
	w.edit = func(o *serve.Options) { o.Poll = time.Hour }
	changes := map[string]any{"channel": "changes"}
	with := func(edit func(*account.Account)) func(string) { return func(id string) { w.add(id, edit) } }
	origin := func(o *socketiotest.Options) { o.Header = http.Header{"Origin": {"https://shop.example"}} }
	cases := map[string]struct {
		before, after func(id string) // of the connection
		payload       any
	}{
		"BAD_REQUEST":            {payload: "changes"},
		"INVALID_PARAMETER":      {payload: map[string]any{"channel": "changes", "cursor": -1}},
		"NOT_FOUND":              {payload: map[string]any{"channel": "prices"}},
		"INVALID_CURSOR":         {payload: map[string]any{"channel": "changes", "cursor": 0}},
		"INVALID_API_TOKEN":      {after: with(func(a *account.Account) { a.TokenDigests = nil })},
		"ORIGIN_NOT_ALLOWED":     {after: with(func(a *account.Account) { a.Origins = nil })},
		"CLIENT_SUSPENDED":       {after: with(func(a *account.Account) { a.Status = account.Suspended })},
		"CLIENT_REVOKED":         {after: with(func(a *account.Account) { a.Status = account.Revoked })},
		"SUBSCRIPTION_REQUIRED":  {after: with(func(a *account.Account) { a.Subscriptions = nil })},
		"FEATURE_NOT_ENABLED":    {after: with(func(a *account.Account) { a.Features["changes"] = false })},
		"PROVIDER_NOT_CONNECTED": {after: with(func(a *account.Account) { a.Provider.Disabled = true })},
		"RATE_LIMITED": {after: func(id string) {
			w.add(id, func(a *account.Account) { a.Limit = account.Limit{Requests: 1, Per: time.Hour, Burst: 1} })
			w.get("/schema", id)
		}},
		"DATA_NOT_READY": {before: func(id string) {
			w.fetched(id)
			w.root(id).Record(health.Run{Step: "publish", Cycle: "c", OK: true, FinishedAt: servetest.Start})
		}},
		"UPSTREAM_UNAVAILABLE": {before: func(id string) {
			w.fetched(id)
			w.root(id).Record(health.Run{Step: "publish", Cycle: "c", OK: true, FinishedAt: servetest.Start})
			w.root(id).Record(health.Run{Step: health.StepFetch, Cycle: "c", Code: health.CodeUnreachable, FinishedAt: servetest.Start.Add(time.Second),
				CredentialFingerprint: fingerprint, Plan: planOf(servetest.Start, true, football.Prematch)})
		}},
		"INTERNAL_ERROR": {payload: map[string]any{"channel": "changes", "cursor": 3}, after: func(id string) { // the only segment is lost
			segments, err := filepath.Glob(filepath.Join(w.root(id).Dir, "changes", "*"))
			must(t, err)
			for _, name := range segments {
				must(t, os.Remove(name))
			}
		}},
	}
	ids := map[string]string{}
	for code, c := range cases {
		id := strings.ToLower(strings.ReplaceAll(code, "_", "-"))
		ids[code] = id
		w.add(id, func(a *account.Account) { a.Origins = []string{"https://shop.example"} })
		if c.before != nil {
			c.before(id)
			continue
		}
		list := servetest.Samples(id, 3, 1, 1)
		for drop := range 2 { // of the first publication no event is retained
			w.root(id).Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list), DropLog: drop})
		}
		w.fetched(id)
	}
	w.start()
	for code, c := range cases {
		s, _ := w.connect(ids[code], origin)
		if c.after != nil {
			c.after(ids[code])
		}
		payload := c.payload
		if payload == nil {
			payload = changes
		}
		if a := s.ask("subscribe", payload); a.OK || a.Error.Code != code {
			t.Errorf("%s: %+v", code, a)
		}
	}
	d, err := asyncAPI()
	must(t, err)
	documented := func(schema string) (codes []string) {
		for _, code := range d.at("#/components/schemas/" + schema + "/properties/error/properties/code/enum").([]any) {
			codes = append(codes, code.(string))
			if !slices.Contains(api.Codes(), api.Code(code.(string))) {
				t.Errorf("%s is no code", code)
			}
		}
		return codes
	}
	for _, code := range documented("SubscribeRefused") {
		if _, met := cases[code]; !met {
			t.Errorf("%s is documented, and never met", code)
		}
	}
	if got := documented("UnsubscribeRefused"); fmt.Sprint(got) != "[BAD_REQUEST INVALID_PARAMETER NOT_FOUND]" {
		t.Errorf("unsubscribe: %s", got)
	}
}

// The refusals of Engine.IO, and the reasons in close frames, are in docs/asyncapi.yaml.
func TestEndsOfTheSocketAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(asyncAPIFile)
	must(t, err)
	w := newWorld(t, "acme")
	w.realtime.Sessions = 1
	w.start()
	s, _ := w.connect("acme") // the only session
	for _, c := range []struct{ method, query string }{
		{"GET", "EIO=4&transport=smoke"}, {"GET", "EIO=4&transport=polling&sid=none"}, {"POST", "EIO=4&transport=polling"},
		{"GET", "EIO=4&transport=websocket"}, {"GET", "EIO=3&transport=polling"}, {"GET", "EIO=4&transport=polling"},
	} {
		q, err := http.NewRequest(c.method, w.url+"/realtime/?"+c.query, nil)
		must(t, err)
		a, err := client.Do(q)
		must(t, err)
		body, err := io.ReadAll(a.Body)
		must(t, err)
		a.Body.Close()
		var code int
		var message string
		if _, err := fmt.Sscanf(string(body), `{"code":%d,"message":%q}`, &code, &message); err != nil {
			t.Errorf("%s: %s", c.query, body)
		}
		if row := fmt.Sprintf("| %d | %d | `%s` |", a.StatusCode, code, message); !strings.Contains(string(text), row) {
			t.Errorf("not in the document: %s", row)
		}
	}
	s.Close()
	for _, reason := range []string{socketio.ReasonProtocol, socketio.ReasonSlow, socketio.ReasonFlood, socketio.ReasonShutdown, socketio.ReasonPanic,
		"connect timeout", "evicted before joining", "upgrade refused", "token no longer valid", "origin no longer allowed", "position no longer in the log", "Invalid namespace"} {
		if !strings.Contains(string(text), "`"+reason+"`") {
			t.Errorf("not in the document: %s", reason)
		}
	}
}
