package api_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mkt/serve/internal/api"
)

func scopes(t *rapid.T, label string) api.Scope {
	return api.Scope{
		Collection: rapid.SampledFrom([]api.Collection{api.FixtureList, api.MarketList, api.ChangeFeed, api.LiveList}).Draw(t, label+" collection"),
		ClientID:   rapid.SampledFrom([]string{"acme", "acm", "e", ""}).Draw(t, label+" client"),
		Filter:     rapid.SampledFrom([]string{"", "league=e", "eleague=", "a", "acme"}).Draw(t, label+" filter"),
	}
}

func TestCursorIsValidInItsScopeOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		made, used := scopes(t, "made"), scopes(t, "used")
		position := rapid.StringN(0, 60, 60).Draw(t, "position")
		got, err := used.Position(made.Cursor(position))
		if made == used && (err != nil || got != position) {
			t.Errorf("%q, %v: want %q", got, err, position)
		}
		if made != used && !errors.Is(err, api.ErrCursor) {
			t.Errorf("a cursor of %v is valid in %v", made, used)
		}
	})
}

// Pinned, because clients keep cursors across releases.
func TestCursorPinned(t *testing.T) {
	s := api.Scope{Collection: api.ChangeFeed, ClientID: "acme"}
	const want = "AWNoaXN0b3J5OjQy81fjTvZ_RNZVNJGu"
	if got := s.Cursor("history:42"); got != want {
		t.Errorf("cursor %s, want %s", got, want)
	}
}

func FuzzPosition(f *testing.F) {
	s := api.Scope{Collection: api.FixtureList, ClientID: "acme", Filter: "league=x"}
	f.Add(s.Cursor("fx_aaaaaaaaaaaaaaaaaaaaaaaaaa"))
	f.Add("")
	f.Add("AWM")
	f.Add(strings.Repeat("A", 10_000))
	f.Fuzz(func(t *testing.T, cursor string) {
		if p, err := s.Position(cursor); err == nil && s.Cursor(p) != cursor {
			t.Errorf("%q and %q are both cursors of %q", cursor, s.Cursor(p), p)
		}
	})
}
