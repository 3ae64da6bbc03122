package accounts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/printable"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/serve/account"
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
	live     int64 // published, of live intelligence
	held     int64 // of fixtures, kept because a listing lacked too many at once
	lost     []provider.Capability
}

// changeOf returns what connecting a provider changes; nil if that is connected already, if
// nothing is published yet, or if what is published is of the same provider and bookmaker.
func (g *Group) changeOf(t *tenants.Tenant, p tenants.Provider) (*change, error) {
	c := change{to: source{p.Name, p.BookmakerInUse()}}
	set := source{}
	if t.Provider != nil {
		set = source{t.Provider.Name, t.Provider.BookmakerInUse()}
	}
	if set == c.to {
		return nil, nil
	}
	for _, product := range account.Products() {
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
		if product == football.LiveIntelligence {
			c.live = m.Tables["live"].Rows
		} else {
			c.fixtures, c.held = m.Tables["fixtures"].Rows, m.Counters["fixtures_held"]
		}
	}
	if c.from.Provider == "" {
		return nil, nil
	}
	before, _ := all.Lookup(c.from.Provider)
	after, _ := all.Lookup(c.to.Provider)
	for _, one := range before.Capabilities {
		if !slices.Contains(after.Capabilities, one) {
			c.lost = append(c.lost, one)
		}
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
func (g *Group) confirmChange(ctx context.Context, t *tenants.Tenant, c *change, yes bool) error {
	if !g.JSON() || !yes {
		for _, line := range c.means(t) {
			printable.Fprintf(g.Errs, "%s\n", line)
		}
	}
	return g.Confirm(ctx, fmt.Sprintf("Change tenant %s from %s to %s?", t.ID, c.from, c.to), yes)
}

// means says what happens after the change, a sentence or two a line.
func (c *change) means(t *tenants.Tenant) []string {
	lines := []string{fmt.Sprintf("tenant %s: what is published is of %s, and this connects %s.", t.ID, c.from, c.to)}
	say := func(format string, args ...any) { lines = append(lines, "- "+fmt.Sprintf(format, args...)) }
	if c.from.Provider == c.to.Provider {
		say("The ids of fixtures stay, and those of markets and selections with the same meaning. Prices of the two bookmakers are never mixed: the next good cycle replaces all of them,")
		lines = append(lines, "  and a fixture whose prices it cannot get is removed until a later cycle gets them.")
		say("Clients see one event for each of %s that changes: a fixture_removed if it is removed, and otherwise a fixture_markets_updated. There is no gap in seq, and no reset.", cli.Plural(int(c.fixtures), "fixture"))
		say("To keep the prices of %s: --bookmaker %s.", c.from.Bookmaker, c.from.Bookmaker)
	} else {
		say("Every fixture, market and selection gets another id. The next good market cycle removes %s of %s and adds those of %s, in one publication.", cli.Plural(int(c.fixtures), "fixture"), c.from.Provider, c.to.Provider)
		say("Clients see a fixture_removed and a fixture_markets_updated for each, over HTTP and the socket. There is no gap in seq, and no reset.")
		say("These removals are never held, however many they are: --accept-removals is not needed.")
		if c.held > 0 {
			say("%s that are held now are removed with them.", cli.Plural(int(c.held), "fixture"))
		}
		if _, has := t.Products[football.LiveIntelligence]; has {
			say("%s leave /live in the next good live cycle. Momentum, timeline and statistics begin anew.", cli.Plural(int(c.live), "fixture"))
		}
		if len(c.lost) > 0 {
			say("%s does not sell %s.", c.to.Provider, words(c.lost))
		}
	}
	say("Until the provider has accepted the credential, data routes answer 409: run mkt provider test %s at once. From then on the older data is served until the next good cycle.", t.ID)
	say("If %s has no market on any fixture, nothing is published, and what is published stays.", c.to)
	say("What was published and archived stays as it is, and can be read, explained and verified. A change back gives the earlier ids again.")
	return lines
}
