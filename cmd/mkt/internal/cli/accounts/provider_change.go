package accounts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mkt/internal/accounts"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// source is whose data an account has: a provider's and, where it sells those of several,
// the prices of one bookmaker.
type source struct {
	Provider  string `json:"provider"`
	Bookmaker string `json:"bookmaker"` // "" if the provider sells the prices of one
}

func (s source) String() string {
	if s.Bookmaker == "" {
		return s.Provider
	}
	return s.Provider + " with the prices of " + s.Bookmaker
}

// change is a change of provider or bookmaker for an account that has published data.
type change struct {
	from, to source
	fixtures int64 // published, of the market engine
}

// changeOf returns what connecting a provider changes; nil if that is connected already, if
// nothing is published yet, or if what is published is of the same provider and bookmaker.
func (g *Group) changeOf(t *accounts.Tenant, p accounts.Provider) (*change, error) {
	c := change{to: source{p.Name, p.BookmakerInUse()}}
	set := source{}
	if t.Provider != nil {
		set = source{t.Provider.Name, t.Provider.BookmakerInUse()}
	}
	if set == c.to {
		return nil, nil
	}
	for _, product := range football.Products() {
		m, err := g.newest(t.ID, product)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		was := source{m.Provider, m.Bookmaker}
		switch {
		case was.Provider != c.to.Provider:
		case product == football.LiveIntelligence:
			was.Bookmaker = c.to.Bookmaker // it has no prices
		case was.Bookmaker == "" && set.Provider == was.Provider:
			was.Bookmaker = set.Bookmaker // published before that was recorded
		}
		if was != c.to && c.from.Provider == "" {
			c.from = was
		}
		if product == football.MarketEngine {
			c.fixtures = m.Tables["fixtures"].Rows
		}
	}
	if c.from.Provider == "" {
		return nil, nil
	}
	return &c, nil
}

// newest returns the manifest of the newest publication of a product, nil if there is none.
func (g *Group) newest(id string, product football.Product) (*snapshot.Manifest, error) {
	set := g.Dataset(id, product)
	root, err := set.Open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	commit, found, err := snapshot.Head(root)
	if err != nil || !found {
		return nil, err
	}
	m, err := snapshot.Open(root, commit)
	return &m, err
}

// confirmChange says what a change means, and asks whether it is meant.
func (g *Group) confirmChange(ctx context.Context, t *accounts.Tenant, c *change, yes bool) error {
	if !g.JSON() || !yes {
		for line := range strings.SplitSeq(c.means(t.ID), "\n") {
			printable.Fprintf(g.Errs, "%s\n", line)
		}
	}
	return g.Confirm(ctx, fmt.Sprintf("Change tenant %s from %s to %s?", t.ID, c.from, c.to), yes)
}

// means says what happens after the change.
func (c *change) means(id string) string {
	next := fmt.Sprintf(`- Every fixture, market and selection gets another id. The next good market cycle removes %s of %s and adds those of %s,
  in one publication; --accept-removals is not needed.
`, terminal.Plural(int(c.fixtures), "fixture"), c.from.Provider, c.to.Provider)
	if c.from.Provider == c.to.Provider {
		next = fmt.Sprintf(`- The ids stay, and the next good cycle replaces all prices of %s: those of two bookmakers are never mixed.
- To keep the prices of %s: --bookmaker %s.
`, terminal.Plural(int(c.fixtures), "fixture"), c.from.Bookmaker, c.from.Bookmaker)
	}
	return fmt.Sprintf(`tenant %s: what is published is of %s, and this connects %s.
%s- Clients see an event for each fixture that changes; there is no gap in seq, and no reset.
- Until the provider has accepted the credential, data routes answer 409: run mkt provider test %s at once.
docs/operators.md says more, under "Changing a provider or a bookmaker".`, id, c.from, c.to, next, id)
}
