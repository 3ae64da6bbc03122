package serve_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/serve/account"
)

// The files in testdata/http are requests with the answers they must get, from a
// real server over a real snapshot. A case is
//
//	== what it shows
//	> GET /fixtures?limit=1
//	> As: acme
//	< 200
//	< ETag: W/"*"
//	{ the body, line breaks and indents left out }
//
// Paths are below /api/v1 unless they begin with two slashes. "*" in a header
// and "…" in a body stand for anything. "< -Name" says that a header is absent.
// $fixture(acme,3) is the id of a tenant's third sample, $market(acme,3,1) that of
// a market on it; $next, $changes and $etag come from the answer before.

func TestContract(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/http/*.txt")
	must(t, err)
	if len(files) == 0 {
		t.Fatal("no contract files")
	}
	w := contractWorld(t).start()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runContract(t, w, file) })
	}
}

func contractWorld(t testing.TB) *world {
	w := newWorld(t)
	hour := time.Hour
	past, future := begin.Add(-hour), begin.Add(hour)
	w.add("acme", nil)
	w.publish("acme", 5, 12, 1)
	w.publishLive("acme", 8)
	w.add("other", nil)
	w.publish("other", 8, 30, 1)
	w.publishLive("other", 8)
	w.add("suspended", func(a *account.Account) { a.Status = account.Suspended })
	w.publish("suspended", 1, 1, 1)
	w.publishLive("suspended", 1)
	w.add("revoked", func(a *account.Account) { a.Status = account.Revoked })
	w.add("nothing", func(a *account.Account) { clear(a.Subscriptions) })
	w.add("expired", func(a *account.Account) {
		a.Subscriptions[football.MarketEngine] = account.Subscription{Starts: &past, Expires: &past}
		a.Subscriptions[football.LiveIntelligence] = a.Subscriptions[football.MarketEngine]
	})
	w.add("early", func(a *account.Account) {
		a.Subscriptions[football.MarketEngine] = account.Subscription{Starts: &future}
		a.Subscriptions[football.LiveIntelligence] = a.Subscriptions[football.MarketEngine]
	})
	w.add("nofeature", func(a *account.Account) {
		a.Features["markets"], a.Features["advanced_stats"], a.Features["momentum"] = false, false, false
	})
	w.publish("nofeature", 1, 1, 1)
	w.publishLive("nofeature", 6)
	w.add("unconnected", func(a *account.Account) { a.Provider = account.Provider{} })
	w.add("nolive", func(a *account.Account) {
		a.Provider.Capabilities = []football.Capability{football.Prematch, football.LiveOdds}
	})
	w.publish("nolive", 1, 1, 1)
	w.publishLive("nolive", 1)
	w.add("lacking", nil)
	w.publish("lacking", 1, 1, 1)
	w.live("lacking").Record(health.Run{Step: "fetch", Cycle: "c", Code: "PERMISSION_DENIED", FinishedAt: servetest.Start.Add(time.Second), CredentialFingerprint: fingerprint,
		Plan: planOf(servetest.Start.Add(time.Second), false, football.LiveStats, football.LiveTimeline)})
	w.add("disabled", func(a *account.Account) { a.Provider.Disabled = true })
	w.publish("disabled", 1, 1, 1)
	w.publishLive("disabled", 1)
	w.add("fresh", nil)
	w.fetched("fresh")
	w.add("unreachable", nil)
	w.fetched("unreachable")
	w.root("unreachable").Record(health.Run{Step: "fetch", Cycle: "d", Code: "PROVIDER_UNREACHABLE", FinishedAt: servetest.Start, CredentialFingerprint: fingerprint})
	w.live("unreachable").Record(health.Run{Step: "fetch", Cycle: "d", Code: "PROVIDER_UNREACHABLE", FinishedAt: servetest.Start, CredentialFingerprint: fingerprint})
	w.add("stale", nil)
	w.publish("stale", 1, 1, 1)
	w.publishLive("stale", 6)
	w.root("stale").Record(health.Run{Step: "transform", Cycle: "d", Code: "PAYLOAD_REJECTED", FinishedAt: servetest.Start})
	w.add("hurried", func(a *account.Account) { a.Limit = account.Limit{Requests: 60, Per: time.Minute, Burst: 2} })
	w.publish("hurried", 1, 1, 1)
	return w
}

type contractCase struct {
	name    string
	request []string
	answer  []string
	body    string
}

func parseContract(t *testing.T, file string) (cases []contractCase) {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	for n, line := range strings.Split(string(data), "\n") {
		trimmed := strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(trimmed, "== "); ok {
			cases = append(cases, contractCase{name: name})
			continue
		}
		if len(cases) == 0 || trimmed == "" {
			continue // the words on top of the file
		}
		c := &cases[len(cases)-1]
		if rest, ok := strings.CutPrefix(trimmed, "> "); ok {
			c.request = append(c.request, rest)
		} else if rest, ok := strings.CutPrefix(trimmed, "< "); ok {
			c.answer = append(c.answer, rest)
		} else if len(c.answer) == 0 {
			t.Fatalf("%s:%d: a body before an answer", file, n+1)
		} else {
			c.body += trimmed
		}
	}
	return cases
}

func runContract(t *testing.T, w *world, file string) {
	var before reply
	for _, c := range parseContract(t, file) {
		method, path, _ := strings.Cut(expand(c.request[0], before), " ")
		var headers []string
		as := ""
		for _, h := range c.request[1:] {
			name, value, _ := strings.Cut(expand(h, before), ": ")
			if name == "As" {
				as = value
				continue
			}
			headers = append(headers, name, value)
		}
		r := w.do(method, path, as, headers...)
		c.check(t, r, before)
		before = r
	}
}

func (c contractCase) check(t *testing.T, r, before reply) {
	t.Helper()
	if strconv.Itoa(r.status) != c.answer[0] {
		t.Errorf("%s: status %d, want %s: %.500s", c.name, r.status, c.answer[0], r.body)
		return
	}
	for _, h := range c.answer[1:] {
		name, want, _ := strings.Cut(expand(h, before), ": ")
		if absent, ok := strings.CutPrefix(name, "-"); ok {
			if r.header.Get(absent) != "" {
				t.Errorf("%s: header %s: %s, want none", c.name, absent, r.header.Get(absent))
			}
			continue
		}
		if got := r.header.Get(name); !like(want, "*", got) {
			t.Errorf("%s: header %s: %q, want %q", c.name, name, got, want)
		}
	}
	if want := expand(c.body, before); !like(want, "…", r.body) {
		t.Errorf("%s: body\n%s\nwant\n%s", c.name, r.body, want)
	}
}

func like(pattern, any, text string) bool {
	parts := strings.Split(pattern, any)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("(?s)^" + strings.Join(parts, ".*") + "$").MatchString(text)
}

var variable = regexp.MustCompile(`\$([a-z]+)(?:\(([a-z]+)((?:,[0-9]+)*)\))?`)

func expand(s string, before reply) string {
	return variable.ReplaceAllStringFunc(s, func(v string) string {
		m := variable.FindStringSubmatch(v)
		var n []int
		for _, digits := range strings.Split(m[3], ",")[min(1, len(m[3])):] {
			i, _ := strconv.Atoi(digits)
			n = append(n, i)
		}
		var p page
		switch m[1] {
		case "fixture":
			return servetest.FixtureID(m[2], n[0])
		case "market":
			return servetest.ID("mk_", servetest.FixtureID(m[2], n[0]), "/", n[1])
		case "etag":
			return before.header.Get("ETag")
		case "next":
			if json.Unmarshal([]byte(before.body), &p) == nil && p.Pagination.NextCursor != nil {
				return *p.Pagination.NextCursor
			}
		case "changes":
			if json.Unmarshal([]byte(before.body), &p) == nil {
				return p.Meta.ChangesCursor
			}
		}
		return fmt.Sprintf("(no %s)", v)
	})
}
