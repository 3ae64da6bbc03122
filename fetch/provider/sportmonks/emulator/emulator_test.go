package emulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/provider/sportmonks/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/providertest"

	"time"
)

func simulated(t *testing.T, o simulator.Options) *simulator.Server {
	t.Helper()
	o.Now = func() time.Time { return providertest.Noon }
	sim, err := emulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// answer has the members of an answer that the tests read.
type answer struct {
	Data       []map[string]any
	Message    string
	Pagination struct {
		Count int
		More  bool `json:"has_more"`
	}
	Limit *struct {
		Remaining int
		Resets    int `json:"resets_in_seconds"`
	} `json:"rate_limit"`
}

// ask sends a request with a token, and returns the answer with the adapter's verdict.
func ask(t *testing.T, sim *simulator.Server, token, path string) (answer, provider.Verdict) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Authorization", token)
	w := httptest.NewRecorder()
	sim.ServeHTTP(w, r)
	var a answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatalf("%s: %v: %.200s", path, err, w.Body.Bytes())
	}
	return a, sportmonks.Provider().Classify(w.Code, w.Header(), w.Body.Bytes())
}

const between = "/v3/football/fixtures/between/2026-03-04/2026-03-18"

func TestPages(t *testing.T) {
	sim := simulated(t, simulator.Options{Seed: 1, Fixtures: 120})
	met := make(map[any]bool)
	for n, more := 1, true; more; n++ {
		a, v := ask(t, sim, sim.Tokens()[0], between+"?include=participants;league&per_page=50&page="+string(rune('0'+n)))
		if v.Kind != provider.Accepted || len(a.Data) != a.Pagination.Count || n > 5 {
			t.Fatalf("page %d: %+v", n, v)
		}
		for _, f := range a.Data {
			if met[f["id"]] {
				t.Errorf("%v is on two pages", f["id"])
			}
			met[f["id"]] = true
		}
		more = a.Pagination.More
	}
	if len(met) < 80 {
		t.Errorf("%d fixtures", len(met))
	}
	if a, v := ask(t, sim, sim.Tokens()[0], between+"?page=50"); v.Kind != provider.Accepted || !strings.HasPrefix(a.Message, "No result(s) found") {
		t.Errorf("a page behind the last: %+v, %q", v, a.Message)
	}
}

// TestRefusals: the adapter's verdicts on the refusals.
func TestRefusals(t *testing.T) {
	sim := simulated(t, simulator.Options{Tokens: map[string]simulator.Account{"good": {Quota: 2}, "denied": {Denied: true}}})
	for _, c := range []struct {
		token, path string
		want        provider.Kind
	}{
		{"bad", between, provider.CredentialFault},
		{"denied", between, provider.PermissionFault},
		{"good", "/v3/football/teams", provider.Rejected},
		{"good", between + "?include=odds", provider.Rejected},
		{"good", between, provider.Accepted},
		{"good", between, provider.Limited},
	} {
		_, v := ask(t, sim, c.token, c.path)
		if v.Kind != c.want {
			t.Errorf("%s %s: %+v", c.token, c.path, v)
		}
		if v.Kind == provider.Limited && (v.Quota == nil || v.Quota.Left != 0 || v.Wait <= 0 || v.Wait > time.Hour) {
			t.Errorf("used up: %+v", v)
		}
	}
}

// TestQuota: every answer states in its body how much is left.
func TestQuota(t *testing.T) {
	sim := simulated(t, simulator.Options{Quota: 10})
	for want := 9; want > 6; want-- {
		if _, v := ask(t, sim, sim.Tokens()[0], between); v.Quota == nil || v.Quota.Left != want {
			t.Errorf("%+v, want %d left", v.Quota, want)
		}
	}
}
