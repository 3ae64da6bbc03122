package account_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/serve/account"
)

var must = check.Must

func TestTokenForm(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		token, err := account.NewToken(nil)
		must(t, err)
		if len(token) != 53 || !strings.HasPrefix(token, "mkt_") || !account.ValidToken(token) || seen[token] {
			t.Fatalf("token %q: not of the form, or seen before", token)
		}
		seen[token] = true
	}
}

// Pinned, because the tokens of clients must stay valid.
func TestTokenPinned(t *testing.T) {
	token, err := account.NewToken(bytes.NewReader(bytes.Repeat([]byte{0, 61, 247, 248, 255, 7}, 64)))
	must(t, err)
	const want = "mkt_0zz70zz70zz70zz70zz70zz70zz70zz70zz70zz70zz0Ly9ym"
	if token != want {
		t.Errorf("token = %s, want %s", token, want)
	}
}

func TestTokenWithoutRandomness(t *testing.T) {
	if _, err := account.NewToken(bytes.NewReader(nil)); err == nil {
		t.Error("a token was made of nothing")
	}
}

func TestDamagedTokensAreInvalid(t *testing.T) {
	token, _ := account.NewToken(nil)
	for i := range token {
		damaged := []byte(token)
		damaged[i] ^= 1
		if account.ValidToken(string(damaged)) {
			t.Errorf("valid with byte %d changed: %s", i, damaged)
		}
	}
	for _, s := range []string{"", "mkt_", token + "0", token[:52], " " + token} {
		if account.ValidToken(s) {
			t.Errorf("valid: %q", s)
		}
	}
}

func FuzzValidToken(f *testing.F) {
	f.Add("mkt_0zz70zz70zz70zz70zz70zz70zz70zz70zz70zz70zz0Ly9ym")
	f.Fuzz(func(t *testing.T, s string) {
		if account.ValidToken(s) && len(s) != 53 {
			t.Errorf("%q is valid", s)
		}
	})
}

func TestIdentify(t *testing.T) {
	token, _ := account.NewToken(nil)
	other, _ := account.NewToken(nil)
	var registry account.Registry
	if _, ok := registry.Load().Identify(token); ok {
		t.Fatal("an empty registry knows a token")
	}
	g, err := account.NewGeneration([]account.Account{
		{ClientID: "a", TokenDigests: [][32]byte{account.Digest(token), account.Digest("not a token")}},
		{ClientID: "b"},
	})
	must(t, err)
	registry.Swap(g)
	if a, ok := registry.Load().Identify(token); !ok || a.ClientID != "a" {
		t.Errorf("token of a: %v, %v", a, ok)
	}
	for _, s := range []string{other, "", "not a token"} {
		if _, ok := registry.Load().Identify(s); ok {
			t.Errorf("identified %q", s)
		}
	}
	if b, ok := registry.Load().Find("b"); !ok || b.ClientID != "b" {
		t.Error("b is not found by its id")
	}
}

func TestGenerationRefusesDuplicates(t *testing.T) {
	d := account.Digest("x")
	for name, accounts := range map[string][]account.Account{
		"id":    {{ClientID: "a"}, {ClientID: "a"}},
		"token": {{ClientID: "a", TokenDigests: [][32]byte{d}}, {ClientID: "b", TokenDigests: [][32]byte{d}}},
	} {
		if _, err := account.NewGeneration(accounts); err == nil || !strings.Contains(err.Error(), "account ") {
			t.Errorf("%s twice: %v", name, err)
		}
	}
}

func TestTermAt(t *testing.T) {
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	before, after := now.Add(-time.Second), now.Add(time.Second)
	for name, c := range map[string]struct {
		sub  *account.Subscription
		want account.Term
	}{
		"never subscribed":     {nil, account.None},
		"unbounded":            {&account.Subscription{}, account.InForce},
		"started":              {&account.Subscription{Starts: &before}, account.InForce},
		"starts this instant":  {&account.Subscription{Starts: &now}, account.InForce},
		"not started":          {&account.Subscription{Starts: &after}, account.NotStarted},
		"expires this instant": {&account.Subscription{Expires: &now}, account.Expired},
		"expired":              {&account.Subscription{Starts: &before, Expires: &before}, account.Expired},
		"still in force":       {&account.Subscription{Expires: &after}, account.InForce},
	} {
		a := account.Account{Subscriptions: map[football.Product]account.Subscription{}}
		if c.sub != nil {
			a.Subscriptions[football.MarketEngine] = *c.sub
		}
		if got := a.TermAt(football.MarketEngine, now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
