package fetch_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
)

const canary = "98765-CANARYcanary42"

// bench is an account, its root on disk and the traces of its runs. At the end of the
// test everything is searched for the credential.
type bench struct {
	t       *testing.T
	dir     string
	key     credential.Identity
	options fetch.Options
	clock   time.Time
	log     bytes.Buffer
	usage   atomic.Int64
	texts   []string // errors and summaries
}

func newBench(t *testing.T, baseURL string, p provider.Provider) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), clock: time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)}
	key, err := credential.NewIdentity()
	must(t, err)
	sealed, err := credential.Seal(key.Recipient(), "acme", p.Name, []byte(canary+"\n"))
	must(t, err)
	root, err := durable.OpenRoot(b.dir)
	must(t, err)
	b.key = key
	b.options = fetch.Options{
		Tenant:  provider.Tenant{ID: "acme", Provider: p.Name, BaseURL: baseURL, AllowPrivateAddress: true, SealedCredential: sealed, Fingerprint: credential.Fingerprint(sealed)},
		Product: football.MarketEngine, Root: root,
		Open: func(sealed, tenant, provider string) (credential.Secret, error) {
			return credential.Open(key, sealed, tenant, provider)
		},
		Provider: func(name string) (provider.Provider, bool) { return p, name == p.Name },
		Limits: fetch.Limits{Run: time.Minute, Tries: 3, Wait: time.Millisecond, MaxWait: 5 * time.Millisecond, Confirm: 10 * time.Millisecond, Break: 20 * time.Millisecond,
			Header: check.Limit, Body: check.Limit, Window: check.Limit},
		Now:   func() time.Time { return b.clock },
		Log:   slog.New(slog.NewJSONHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Usage: func(_ string, n int) { b.usage.Add(int64(n)) },
	}
	t.Cleanup(func() {
		root.Close()
		b.search()
	})
	return b
}

// impatient sets limits that a test can wait for.
func (b *bench) impatient() {
	b.options.Limits.Header, b.options.Limits.Window = 400*time.Millisecond, 200*time.Millisecond
}

func (b *bench) run(ctx context.Context) (fetch.Summary, error) {
	b.t.Helper()
	s, err := fetch.Run(ctx, b.options)
	b.texts = append(b.texts, fmt.Sprintf("%+v %v %#v %+v", s, err, err, b.options))
	return s, err
}

// search looks for the credential in every file below the root, unpacked too,
// and in everything said.
func (b *bench) search() {
	scrubber := credential.NewScrubber(credential.NewSecret(canary))
	said := append([]byte(strings.Join(b.texts, "\n")), b.log.Bytes()...)
	if scrubber.Found(said) {
		b.t.Errorf("the credential was said: %s", said)
	}
	unpack, err := zstd.NewReader(nil)
	must(b.t, err)
	defer unpack.Close()
	must(b.t, filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.HasSuffix(path, ".zst") && err == nil {
			content, err = unpack.DecodeAll(content, nil)
		}
		if scrubber.Found(content) {
			b.t.Errorf("the credential is in %s", path)
		}
		return err
	}))
}

func (b *bench) state() *health.Run {
	b.t.Helper()
	run, err := health.Read(b.options.Root, "fetch")
	must(b.t, err)
	return run
}

// tiny is an adapter of a provider that has no secrets but its token: /list
// names fixtures, /odds?id= has a fixture's markets.
func tiny() provider.Provider {
	return provider.Provider{
		Name: "tiny", BaseURL: "https://tiny.example", Hosts: []string{"tiny.example"},
		Budget:    provider.Budget{Burst: 10_000, Concurrency: 3, MaxBody: 1 << 20},
		Authorize: func(r *http.Request, secret string) { r.Header.Set("X-Token", secret) },
		Classify: func(status int, _ http.Header, body []byte) provider.Verdict {
			var answer struct {
				Error string
				IDs   *[]string
				Odds  *string
			}
			if json.Unmarshal(body, &answer) != nil {
				return provider.Verdict{Kind: provider.Rejected, Code: "NOT_JSON"}
			}
			switch answer.Error {
			case "token":
				return provider.Verdict{Kind: provider.CredentialFault, Code: "BAD_TOKEN"}
			case "buy":
				return provider.Verdict{Kind: provider.PermissionFault, Code: "NOT_BOUGHT"}
			case "quota":
				return provider.Verdict{Kind: provider.Limited, Code: "QUOTA"}
			case "fault":
				return provider.Verdict{Kind: provider.Retryable, Code: "FAULT"}
			}
			return provider.Verdict{}
		},
		Probes: []provider.Probe{
			func(provider.Probing) (provider.Request, bool) {
				return provider.Request{Endpoint: "list", Path: "/list"}, true
			},
		},
		ReadPlan: func(provider.Answered) provider.Plan { return provider.Plan{} },
		NeededBy: func(provider.Request) []provider.Capability { return nil },
		Markets:  tinyMarkets{},
	}
}

type tinyMarkets struct{ provider.MarketAdapter }

func (tinyMarkets) IsMarkets(endpoint string) bool { return endpoint == "odds" }

func (tinyMarkets) Ask(ctx context.Context, x provider.Exchange) (provider.Asked, error) {
	list, err := x.Get(ctx, provider.Request{Endpoint: "list", Path: "/list"})
	if err != nil {
		return provider.Asked{}, err
	}
	var answer struct{ IDs []string }
	if err := json.Unmarshal(list.Body, &answer); err != nil {
		return provider.Asked{}, err
	}
	asked := provider.Asked{ListingComplete: true, Listed: len(answer.IDs), Counters: map[string]int64{"pages": 1}}
	for i, id := range answer.IDs {
		x.Progress(i, len(answer.IDs))
		p, err := x.Get(ctx, provider.Request{Endpoint: "odds", Path: "/odds", Query: url.Values{"id": {id}}})
		switch {
		case err != nil:
			asked.Failed = append(asked.Failed, id) // whatever it is: Run must know better
		case string(p.Body) == noOdds:
			asked.NotOffered = append([]string{id}, asked.NotOffered...) // in whatever order
		}
	}
	return asked, nil
}

// sumsUp is an adapter whose error is that of the first fixture that failed.
type sumsUp struct{ tinyMarkets }

func (sumsUp) Ask(ctx context.Context, x provider.Exchange) (asked provider.Asked, first error) {
	for _, id := range []string{"1", "2", "3"} {
		_, err := x.Get(ctx, provider.Request{Endpoint: "odds", Path: "/odds", Query: url.Values{"id": {id}}})
		first = cmp.Or(first, err)
	}
	return asked, first
}

const noOdds = `{"odds":null}`

// answers serves the tiny provider; a fixture's answer can be replaced.
func answers(t *testing.T, replaced map[string]http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.URL.Path + r.URL.Query().Get("id")
		switch h, ok := replaced[key]; {
		case r.Header.Get("X-Token") != canary:
			io.WriteString(w, `{"error":"token"}`)
		case ok:
			h(w, r)
		case r.URL.Path == "/list":
			io.WriteString(w, `{"ids":["1","2","3"]}`)
		default:
			fmt.Fprintf(w, `{"odds":"of %s"}`, r.URL.Query().Get("id"))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func say(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
}

func TestRun(t *testing.T) {
	b := newBench(t, answers(t, nil), tiny())
	var last atomic.Int64
	b.options.Progress = func(p fetch.Progress) { last.Store(int64(p.Total)) }
	s, err := b.run(t.Context())
	must(t, err)
	if s.Cycle != "20261120T090700Z-market_engine" || s.Outcome != raw.Complete || s.Requests != 4 || s.Responses != 4 || s.Listed != 3 || s.Bytes == 0 || s.Code != "" {
		t.Errorf("%+v", s)
	}
	if b.usage.Load() != 4 || last.Load() != 3 {
		t.Errorf("usage %d, progress of %d", b.usage.Load(), last.Load())
	}
	a, err := raw.Open(b.options.Root, s.Cycle)
	must(t, err)
	if c := a.Cycle(); c.ClientID != "acme" || c.Provider != "tiny" || !c.ListingComplete || c.Requests != 4 || c.Counters["listed"] != 3 || c.Counters["pages"] != 1 || !c.StartedAt.Equal(b.clock) {
		t.Errorf("%+v", c)
	}
	for _, r := range a.Responses() {
		p, err := a.Payload(r)
		if err != nil || !p.FetchedAt.Equal(b.clock) || len(p.Body) == 0 || r.Header["Content-Type"] == "" {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if run := b.state(); !run.OK || run.Cycle != string(s.Cycle) || run.LastOKAt == nil || run.CredentialFingerprint != b.options.Tenant.Fingerprint || run.Counters["requests"] != 4 {
		t.Errorf("%+v", run)
	}
	if got := strings.Count(b.log.String(), "\n"); got != 1 || !strings.Contains(b.log.String(), `"level":"DEBUG","msg":"fetched"`) {
		t.Errorf("%d lines, want one for debugging: %s", got, b.log.String())
	}

	// The same cycle once more does nothing; a new one comes after it, also
	// when the clock was set back.
	b.options.Cycle = s.Cycle
	again, err := b.run(t.Context())
	if err != nil || !again.Already || again.Requests != 4 || b.usage.Load() != 4 {
		t.Errorf("again: %+v, %v", again, err)
	}
	b.options.Cycle, b.clock = "", b.clock.Add(-time.Hour)
	next, err := b.run(t.Context())
	if err != nil || next.Cycle != "20261120T090701Z-market_engine" {
		t.Errorf("after the clock was set back: %v, %v", next.Cycle, err)
	}
}

func TestOutcomes(t *testing.T) {
	hangUp := func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }
	echo := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"odds":"you are %s"}`, r.Header.Get("X-Token"))
	}
	quota := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		io.WriteString(w, `{"error":"quota"}`)
	}
	all := func(h http.HandlerFunc) map[string]http.HandlerFunc {
		return map[string]http.HandlerFunc{"/odds1": h, "/odds2": h, "/odds3": h}
	}
	for _, c := range []struct {
		name     string
		replaced map[string]http.HandlerFunc
		outcome  raw.Outcome
		code     health.Code
		err      error
		failed   int
	}{
		{"one fixture fails", map[string]http.HandlerFunc{"/odds2": say(`{"error":"fault"}`)}, raw.Partial, "", nil, 1},
		{"one fixture echoes the credential", map[string]http.HandlerFunc{"/odds2": echo}, raw.Partial, "", nil, 1},
		{"one answer is HTML", map[string]http.HandlerFunc{"/odds1": say("<html>")}, raw.Partial, "", nil, 1},
		{"quota ends in the middle", map[string]http.HandlerFunc{"/odds2": quota}, raw.Partial, "RATE_LIMITED", nil, 2},
		{"credential refused in the middle", map[string]http.HandlerFunc{"/odds2": say(`{"error":"token"}`)}, raw.Failed, "CREDENTIAL_REJECTED", fetch.ErrCredential, 2},
		{"not bought", map[string]http.HandlerFunc{"/odds1": say(`{"error":"buy"}`)}, raw.Failed, "PERMISSION_DENIED", fetch.ErrPermission, 3},
		{"no fixture answers", all(hangUp), raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable, 3},
		{"every fixture is HTML", all(say("<html>")), raw.Failed, "PAYLOAD_REJECTED", fetch.ErrPayload, 3},
		{"listing refused", map[string]http.HandlerFunc{"/list": say(`{"error":"token"}`)}, raw.Failed, "CREDENTIAL_REJECTED", fetch.ErrCredential, 0},
		{"listing down", map[string]http.HandlerFunc{"/list": hangUp}, raw.Failed, "PROVIDER_UNREACHABLE", provider.ErrUnreachable, 0},
		{"listing limited", map[string]http.HandlerFunc{"/list": quota}, raw.Failed, "RATE_LIMITED", fetch.ErrLimited, 0},
		{"listing is HTML", map[string]http.HandlerFunc{"/list": say("<html>" + canary)}, raw.Failed, "PAYLOAD_REJECTED", fetch.ErrPayload, 0},
		{"listing of another shape", map[string]http.HandlerFunc{"/list": say(`{"ids":7}`)}, raw.Failed, "PAYLOAD_REJECTED", fetch.ErrPayload, 0},
		{"nothing listed, which proves nothing", map[string]http.HandlerFunc{"/list": say(`{"ids":[]}`)}, raw.Partial, "", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, answers(t, c.replaced), tiny())
			s, err := b.run(t.Context())
			if s.Outcome != c.outcome || s.Code != c.code || s.Failed != c.failed || (err != nil) != (c.err != nil) || c.err != nil && !errors.Is(err, c.err) {
				t.Errorf("%v %q, %d failed, %v", s.Outcome, s.Code, s.Failed, err)
			}
			a, open := raw.Open(b.options.Root, s.Cycle)
			must(t, open)
			if a.Cycle().Outcome != c.outcome || len(a.Cycle().Failed) != c.failed {
				t.Errorf("sealed as %+v", a.Cycle())
			}
			for _, r := range a.Responses() {
				_, err := a.Body(r)
				must(t, err)
			}
			run := b.state()
			if run.OK != (c.err == nil) || !run.OK && run.Code != c.code {
				t.Errorf("state %+v", run)
			}
			if c.err == fetch.ErrCredential && !strings.Contains(err.Error(), "mkt provider set acme --provider tiny") {
				t.Errorf("no way out: %v", err)
			}
		})
	}
}

// A fixture that the provider answers for, and offers no markets on, is no
// failure: the cycle is complete, and says so.
func TestNotOffered(t *testing.T) {
	for _, c := range []struct {
		name     string
		replaced map[string]http.HandlerFunc
		outcome  raw.Outcome
		want     string
	}{
		{"two", map[string]http.HandlerFunc{"/odds1": say(noOdds), "/odds3": say(noOdds)}, raw.Complete, "1 3"},
		{"all", map[string]http.HandlerFunc{"/odds1": say(noOdds), "/odds2": say(noOdds), "/odds3": say(noOdds)}, raw.Complete, "1 2 3"},
		{"one, and another fails", map[string]http.HandlerFunc{"/odds1": say(noOdds), "/odds3": say("<html>")}, raw.Partial, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, answers(t, c.replaced), tiny())
			s, err := b.run(t.Context())
			must(t, err)
			n := strings.Count(c.want, " ") + 1
			if s.Outcome != c.outcome || s.NotOffered != n || b.state().Counters["not_offered"] != int64(n) {
				t.Errorf("%+v, state %+v", s, b.state())
			}
			a, err := raw.Open(b.options.Root, s.Cycle)
			must(t, err)
			if header := a.Cycle(); strings.Join(header.NotOffered, " ") != c.want || header.Counters["not_offered"] != int64(n) {
				t.Errorf("sealed as %+v", header)
			}
			b.options.Cycle = s.Cycle
			if again, err := b.run(t.Context()); err != nil || !again.Already || again.NotOffered != n {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

func TestRefusedBeforeAsking(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fetch.Options)
		want   string
	}{
		"account":           {func(o *fetch.Options) { o.Tenant.ID = "../x" }, "not an account's id"},
		"product":           {func(o *fetch.Options) { o.Product = "nonsense" }, `product "nonsense"`},
		"no credential":     {func(o *fetch.Options) { o.Tenant.SealedCredential = "" }, "mkt provider set acme"},
		"cycle":             {func(o *fetch.Options) { o.Cycle = "yesterday" }, "want a form like"},
		"cycle of another":  {func(o *fetch.Options) { o.Cycle = "20261120T090700Z-live_intelligence" }, "is not of the product market_engine"},
		"provider":          {func(o *fetch.Options) { o.Tenant.Provider = "none" }, `provider "none" is not known`},
		"moved credential":  {func(o *fetch.Options) { o.Tenant.ID = "other" }, "belongs to another account"},
		"broken credential": {func(o *fetch.Options) { o.Tenant.SealedCredential = canary }, "cannot be opened"},
		"address":           {func(o *fetch.Options) { o.Tenant.AllowPrivateAddress = false }, "allow_private_address"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, answers(t, nil), tiny())
			c.change(&b.options)
			broken := b.options.Tenant.SealedCredential == canary
			_, err := fetch.Run(t.Context(), b.options)
			if err == nil || !strings.Contains(err.Error(), c.want) || b.usage.Load() != 0 {
				t.Errorf("%v, want %q", err, c.want)
			}
			if ids, _ := raw.Cycles(b.options.Root); len(ids) != 0 {
				t.Errorf("left %v", ids)
			}
			if broken {
				b.options.Tenant.SealedCredential = "" // search prints options
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
