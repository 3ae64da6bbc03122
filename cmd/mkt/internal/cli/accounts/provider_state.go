package accounts

import (
	"fmt"

	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
)

// providerVerbs disable, enable and unset a connection.
func (g *Group) providerVerbs() []verb {
	turn := func(off bool, word string) func([]string) (step, error) {
		return func(args []string) (step, error) {
			return step{edit: func(t *accounts.Tenant) error { return t.DisableProvider(off) },
				print: func(t *accounts.Tenant) error { return g.printSwitched(t, word) }}, nil
		}
	}
	return []verb{
		{use: "disable ID", short: "Switch a provider connection off: data routes answer 409",
			long: `Switch a tenant's provider connection off. The provider is not asked any more,
and data routes answer 409 PROVIDER_NOT_CONNECTED. The credential stays in the
file, sealed; mkt provider enable undoes it.`,
			example: "mkt provider disable acme", action: audit.ProviderDisable, prepare: turn(true, "disabled")},
		{use: "enable ID", short: "Switch a tenant's provider connection on",
			example: "mkt provider enable acme", action: audit.ProviderEnable, prepare: turn(false, "enabled")},
		{use: "unset ID", short: "Remove a provider connection with its credential",
			long: `Remove a tenant's provider connection, with its sealed credential: the
provider is not asked any more, and data routes answer 409
PROVIDER_NOT_CONNECTED. To connect it later the credential must be entered
again. Copies of tenants.yaml, such as those in git, still hold it, sealed.
mkt provider disable keeps it.`,
			example: "mkt provider unset acme", action: audit.ProviderUnset, asks: always,
			prepare: func(args []string) (step, error) {
				return step{question: fmt.Sprintf("Remove the provider connection of tenant %s with its credential? This cannot be undone.", args[0]),
					edit: func(t *accounts.Tenant) error { t.Provider = nil; return nil },
					print: func(t *accounts.Tenant) error {
						return g.AnswerLine(map[string]any{"client_id": t.ID, "provider": nil}, "tenant %s: no provider, and no credential, is kept\n", t.ID)
					}}, nil
			}},
	}
}

func (g *Group) printSwitched(t *accounts.Tenant, word string) error {
	v, err := g.connection(t)
	if err != nil {
		return err
	}
	return g.AnswerLine(v, "tenant %s: provider %s %s, the connection is %s\n", t.ID, v.Provider, word, v.Status)
}
