package accounts

import (
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
)

func newTenant(g *Group) *cobra.Command {
	group := func(name, short string, verbs []verb) *cobra.Command {
		return cli.Group(name, short, g.newVerbs(verbs)...)
	}
	commands := []*cobra.Command{newTenantAdd(g), newTenantList(g), newTenantShow(g), newTenantValidate(g), newTenantLog(g), newTenantRequests(g), g.newVerb(g.nameVerb())}
	commands = append(commands, g.newVerbs(g.statusVerbs())...)
	return cli.Group("tenant", "Keep the accounts in tenants.yaml", append(commands, newTenantDelete(g),
		group("token", "Issue, rotate and end API tokens", g.tokenVerbs()),
		group("product", "Set which products a tenant is subscribed to, and for how long", g.productVerbs()),
		group("feature", "Switch features on and off", g.featureVerbs()),
		group("origin", "Say which browser origins may read", g.originVerbs()),
		group("limit", "Set the rate limit", []verb{g.limitVerb()}),
		group("schedule", "Set when a tenant's cycles run", g.scheduleVerbs()))...)
}

func newTenantList(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the tenants",
		Example: `  mkt tenant list`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			f, err := g.LoadTenants()
			if err != nil {
				return err
			}
			views := make([]tenantView, 0, len(f.Tenants))
			for i := range f.Tenants {
				views = append(views, viewOf(&f.Tenants[i], g.Now()))
			}
			if g.JSON() {
				return g.Encode(views)
			}
			if len(views) == 0 && terminal.OnTerminal(g.Out) {
				_, err := printable.Fprintf(g.Out, "%s has no tenants yet: mkt tenant add ID --product market_engine adds one\n", f.Name)
				return err
			}
			w := terminal.NewTableWriter(g.Out)
			w.Header("TENANT", "STATUS", "PRODUCTS", "PROVIDER", "TOKENS", "NAME")
			for _, v := range views {
				printable.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", v.ID, v.Status, v.products(), v.provider(), len(v.Tokens), v.Name)
			}
			return w.Flush()
		},
	}
}

func newTenantShow(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show one tenant",
		Example: `  mkt tenant show acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := g.LoadTenant(args[0])
			if err != nil {
				return err
			}
			v := viewOf(t, g.Now())
			return g.Answer(v, v.print)
		},
	}
}
