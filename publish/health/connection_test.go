package health_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/health"
)

// sources are the steps that test an account's connection.
var sources = map[string]string{"test": health.StepProbe, "market": health.StepFetch, "live": health.StepFetch}

// codes are the codes by their short names.
var codes = map[string]health.Code{"ok": "", "refused": "CREDENTIAL_REJECTED", "limited": "RATE_LIMITED", "denied": "PERMISSION_DENIED",
	"down": "PROVIDER_UNREACHABLE", "garbage": "PAYLOAD_REJECTED", "disk": "STORAGE"}

type connection struct {
	t     rapid.TB
	roots map[string]durable.FS
	now   time.Time
}

func newConnection(t rapid.TB) *connection {
	return &connection{t, map[string]durable.FS{"test": durabletest.NewMem(), "market": durabletest.NewMem(), "live": durabletest.NewMem()}, start}
}

// find records a finding of a source with a credential.
func (c *connection) find(source, what, credential string) {
	c.now = c.now.Add(time.Minute)
	must(c.t, health.Record(c.roots[source], health.Run{Step: sources[source], FinishedAt: c.now, OK: what == "ok", Code: codes[what], CredentialFingerprint: credential}))
}

func (c *connection) findings() (list []*health.Run) {
	for source, root := range c.roots {
		run, err := health.Read(root, sources[source])
		must(c.t, err)
		list = append(list, run)
	}
	return list
}

// Each case is a sequence of findings and the states after them.
func TestConnectionStories(t *testing.T) {
	short := map[string]health.Connection{"V": health.Verifying, "C": health.Connected, "D": health.Degraded, "I": health.InvalidCredential}
	for story, states := range map[string]string{
		"test:ok":              "C",
		"test:refused":         "I",
		"test:refused test:ok": "I C",
		"test:ok test:refused": "C I",
		"test:limited":         "C", // the credential is good
		"test:denied":          "V", // valid, but it does not include what was requested
		"test:down test:garbage test:down test:down":   "V V V V", // a test is not a run
		"market:ok market:refused":                     "C I",
		"market:ok market:refused market:down":         "C I I", // nothing new is known about the credential
		"market:refused market:down market:ok":         "I I C",
		"market:refused market:limited":                "I C",
		"market:refused test:ok":                       "I C",
		"market:refused live:ok":                       "I C",
		"live:ok market:refused":                       "C I",
		"market:down market:down market:down":          "V V D",
		"market:ok market:down market:down market:ok":  "C C C C",
		"market:ok market:down market:down live:down":  "C C C D", // three runs of the account
		"market:down live:ok market:down market:down":  "V C C C",
		"market:down market:down live:ok market:down":  "V V C C",
		"market:ok market:down market:down test:down":  "C C C C",
		"market:down market:down market:down test:ok":  "V V D C",
		"market:down market:down market:down live:ok":  "V V D C",
		"live:down live:down live:down test:limited":   "V V D D", // it does not work yet
		"live:down live:down live:down market:refused": "V V D I",
		"market:denied market:denied market:denied":    "V V D",
		"market:garbage market:disk market:limited":    "V V D",
	} {
		t.Run(story, func(t *testing.T) {
			c := newConnection(t)
			want := strings.Fields(states)
			for i, step := range strings.Fields(story) {
				source, what, _ := strings.Cut(step, ":")
				c.find(source, what, "f")
				if got := health.ConnectionStatus(true, false, "f", c.findings()...); got != short[want[i]] {
					t.Fatalf("after %s: %s, want %s", step, got, want[i])
				}
			}
		})
	}
}

func TestWhatIsSetComesFirst(t *testing.T) {
	c := newConnection(t)
	c.find("market", "ok", "old")
	for want, got := range map[health.Connection]health.Connection{
		health.Unconfigured: health.ConnectionStatus(false, true, "old", c.findings()...),
		health.Disabled:     health.ConnectionStatus(true, true, "old", c.findings()...),
		health.Connected:    health.ConnectionStatus(true, false, "old", c.findings()...),
		health.Verifying:    health.ConnectionStatus(true, false, "new", c.findings()...),
	} {
		if got != want || got.Usable() != (want == health.Connected) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := health.ConnectionStatus(true, false, "old"); got != health.Verifying {
		t.Errorf("never tried: %s", got)
	}
}

func TestCredentialStatus(t *testing.T) {
	c := newConnection(t)
	if s := health.CredentialStatusOf("f", c.findings()...); s.LastOKAt != nil || s.LastAttemptAt != nil || s.Code != "" || s.FailuresInARow != 0 {
		t.Errorf("%+v", s)
	}
	c.find("live", "ok", "f")
	c.find("market", "down", "f")
	c.find("live", "garbage", "other")
	s := health.CredentialStatusOf("f", c.findings()...)
	if s.Code != "PROVIDER_UNREACHABLE" || s.LastOKAt != nil || s.FailuresInARow != 1 || !s.LastAttemptAt.Equal(start.Add(2*time.Minute)) {
		t.Errorf("%+v", s)
	}
	c.find("test", "ok", "f")
	s = health.CredentialStatusOf("f", c.findings()...)
	if s.Code != "" || !s.LastOKAt.Equal(start.Add(4*time.Minute)) || !s.LastAttemptAt.Equal(*s.LastOKAt) || s.FailuresInARow != 0 {
		t.Errorf("%+v", s)
	}
}

// A clock that was set back does not make the newest finding an old one.
func TestConnectionWithAClockSetBack(t *testing.T) {
	c := newConnection(t)
	c.find("market", "ok", "f")
	for _, what := range []string{"refused", "ok", "refused", "ok", "down", "down", "down"} {
		c.now = start.Add(-time.Hour)
		c.find("market", what, "f")
		want := map[string]health.Connection{"refused": health.InvalidCredential, "ok": health.Connected}[what]
		if got := health.ConnectionStatus(true, false, "f", c.findings()...); want != "" && got != want {
			t.Errorf("after %s: %s", what, got)
		}
	}
	if got := health.ConnectionStatus(true, false, "f", c.findings()...); got != health.Degraded {
		t.Errorf("after three failures: %s", got)
	}
}

// The state files record enough: after any history they give the state that the list of
// all findings gives.
func TestConnectionOfAnyHistory(t *testing.T) {
	type found struct{ source, what, credential string }
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.Custom(func(t *rapid.T) found {
			return found{rapid.SampledFrom([]string{"test", "market", "live"}).Draw(t, "source"),
				rapid.SampledFrom([]string{"ok", "refused", "limited", "denied", "down"}).Draw(t, "what"),
				rapid.SampledFrom([]string{"f", "f", "f", "f", "f", "old"}).Draw(t, "credential")}
		})
		// A credential that was replaced never comes back.
		history := rapid.SliceOfN(step, 0, 12).Draw(t, "history")
		slices.SortStableFunc(history, func(a, b found) int { return strings.Compare(b.credential, a.credential) })
		c := newConnection(t)
		want, row := health.Verifying, 0
		for _, h := range history {
			c.find(h.source, h.what, h.credential)
			if h.credential != "f" {
				continue
			}
			switch {
			case h.what == "ok":
				want, row = health.Connected, 0
				continue
			case h.what == "refused":
				want = health.InvalidCredential
			case h.what == "limited" && want != health.Degraded:
				want = health.Connected
			}
			if h.source != "test" {
				row++
			}
			if row >= health.DegradedAfter && want != health.InvalidCredential {
				want = health.Degraded
			}
		}
		if got := health.ConnectionStatus(true, false, "f", c.findings()...); got != want {
			t.Fatalf("%s, want %s after %s", got, want, fmt.Sprint(history))
		}
	})
}
