package accounts_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/accounts"
	"mkt/publish/football"
	"mkt/serve/account"
)

// kept is a file where comments and blank lines follow what an edit may touch.
const kept = `version: 1
tenants:
  - id: acme
    status: SUSPENDED # they did not pay
    products:
      market_engine: {starts: '2026-01-01T00:00:00Z'} # first

    # browsers
    origins:
      - https://a.example # shop
      - https://b.example

  # the old ones
  - id: other
    products:
    origins: [] # none yet
    tokens:
      - sha256: ab00000000000000000000000000000000000000000000000000000000000000
        hint: wxyz
        issued_at: 2026-11-20T09:07:00Z

  - id: gone
    products: # none now
      market_engine: {}
    status: REVOKED
`

func TestAccountVerbs(t *testing.T) {
	expires := issued.AddDate(1, 0, 0)
	token := accounts.Token{Digest: [32]byte{0xcd}, Hint: "abcd", IssuedAt: issued}
	const engine, live = football.MarketEngine, football.LiveIntelligence
	for name, c := range map[string]struct {
		change func(e *accounts.Editor) error
		old    string // this part of kept
		new    string // becomes this
	}{
		"reactivate": {of("acme", func(t *accounts.Tenant) error { return t.SetStatus(account.Active) }), "SUSPENDED", "ACTIVE"},
		"suspend": {of("other", func(t *accounts.Tenant) error { return t.SetStatus(account.Suspended) }),
			"20T09:07:00Z\n", "20T09:07:00Z\n    status: SUSPENDED\n"},
		"rotate": {of("other", func(t *accounts.Tenant) error { t.Tokens = nil; return t.AddToken(token) }),
			"ab000000000000000000000000000000000000000000000000000000000000" + "00\n        hint: wxyz", "cd000000000000000000000000000000000000000000000000000000000000" + "00\n        hint: abcd"},
		"issue": {of("other", func(t *accounts.Tenant) error { return t.AddToken(token) }),
			"20T09:07:00Z\n", "20T09:07:00Z\n      - sha256: cd" + strings.Repeat("0", 62) + "\n        hint: abcd\n        issued_at: 2026-11-20T09:07:00Z\n"},
		"end the only token": {of("other", func(t *accounts.Tenant) error { return t.EndToken("wxyz", time.Time{}) }),
			"    tokens:\n      - sha256: ab" + strings.Repeat("0", 62) + "\n        hint: wxyz\n        issued_at: 2026-11-20T09:07:00Z\n\n", "\n"},
		"name": {set("gone", func(t *accounts.Tenant) { t.Name = "Gone: away" }), "REVOKED\n", "REVOKED\n    name: 'Gone: away'\n"},
		"product again": {set("acme", func(t *accounts.Tenant) { t.Products[engine] = account.Subscription{Expires: &expires} }),
			"starts: '2026-01-01T00:00:00Z'", "expires: '2027-11-20T09:07:00Z'"},
		"second product": {set("acme", func(t *accounts.Tenant) { t.Products[live] = account.Subscription{} }),
			"# first\n", "# first\n      live_intelligence: {}\n"},
		"first product": {set("other", func(t *accounts.Tenant) { t.Products[live] = account.Subscription{} }),
			"products:\n    origins: []", "products:\n      live_intelligence: {}\n    origins: []"},
		"no product": {set("acme", func(t *accounts.Tenant) { delete(t.Products, engine) }),
			"products:\n      market_engine: {starts: '2026-01-01T00:00:00Z'} # first\n\n", "products: {}\n"},
		"no product of a commented list": {set("gone", func(t *accounts.Tenant) { delete(t.Products, engine) }),
			"products: # none now\n      market_engine: {}\n", "products: {} # none now\n"},
		"feature": {set("acme", func(t *accounts.Tenant) { t.Features[account.Momentum] = false }),
			"https://b.example\n", "https://b.example\n    features:\n      momentum: false\n"},
		"first origin": {of("other", func(t *accounts.Tenant) error { return t.AllowOrigin("https://c.example") }),
			"origins: [] # none yet", "origins:\n      # none yet\n      - https://c.example"},
		"origin": {of("acme", func(t *accounts.Tenant) error { return t.AllowOrigin("https://c.example") }),
			"https://b.example\n", "https://b.example\n      - https://c.example\n"},
		"origin again":  {of("acme", func(t *accounts.Tenant) error { return t.AllowOrigin("https://a.example") }), "", ""},
		"deny the last": {of("acme", func(t *accounts.Tenant) error { return t.DenyOrigin("https://b.example") }), "      - https://b.example\n", ""},
		"deny all": {of("acme", func(t *accounts.Tenant) error {
			return errors.Join(t.DenyOrigin("https://a.example"), t.DenyOrigin("https://b.example"))
		}), "    # browsers\n    origins:\n      - https://a.example # shop\n      - https://b.example\n\n", "\n"},
		"limit": {set("gone", func(t *accounts.Tenant) { t.Limit = account.Limit{Requests: 5, Per: time.Second, Burst: 7} }),
			"REVOKED\n", "REVOKED\n    rate_limit: {requests: 5, per: 1s, burst: 7}\n"},
		"schedule": {set("gone", func(t *accounts.Tenant) { t.Schedule[engine] = "@every 30m" }),
			"REVOKED\n", "REVOKED\n    schedule:\n      market_engine: '@every 30m'\n"},
		"no schedule":    {set("gone", func(t *accounts.Tenant) { delete(t.Schedule, engine) }), "", ""},
		"revoke at once": {of("acme", func(t *accounts.Tenant) error { return t.SetStatus(account.Revoked) }), "SUSPENDED", "REVOKED"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, kept)
			edit(t, path, c.change)
			if diff := cmp.Diff(lines(strings.Replace(kept, c.old, c.new, 1)), lines(content(t, path))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRefusedVerbs(t *testing.T) {
	for name, c := range map[string]struct {
		change func(e *accounts.Editor) error
		want   string
	}{
		"reactivate a revoked": {of("gone", func(t *accounts.Tenant) error { return t.SetStatus(account.Active) }), "tenant gone is revoked, for good"},
		"token of a revoked":   {of("gone", func(t *accounts.Tenant) error { return t.AddToken(accounts.Token{}) }), "tenant gone is revoked, for good"},
		"end no token":         {of("other", func(t *accounts.Tenant) error { return t.EndToken("wxyZ", time.Time{}) }), "has no such token: it has …wxyz issued 2026-11-20T09:07:00Z"},
		"end another's token":  {of("acme", func(t *accounts.Tenant) error { return t.EndToken("wxyz", time.Time{}) }), "has no such token: it has none"},
		"end an older token":   {of("other", func(t *accounts.Tenant) error { return t.EndToken("wxyz", issued.AddDate(-1, 0, 0)) }), "has no such token"},
		"unknown":              {of("nobody", func(t *accounts.Tenant) error { return t.SetStatus(account.Active) }), `no tenant "nobody"`},
		"origin of another":    {of("acme", func(t *accounts.Tenant) error { return t.DenyOrigin("https://aa.example") }), "its origins are https://a.example, https://b.example"},
	} {
		path := write(t, kept)
		_, err := accounts.Edit(t.Context(), path, c.change)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if content(t, path) != kept {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// Two tokens with the same hint are distinguished by the time of issue.
func TestEndOneOfTwoTokensAlike(t *testing.T) {
	path := write(t, kept)
	later := issued.Add(time.Hour)
	edit(t, path, of("other", func(t *accounts.Tenant) error {
		return t.AddToken(accounts.Token{Digest: [32]byte{1}, Hint: "wxyz", IssuedAt: later})
	}))
	_, err := accounts.Edit(t.Context(), path, of("other", func(t *accounts.Tenant) error { return t.EndToken("wxyz", time.Time{}) }))
	if err == nil || !strings.Contains(err.Error(), "has 2 such tokens: choose one with --issued") {
		t.Fatal(err)
	}
	edit(t, path, of("other", func(t *accounts.Tenant) error { return t.EndToken("wxyz", later) }))
	if diff := cmp.Diff(lines(kept), lines(content(t, path))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
