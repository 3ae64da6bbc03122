package gate_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
)

var must = check.Must

var now = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func code(err error) api.Code {
	var refusal *api.Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	if err != nil {
		return "not a refusal"
	}
	return ""
}

func setUp(t *testing.T, edit func(*account.Account)) (*gate.Gate, string) {
	t.Helper()
	token, err := account.NewToken(nil)
	must(t, err)
	a := account.Account{
		ClientID: "acme", Status: account.Active, TokenDigests: [][32]byte{account.Digest(token)},
		Subscriptions: map[football.Product]account.Subscription{football.MarketEngine: {}},
		Features:      map[string]bool{"fixtures": true, "markets": true}, Origins: []string{"https://app.example"},
		Limit: account.Limit{Requests: 60, Per: time.Minute, Burst: 5},
	}
	if edit != nil {
		edit(&a)
	}
	g, err := account.NewGeneration([]account.Account{a})
	must(t, err)
	registry := new(account.Registry)
	registry.Swap(g)
	return &gate.Gate{Accounts: registry, Limiter: new(gate.TokenBuckets), Now: func() time.Time { return now }}, token
}

func request(headers ...string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestTokenInHeaderOnly(t *testing.T) {
	g, token := setUp(t, nil)
	other, _ := account.NewToken(nil)
	for name, c := range map[string]struct {
		headers []string
		want    api.Code
	}{
		"bearer":            {[]string{"Authorization", "Bearer " + token}, ""},
		"lower case scheme": {[]string{"Authorization", "bearer " + token}, ""},
		"spaces":            {[]string{"Authorization", "Bearer   " + token + " "}, ""},
		"none":              {nil, api.InvalidAPIToken},
		"empty":             {[]string{"Authorization", ""}, api.InvalidAPIToken},
		"scheme alone":      {[]string{"Authorization", "Bearer"}, api.InvalidAPIToken},
		"bare token":        {[]string{"Authorization", token}, api.InvalidAPIToken},
		"basic":             {[]string{"Authorization", "Basic " + token}, api.InvalidAPIToken},
		"never issued":      {[]string{"Authorization", "Bearer " + other}, api.InvalidAPIToken},
		"truncated":         {[]string{"Authorization", "Bearer " + token[:52]}, api.InvalidAPIToken},
		"two headers":       {[]string{"Authorization", "Bearer " + token, "Authorization", "Bearer " + token}, api.InvalidAPIToken},
		"other header":      {[]string{"X-Api-Key", token}, api.InvalidAPIToken},
	} {
		if _, err := g.Enter(request(c.headers...), gate.Need{}); code(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Each check is reached only if those before it succeed.
func TestOrderOfChecks(t *testing.T) {
	expired := now.Add(-time.Hour)
	spoil := []struct {
		want api.Code
		edit func(*account.Account)
	}{
		{api.ClientSuspended, func(a *account.Account) { a.Status = account.Suspended }},
		{api.OriginNotAllowed, func(a *account.Account) { a.Origins = nil }},
		{api.RateLimited, nil}, // below: the bucket is emptied first
		{api.SubscriptionRequired, func(a *account.Account) {
			a.Subscriptions[football.MarketEngine] = account.Subscription{Expires: &expired}
		}},
		{api.FeatureNotEnabled, func(a *account.Account) { a.Features["markets"] = false }},
	}
	need := gate.Need{Product: football.MarketEngine, Feature: "markets"}
	for from := range spoil {
		g, token := setUp(t, func(a *account.Account) {
			for _, s := range spoil[from:] { // all checks from here on fail
				if s.edit != nil {
					s.edit(a)
				}
			}
		})
		r := request("Authorization", "Bearer "+token, "Origin", "https://app.example")
		if from <= 2 {
			for range 5 {
				g.Limiter.Take(t.Context(), "acme", account.Limit{Requests: 60, Per: time.Minute, Burst: 5}, now)
			}
		}
		if _, err := g.Enter(r, need); code(err) != spoil[from].want {
			t.Errorf("all checks from %s on fail: %v", spoil[from].want, err)
		}
	}
}

func TestOrigins(t *testing.T) {
	g, token := setUp(t, nil)
	for name, c := range map[string]struct {
		origins []string
		want    api.Code
	}{
		"absent":   {nil, ""},
		"listed":   {[]string{"https://app.example"}, ""},
		"unlisted": {[]string{"https://evil.example"}, api.OriginNotAllowed},
		"null":     {[]string{"null"}, api.OriginNotAllowed},
		"empty":    {[]string{""}, api.OriginNotAllowed},
		"port":     {[]string{"https://app.example:443"}, api.OriginNotAllowed},
		"scheme":   {[]string{"http://app.example"}, api.OriginNotAllowed},
		"suffix":   {[]string{"https://app.example.evil"}, api.OriginNotAllowed},
		"two":      {[]string{"https://app.example", "https://app.example"}, api.OriginNotAllowed},
	} {
		r := request("Authorization", "Bearer "+token)
		r.Header["Origin"] = c.origins
		if c.origins == nil {
			delete(r.Header, "Origin")
		}
		g.Limiter = new(gate.TokenBuckets)
		pass, err := g.Enter(r, gate.Need{})
		if code(err) != c.want || (pass.Origin != "") != (name == "listed") {
			t.Errorf("%s: %v, origin %q, want %q", name, err, pass.Origin, c.want)
		}
	}
}

// In the answer to a request without a known token, an origin is repeated only if a
// browser could have sent it.
func TestOriginOfUnknownToken(t *testing.T) {
	g, token := setUp(t, nil)
	for origin, want := range map[string]bool{
		"https://app.example": true, "http://127.0.0.1:8080": true, "http://[::1]:3000": true, "null": true, "chrome-extension://abcdefgh": true, "http://my_host": true,
		"": false, "app.example": false, "https://app.example/": false, "https://app.example/path": false, "https://" + token: false, token: false, "https://a b": false,
		"https://" + strings.Repeat("a", 400): false, "*": false, "https://App.example": false,
	} {
		pass, err := g.Enter(request("Authorization", "Bearer x", "Origin", origin), gate.Need{})
		if code(err) != api.InvalidAPIToken || (pass.Origin == origin && origin != "") != want || pass.Account != nil {
			t.Errorf("%.40q: %v, %+v", origin, err, pass)
		}
	}
}

func TestOpenRouteRefusesNoToken(t *testing.T) {
	g, token := setUp(t, func(a *account.Account) { a.Status = account.Revoked })
	for name, r := range map[string]*http.Request{"none": request(), "unknown": request("Authorization", "Bearer x")} {
		if pass, err := g.EnterOpen(r); err != nil || pass.Account != nil {
			t.Errorf("%s: %+v, %v", name, pass, err)
		}
	}
	pass, err := g.EnterOpen(request("Authorization", "Bearer "+token, "Origin", "https://evil.example"))
	if err != nil || pass.Account == nil || pass.Account.Status != account.Revoked || pass.Origin != "" {
		t.Errorf("revoked: %+v, %v", pass, err)
	}
	for range 200 {
		_, err = g.EnterOpen(request())
	}
	if code(err) != api.RateLimited {
		t.Errorf("anonymous requests are not limited: %v", err)
	}
	if _, err := g.EnterOpen(request("Authorization", "Bearer "+token)); err != nil {
		t.Errorf("the account shares the anonymous bucket: %v", err)
	}
}

func TestTokenBucket(t *testing.T) {
	var limits gate.TokenBuckets
	limit := account.Limit{Requests: 60, Per: time.Minute, Burst: 5} // one a second
	at := now
	for i := range 5 {
		r, err := limits.Take(t.Context(), "a", limit, at)
		if err != nil || r.Left != 4-i {
			t.Fatalf("request %d: %+v, %v", i, r, err)
		}
	}
	r, err := limits.Take(t.Context(), "a", limit, at)
	if code(err) != api.RateLimited || api.AsError(err).RetryAfter != time.Second || r.Left != 0 || r.Full != 5*time.Second {
		t.Errorf("sixth: %+v, %v", r, err)
	}
	if _, err := limits.Take(t.Context(), "b", limit, at); err != nil {
		t.Errorf("another account: %v", err)
	}
	if _, err := limits.Take(t.Context(), "a", limit, at.Add(999*time.Millisecond)); code(err) != api.RateLimited {
		t.Errorf("just before a token is back: %v", err)
	}
	if _, err := limits.Take(t.Context(), "a", limit, at.Add(time.Second)); err != nil {
		t.Errorf("a token is back: %v", err)
	}
	if r, err := limits.Take(t.Context(), "a", limit, at.Add(time.Hour)); err != nil || r.Left != 4 {
		t.Errorf("an hour later: %+v, %v", r, err)
	}
	// If the clock is set back, an account is not locked out, and gets no new burst.
	if r, err := limits.Take(t.Context(), "a", limit, at); err != nil || r.Left != 3 {
		t.Errorf("an hour back: %+v, %v", r, err)
	}
	if r, err := limits.Take(t.Context(), "a", limit, at.Add(time.Second)); err != nil || r.Left != 3 {
		t.Errorf("a second after that: %+v, %v", r, err)
	}
	// Another limit applies at once.
	if r, err := limits.Take(t.Context(), "a", account.Limit{Requests: 6000, Per: time.Minute, Burst: 5}, at.Add(time.Second)); code(err) != api.RateLimited || r.Full != 50*time.Millisecond {
		t.Errorf("after the limit was raised: %+v, %v", r, err)
	}
}

// A request that is a moment older than the one before it does not fill an empty bucket.
func TestTokenBucketOfRequestsOutOfOrder(t *testing.T) {
	var limits gate.TokenBuckets
	limit := account.Limit{Requests: 60, Per: time.Minute, Burst: 1}
	limits.Take(t.Context(), "a", limit, now)
	if r, err := limits.Take(t.Context(), "a", limit, now.Add(-time.Microsecond)); code(err) != api.RateLimited || r.Left != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The largest limit of tenants.yaml does not overflow.
func TestLargestBurst(t *testing.T) {
	var limits gate.TokenBuckets
	limit := account.Limit{Requests: 1, Per: 24 * time.Hour, Burst: 1_000_000_000}
	for i := range 100 {
		if r, err := limits.Take(t.Context(), "a", limit, now); err != nil || r.Left != 99-i {
			t.Fatalf("%d: %+v, %v", i, r, err)
		}
	}
}

func TestRetryAfterStaysInTheWindow(t *testing.T) {
	var limits gate.TokenBuckets
	limit := account.Limit{Requests: 1, Per: 10 * time.Minute, Burst: 1}
	limits.Take(t.Context(), "a", limit, now)
	_, err := limits.Take(t.Context(), "a", limit, now)
	if wait := api.AsError(err).RetryAfter; wait < time.Second || wait > 10*time.Minute {
		t.Errorf("Retry-After %v", wait)
	}
	if r, err := limits.Take(t.Context(), "z", account.Limit{}, now); err != nil || r.Quota != account.DefaultLimit.Burst {
		t.Errorf("no limit given: %+v, %v", r, err)
	}
}

// However many requests arrive at once, exactly the burst passes.
func TestLimitIsAtomic(t *testing.T) {
	var limits gate.TokenBuckets
	limit := account.Limit{Requests: 600, Per: time.Minute, Burst: 50}
	var passed atomic.Int64
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for range 100 {
				if _, err := limits.Take(t.Context(), "a", limit, now); err == nil {
					passed.Add(1)
				}
			}
		})
	}
	wait.Wait()
	if passed.Load() != 50 {
		t.Errorf("%d passed, want 50", passed.Load())
	}
}

// The header fields speak of one thing, the bucket: what is left and what is used add up to the quota, and the
// quota comes back in the window at the rate of the limit.
func TestLimitHeaders(t *testing.T) {
	for _, c := range []struct {
		limit account.Limit
		took  int
		want  string
	}{
		{account.Limit{Requests: 600, Per: time.Minute, Burst: 120}, 1, `r=119;t=1 q=120;w=12`},
		{account.Limit{Requests: 600, Per: time.Minute, Burst: 120}, 121, `r=0;t=12 q=120;w=12`},
		{account.Limit{Requests: 10, Per: time.Minute, Burst: 100}, 3, `r=97;t=18 q=100;w=600`},
		{account.Limit{Requests: 1, Per: time.Hour, Burst: 1}, 1, `r=0;t=3600 q=1;w=3600`},
	} {
		var limits gate.TokenBuckets
		var r gate.Remaining
		for range c.took {
			r, _ = limits.Take(t.Context(), "a", c.limit, now)
		}
		rest, policy, _ := strings.Cut(c.want, " ")
		want := "Ratelimit: \"default\";" + rest + "\r\nRatelimit-Policy: \"default\";" + policy + "\r\n"
		if got := string(r.AppendFields(nil)); got != want {
			t.Errorf("%+v: %q, want %q", c.limit, got, want)
		}
	}
}
