package main

import (
	"slices"
	"time"

	"mkt/cmd/mkt/internal/tenants"
)

// runToken is a token of one account that is good for one run of mkt serve --as-of, so
// that nobody needs the client's own to see what the client saw. It is kept nowhere.
type runToken struct {
	ID    string `json:"client_id"`
	Token string `json:"token"`

	entry tenants.Token
}

type runTokens []runToken

// runTokensOf mints a token for each account that has data on the data root; none
// without a time to serve, which is what keeps them on a loopback address.
func (a *app) runTokensOf(f *tenants.File, asOf time.Time) (runTokens, error) {
	if asOf.IsZero() {
		return nil, nil
	}
	places, err := placesOf(a.data, wanted{})
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, p := range places {
		there[p.tenant] = true
	}
	var list runTokens
	for _, id := range f.IDs() {
		if !there[id] {
			continue
		}
		token, entry, err := tenants.NewToken(a.now())
		if err != nil {
			return nil, err
		}
		list = append(list, runToken{id, token, entry})
	}
	return list, nil
}

// in returns the generation with the tokens of the run.
func (g runTokens) in(f *tenants.File) *tenants.File {
	if len(g) == 0 {
		return f
	}
	entries := make(map[string]tenants.Token, len(g))
	for _, one := range g {
		entries[one.ID] = one.entry
	}
	with := *f
	with.Tenants = slices.Clone(f.Tenants)
	for i := range with.Tenants {
		t := &with.Tenants[i]
		if entry, ok := entries[t.ID]; ok {
			t.Tokens = append(slices.Clone(t.Tokens), entry)
		}
	}
	return &with
}
