package serving

import (
	"slices"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/cmd/mkt/internal/tenants"
)

// runTokens are tokens that are good for one run of mkt serve --as-of, so that nobody
// needs the client's own to see what the client saw. They are kept nowhere.
type runTokens struct {
	printed []daemon.Token
	entries map[string]tenants.Token // by account
}

// runTokensOf makes a token for each account with data on the data root, and none without
// a time to serve: only the past is always served on a loopback address.
func (g *Group) runTokensOf(f *tenants.File, asOf time.Time) (none runTokens, err error) {
	if asOf.IsZero() {
		return none, nil
	}
	datasets, err := cli.Datasets(g.Data, cli.Filter{})
	if err != nil {
		return none, err
	}
	there := map[string]bool{}
	for _, p := range datasets {
		there[p.Tenant] = true
	}
	list := runTokens{entries: map[string]tenants.Token{}}
	for _, id := range f.IDs() {
		if !there[id] {
			continue
		}
		token, entry, err := tenants.NewToken(g.Now())
		if err != nil {
			return none, err
		}
		list.printed = append(list.printed, daemon.Token{ID: id, Token: token})
		list.entries[id] = entry
	}
	return list, nil
}

// in returns the generation of accounts with the tokens of the run.
func (r runTokens) in(f *tenants.File) *tenants.File {
	if len(r.entries) == 0 {
		return f
	}
	with := *f
	with.Tenants = slices.Clone(f.Tenants)
	for i := range with.Tenants {
		t := &with.Tenants[i]
		if entry, ok := r.entries[t.ID]; ok {
			t.Tokens = append(slices.Clone(t.Tokens), entry)
		}
	}
	return &with
}
