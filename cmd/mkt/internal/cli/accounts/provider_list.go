package accounts

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/printable"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
)

type adapterView struct {
	Name         string                `json:"name"`
	BaseURL      string                `json:"base_url"`
	Hosts        []string              `json:"hosts"`
	Capabilities []provider.Capability `json:"capabilities"`
	Budget       string                `json:"budget"`              // requests and window
	Bookmaker    string                `json:"bookmaker,omitempty"` // whose prices an account takes that has chosen none; "" where there is none to choose
}

type providersView struct {
	Adapters    []adapterView    `json:"adapters"`
	Connections []connectionView `json:"connections"` // of every tenant, in the order of tenants.yaml
}

func newProviderList(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the providers, and every tenant's connection",
		Example: `  mkt provider list`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			f, err := g.LoadTenants()
			if err != nil {
				return err
			}
			v, err := g.providers(f)
			if err != nil {
				return err
			}
			return g.Answer(v, v.print)
		},
	}
}

func (g *Group) providers(f *tenants.File) (providersView, error) {
	v := providersView{Connections: []connectionView{}}
	for _, p := range all.All() {
		v.Adapters = append(v.Adapters, adapterView{p.Name, p.BaseURL, p.Hosts, p.Capabilities,
			fmt.Sprintf("%d per %s", p.Budget.Requests, cli.Span(p.Budget.Window.String())), p.Bookmaker("")})
	}
	for i := range f.Tenants {
		c, err := g.connection(&f.Tenants[i])
		if err != nil {
			return v, err
		}
		v.Connections = append(v.Connections, c)
	}
	return v, nil
}

func (v providersView) print(out io.Writer) error {
	w := cli.NewTableWriter(out)
	w.Header("PROVIDER", "HOSTS", "CAPABILITIES", "BUDGET", "BOOKMAKER")
	for _, p := range v.Adapters {
		printable.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Name, cli.OrDash(p.Hosts), cli.Dash(words(p.Capabilities)), p.Budget, cli.Dash(p.Bookmaker))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	w.Header("TENANT", "PROVIDER", "BOOKMAKER", "CREDENTIAL", "STATUS", "LAST SUCCESS", "LAST ATTEMPT", "CODE")
	for _, c := range v.Connections {
		w.Styles(cli.Normal, cli.Normal, cli.Normal, cli.Normal, statusStyle(c.Status))
		printable.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.ID, cli.Dash(c.Provider), cli.Dash(c.Bookmaker), cli.Dash(c.Hint), c.state(),
			cli.Instant(c.LastSuccessAt), cli.Instant(c.LastAttemptAt), cli.Dash(string(c.Code)))
	}
	return w.Flush()
}
