package accounts

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/credential"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/feed"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/connection"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/football"
)

func newProvider(g *Group) *cobra.Command {
	commands := append([]*cobra.Command{newProviderSet(g), newProviderRewrap(g), newProviderStatus(g), newProviderTest(g)}, g.newVerbs(g.providerVerbs())...)
	return cli.Group("provider", "Keep the tenants' provider connections", commands...)
}

func newProviderSet(g *Group) *cobra.Command {
	var p accounts.Provider
	var source, table string
	var yes bool
	cmd := &cobra.Command{
		Use:   "set ID --provider NAME",
		Short: "Connect a tenant's provider with a credential",
		Long: `Connect a tenant's provider. The credential is read from the terminal without
echo, or from stdin; never from an argument, which other users could see. It is
sealed before it is written.

For a provider that mkt does not read itself, somebody writes a feed, see
docs/feed.md: --provider feed, with the name of its source and its address.

A new credential of the connected provider keeps base URL, bookmaker, mapping
and --allow-private-address unless others are given; --base-url '' is the
provider's own, --bookmaker '' its default. Nothing of another provider is
kept: its credential must not be sent to the host of the one before.

If data of another provider, or with the prices of another bookmaker, is
published, the command says what the change means for clients, and asks. With
another provider, every fixture, market and selection gets another id.`,
		Example: `  mkt provider set acme --provider betsapi
  mkt provider set acme --provider sportmonks --yes < token
  mkt provider set acme --provider feed --source acme-odds \
    --base-url https://feeds.example.com/odds --mapping table.csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return terminal.Usagef("only the tenant is an argument: a credential is read from the terminal or stdin; others may have seen one that was given here, so change it")
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.Name == "" {
				return terminal.Usagef("which provider? give --provider NAME: %s", strings.Join(accounts.ConnectionNames(), ", "))
			}
			if name, of, is := strings.Cut(p.Name, ":"); is && name == accounts.Feed && (source == "" || source == of) { // as messages name it
				p.Name, source = name, of
			}
			if err := terminal.CheckWord("--provider", p.Name, accounts.ConnectionNames()...); err != nil {
				return err
			}
			if err := feedFlags(&p, source, table); err != nil {
				return err
			}
			return g.setProvider(cmd, args[0], p, yes)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&p.Name, "provider", "", "connect to this provider: "+strings.Join(accounts.ConnectionNames(), ", "))
	flags.StringVar(&p.BaseURL, "base-url", "", "use this base URL ('': the provider's own)")
	flags.StringVar(&source, "source", "", "with --provider feed: the name of the feed's source, a part of every id")
	flags.StringVar(&table, "mapping", "", "with --provider feed: map markets by the table in this CSV file ('': by none)")
	flags.StringVar(&p.Bookmaker, "bookmaker", "", "use this bookmaker's prices, if the provider sells those of several")
	flags.BoolVar(&p.AllowPrivateAddress, "allow-private-address", false, "allow a provider on loopback or a private network, such as the simulator")
	cmd.Flags().BoolVar(&yes, "yes", false, "change the provider or the bookmaker without asking; needed where there is no terminal")
	g.Keys.SealFlag(g.Settings, cmd)
	return cmd
}

// feedFlags turns the flags of a feed into its provider.
func feedFlags(p *accounts.Provider, source, table string) error {
	switch {
	case p.Name != accounts.Feed && source+table != "":
		return terminal.Usagef("--source and --mapping are for --provider %s", accounts.Feed)
	case p.Name != accounts.Feed:
		return nil
	case source == "":
		return terminal.Usagef("which source? give --source NAME, as the feed calls itself in every answer")
	}
	if reason := all.CheckSource(source); reason != "" {
		return terminal.Usagef("--source %q: %s", source, reason)
	}
	p.Name = feed.Prefix + source
	if table == "" {
		return nil
	}
	text, err := os.ReadFile(table)
	if err != nil {
		return fmt.Errorf("--mapping: %w", err)
	}
	p.Mapping = string(text)
	if len(text) == 0 || !utf8.Valid(text) {
		return fmt.Errorf("--mapping %s: is empty, or not in UTF-8; to go without a table, give --mapping ''", table)
	}
	if reason := accounts.CheckMapping(p.Name, p.Mapping); reason != "" {
		return fmt.Errorf("--mapping %s: %s", table, reason)
	}
	return nil
}

// keep sets what the command line leaves out to what the connection before has, if that is to the
// same provider. The permission for a private address belongs to the base URL that it was given for.
func keep(cmd *cobra.Command, p accounts.Provider, before *accounts.Provider) accounts.Provider {
	if before == nil || before.Name != p.Name {
		return p
	}
	given := cmd.Flags().Changed
	if !given("bookmaker") {
		p.Bookmaker = before.Bookmaker
	}
	if !given("mapping") {
		p.Mapping = before.Mapping
	}
	if !given("base-url") {
		p.BaseURL = before.BaseURL
	}
	if !given("allow-private-address") && p.BaseURL == before.BaseURL {
		p.AllowPrivateAddress = before.AllowPrivateAddress
	}
	return p
}

func checkProvider(p accounts.Provider) error {
	if reason := cmp.Or(accounts.MissingHost(&p), accounts.CheckBaseURL(p.BaseURL, p.AllowPrivateAddress)); reason != "" {
		return terminal.Usagef("--base-url: %s", reason)
	}
	if reason := accounts.RefusedHost(p); reason != "" {
		return terminal.Usagef("--base-url %s: %s: give --allow-private-address for a simulator, or --base-url '' for the provider's own", p.BaseURL, reason)
	}
	if reason := accounts.CheckBookmaker(p.Name, p.Bookmaker); reason != "" {
		return terminal.Usagef("--bookmaker: %s", reason)
	}
	return nil
}

// setProvider checks everything else before it asks for the credential.
func (g *Group) setProvider(cmd *cobra.Command, id string, p accounts.Provider, yes bool) error {
	t, err := g.LoadTenant(id)
	if err != nil {
		return err
	}
	asked := p
	p = keep(cmd, asked, t.Provider)
	if err := checkProvider(p); err != nil {
		return err
	}
	for _, product := range football.Products() {
		if _, has := t.Products[product]; has {
			if reason := accounts.CheckProduct(p.Name, product); reason != "" {
				return fmt.Errorf("tenant %s is subscribed to %s, and %s: take the product away first with mkt tenant product unset %s %s, or keep another provider",
					id, product, reason, id, product)
			}
		}
	}
	key, err := credential.LoadIdentity(g.Keys.Seal)
	if err != nil {
		return err
	}
	changed, err := connection.ChangeOf(g.Data, t, p)
	if err != nil && !yes {
		return fmt.Errorf("tenant %s: what is published cannot be read, so it is not known what the change means for clients: %w; run mkt doctor, or add --yes to change it all the same", id, err)
	}
	if changed != nil {
		if err := g.confirmChange(cmd.Context(), t, changed, yes); err != nil {
			return err
		}
	}
	pasted, err := g.ReadCredential("tenant " + id + " at " + p.Name)
	if err != nil {
		return err
	}
	if p.Credential, err = credential.Seal(key.Recipient(), id, p.Name, pasted); err != nil {
		return err
	}
	clean, err := credential.Clean(pasted)
	if err != nil {
		return err
	}
	p.Hint = credential.Hint(clean)
	set := func(t *accounts.Tenant) error {
		if now := keep(cmd, asked, t.Provider); now.BaseURL != p.BaseURL || now.Bookmaker != p.Bookmaker || now.Mapping != p.Mapping || now.AllowPrivateAddress != p.AllowPrivateAddress {
			return fmt.Errorf("tenant %s: its connection was changed meanwhile, so nothing was stored: run the command again", id)
		}
		t.Provider = &p
		return nil
	}
	done, err := g.editTenants(cmd.Context(), audit.ProviderSet, func(e *accounts.Editor) error { return e.Change(id, set) })
	if done == nil {
		return err
	}
	if g.JSON() {
		v := setView{ID: id, Source: connection.Source{Provider: p.Name, Bookmaker: p.BookmakerInUse()}, Hint: p.Hint}
		if changed != nil {
			v.Replaces = &changed.From
		}
		return errors.Join(err, g.Encode(v))
	}
	of := ""
	if maker := p.BookmakerInUse(); maker != "" {
		of = ", prices of " + maker
	}
	if p.BaseURL != "" {
		of += ", base URL " + p.BaseURL
	}
	printable.Fprintf(g.Out, "tenant %s: provider %s set%s, credential %s sealed\nNext:\n  %s provider test %s\n  %s cycle --tenant %s\n",
		id, p.Name, of, p.Hint, terminal.Self(), id, terminal.Self(), id)
	return err
}

type setView struct {
	ID string `json:"client_id"`
	connection.Source
	Hint     string             `json:"hint"`
	Replaces *connection.Source `json:"replaces,omitempty"` // whose data was published until now, if it was another's
}
