package serving

import (
	"slices"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/cmd/mkt/internal/tenants"
)

// runTokens are tokens for one run of mkt serve --as-of, so that nobody needs the client's own
// token to see what the client saw. They are not stored.
type runTokens struct {
	printed []daemon.Token
	entries map[string]tenants.Token // by account
}

// runTokensOf makes a token for each account with data on the data root. It makes none when
// serving the present, which may be reachable from the network.
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

// in returns the accounts with the tokens of this run.
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
