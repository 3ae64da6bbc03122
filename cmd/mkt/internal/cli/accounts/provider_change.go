package accounts

import (
	"context"
	"fmt"
	"strings"

	"mkt/internal/accounts"
	"mkt/internal/connection"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
)

// confirmChange says what a change means, and asks whether it is meant.
func (g *Group) confirmChange(ctx context.Context, t *accounts.Tenant, c *connection.Change, yes bool) error {
	if !g.JSON() || !yes {
		for line := range strings.SplitSeq(means(c, t.ID), "\n") {
			printable.Fprintf(g.Errs, "%s\n", line)
		}
	}
	return g.Confirm(ctx, fmt.Sprintf("Change tenant %s from %s to %s?", t.ID, c.From, c.To), yes)
}

// means says what happens after the change.
func means(c *connection.Change, id string) string {
	next := fmt.Sprintf(`- Every fixture, market and selection gets another id. The next good market cycle removes %s of %s and adds those of %s,
  in one publication; --accept-removals is not needed.
`, terminal.Plural(int(c.Fixtures), "fixture"), c.From.Provider, c.To.Provider)
	if c.From.Provider == c.To.Provider {
		next = fmt.Sprintf(`- The ids stay, and the next good cycle replaces all prices of %s: those of two bookmakers are never mixed.
- To keep the prices of %s: --bookmaker %s.
`, terminal.Plural(int(c.Fixtures), "fixture"), c.From.Bookmaker, c.From.Bookmaker)
	}
	return fmt.Sprintf(`tenant %s: what is published is of %s, and this connects %s.
%s- Clients see an event for each fixture that changes; there is no gap in seq, and no reset.
- Until the provider has accepted the credential, data routes answer 409: run mkt provider test %s at once.
docs/operators.md says more, under "Changing a provider or a bookmaker".`, id, c.From, c.To, next, id)
}
