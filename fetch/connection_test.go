package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/internal/testing/durabletest"
	"mkt/publish/health"
)

// test tests the credential and returns the connection's state afterwards.
func (b *bench) test(ctx context.Context) (fetch.Probed, health.Connection, error) {
	b.t.Helper()
	b.clock = b.clock.Add(time.Minute)
	r, err := fetch.TestCredential(ctx, b.options)
	b.texts = append(b.texts, fmt.Sprintf("%+v %v %#v %+v", r, err, err, b.options))
	return r, b.connection(), err
}

func (b *bench) connection() health.Connection {
	b.t.Helper()
	var findings []*health.Run
	for _, step := range []string{health.StepProbe, health.StepFetch} {
		run, err := health.Read(b.options.Root, step)
		must(b.t, err)
		findings = append(findings, run)
	}
	return health.ConnectionStatus(true, false, b.options.Tenant.Fingerprint, findings...)
}

// files are all that lies below the root.
func (b *bench) files() (list []string) {
	must(b.t, filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(b.dir, path)
			list = append(list, path)
		}
		return err
	}))
	return list
}

// Each kind of answer to the one question has its meaning for the connection, and nothing
// else of the answer is kept.
func TestConnectionTest(t *testing.T) {
	for _, c := range []struct {
		fault      string
		connection health.Connection
		code       health.Code
		err        error
	}{
		{"", health.Connected, "", nil},
		{"credential:1", health.InvalidCredential, "CREDENTIAL_REJECTED", fetch.ErrCredential},
		{"permission:1", health.Verifying, "PERMISSION_DENIED", fetch.ErrPermission},
		{"429:1", health.Connected, "RATE_LIMITED", fetch.ErrLimited},
		{"429-bare:1", health.Connected, "RATE_LIMITED", fetch.ErrLimited},
		{"429-body:1", health.Connected, "RATE_LIMITED", fetch.ErrLimited},
		{"500:1", health.Verifying, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{"503:1", health.Verifying, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{"timeout:1", health.Verifying, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{"slow:1", health.Verifying, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{"reset:1", health.Verifying, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{"truncated:1", health.Verifying, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{"html:1", health.Verifying, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{"empty:1", health.Verifying, "PROVIDER_UNREACHABLE", provider.ErrUnreachable},
		{"huge:1", health.Verifying, "PAYLOAD_REJECTED", fetch.ErrPayload},
		{"bomb:1", health.Verifying, "PAYLOAD_REJECTED", fetch.ErrPayload},
		{"nested:1", health.Verifying, "PAYLOAD_REJECTED", fetch.ErrPayload},
		{"redirect:1", health.Verifying, "PAYLOAD_REJECTED", fetch.ErrPayload},
		{"500:#1", health.Connected, "", nil}, // asked twice
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			var faults []string
			if c.fault != "" {
				faults = append(faults, c.fault)
			}
			url, sim := simulated(t, 120, faults...)
			b := newBench(t, url, betsapi.Provider())
			b.options.Limits.Tries = 0 // a test's own
			if strings.HasPrefix(c.fault, "timeout") || strings.HasPrefix(c.fault, "slow") {
				b.impatient()
			}
			r, connection, err := b.test(t.Context())
			if connection != c.connection || r.Code != c.code || (err == nil) != (c.err == nil) || !errors.Is(err, c.err) {
				t.Errorf("%+v, %s, %v", r, connection, err)
			}
			endpoints, most := []string{"bet365/upcoming"}, 2
			if c.fault == "permission:1" { // the other product may be bought
				endpoints, most = []string{"bet365/upcoming", "events/inplay"}, 4
			}
			if r.Requests != times(sim) || r.Requests < 1 || r.Requests > most || !slices.Equal(r.Endpoints, endpoints) {
				t.Errorf("%+v, and the simulator was asked %d times", r, times(sim))
			}
			if strings.HasPrefix(c.fault, "429") && r.Requests != 1 {
				t.Errorf("waited for a quota: %d requests", r.Requests)
			}
			if got := b.files(); !slices.Equal(got, []string{"state/calls.json", "state/probe.json"}) {
				t.Errorf("left behind: %v", got)
			}
			calls, err := health.ReadCalls(b.options.Root)
			if day := b.clock.Format(time.DateOnly); err != nil || calls.Days[day]["bet365/upcoming"] != int64(r.Requests/len(endpoints)) {
				t.Errorf("counted %+v, %v", calls, err)
			}
		})
	}
}

// A credential's way: entered, tested, refused in a run, tested again.
func TestConnectionStates(t *testing.T) {
	good, _ := simulated(t, 20)
	refusing, _ := simulated(t, 20, "credential:1")
	b := newBench(t, good, betsapi.Provider())
	want := func(want health.Connection, got health.Connection) {
		t.Helper()
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	want(health.Verifying, b.connection())
	_, state, err := b.test(t.Context())
	must(t, err)
	want(health.Connected, state)

	b.options.Tenant.BaseURL, b.clock = refusing, b.clock.Add(time.Hour)
	if _, err := b.run(t.Context()); !errors.Is(err, fetch.ErrCredential) {
		t.Fatal(err)
	}
	want(health.InvalidCredential, b.connection())

	b.options.Tenant.BaseURL = "http://127.0.0.1:1"
	for range health.DegradedAfter {
		_, state, err = b.test(t.Context())
		want(health.InvalidCredential, state)
	}
	if !errors.Is(err, provider.ErrUnreachable) {
		t.Error(err)
	}
	b.options.Tenant.BaseURL = good
	_, state, err = b.test(t.Context())
	must(t, err)
	want(health.Connected, state)

	sealed, err := credential.Seal(b.key.Recipient(), "acme", "betsapi", []byte("another-"+canary))
	must(t, err)
	b.options.Tenant.SealedCredential, b.options.Tenant.Fingerprint = sealed, credential.Fingerprint(sealed)
	want(health.Verifying, b.connection())
	_, state, err = b.test(t.Context())
	want(health.InvalidCredential, state)
	if !errors.Is(err, fetch.ErrCredential) || !strings.Contains(err.Error(), "mkt provider set acme --provider betsapi") {
		t.Error(err)
	}
}

func TestConnectionTestThatDoesNotEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	url := answers(t, map[string]http.HandlerFunc{"/list": func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}})
	b := newBench(t, url, tiny())
	if _, state, err := b.test(ctx); !errors.Is(err, context.Canceled) || state != health.Verifying {
		t.Errorf("%s, %v", state, err)
	}
	if run, err := health.Read(b.options.Root, health.StepProbe); run != nil || err != nil {
		t.Errorf("an interrupted test found %+v, %v", run, err)
	}
}

// Killed at every file operation: the state file is the old or the new one.
func TestConnectionTestKilled(t *testing.T) {
	b := newBench(t, answers(t, nil), tiny())
	for k := 1; ; k++ {
		mem := durabletest.NewMem()
		b.options.Root = durabletest.Wrap(mem, durabletest.KillAt(k))
		_, err := fetch.Test(t.Context(), b.options)
		after := mem.PowerCut(0.5, uint64(k))
		run, read := health.Read(after, health.StepProbe)
		must(t, read)
		if err == nil && (run == nil || !run.OK) {
			t.Fatalf("operation %d: reported as done, and %+v is left", k, run)
		}
		b.options.Root = after
		if _, err := fetch.Test(t.Context(), b.options); err != nil {
			t.Fatalf("operation %d: the next test: %v", k, err)
		}
		if err == nil {
			return
		}
	}
}
