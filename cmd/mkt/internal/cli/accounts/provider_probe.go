package accounts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/fetch"
	"mkt/fetch/provider/all"
	"mkt/internal/accounts"
	"mkt/internal/connection"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
)

func newProviderTest(g *Group) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test ID",
		Short: "Test a tenant's credential, and show what the plan includes",
		Long: `Ask a tenant's provider whether the credential is good, how much of the quota
is left, and what the plan of the account includes. That takes up to six cheap
requests, which docs/providers.md lists with their cost. The answers change the
status of the connection and the capabilities of the account, which a running
mkt serve follows.

Exit code 0: the credential is good; 1: it is refused, the provider does not
know the bookmaker, or the plan does not include what a product of the tenant
needs; 75: the provider cannot be
reached, or the credential is good and its quota is used up.`,
		Example: `  mkt provider test acme`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := g.LoadTenant(args[0])
			if err != nil {
				return err
			}
			return g.testProvider(cmd.Context(), t)
		},
	}
	g.Keys.SealFlag(g.Settings, cmd)
	return cmd
}

type testView struct {
	ID         string              `json:"client_id"`
	Provider   string              `json:"provider"`
	Hint       string              `json:"hint"`
	OK         bool                `json:"ok"`
	Status     health.Connection   `json:"status"` // of the connection, now
	Code       health.Code         `json:"code,omitempty"`
	Error      string              `json:"error,omitempty"`
	Endpoints  []string            `json:"endpoints"`  // asked, in this order
	Unanswered []fetch.FailedProbe `json:"unanswered"` // of them those that show nothing, because they failed
	Requests   int                 `json:"requests"`   // sent, retries among them
	Quota      *health.Quota       `json:"quota"`      // nil: the provider reported none
	connection.Terms
	Seconds float64 `json:"seconds"`
}

func (g *Group) testProvider(ctx context.Context, t *accounts.Tenant) error {
	whom, err := t.FetchTenant()
	if err != nil {
		return err
	}
	open, err := g.Keys.Opener()
	if err != nil {
		return err
	}
	var found fetch.Probed
	err = g.inTenant(t.ID, func(data, root durable.FS) (err error) {
		found, err = fetch.Test(ctx, fetch.Options{
			Tenant: whom, Root: root, Provider: all.Lookup, Now: g.Now, Log: g.Log,
			Open: open,
		})
		return errors.Join(err, g.shipStates(ctx, t.ID, data))
	})
	if err == nil {
		if err = notInPlan(t, found.Plan); err != nil {
			found.Code = health.CodePermission
		} else if err = unknownBookmaker(t, found.Failed); err != nil {
			found.Code = health.CodePayloadRejected
		}
	}
	return g.printTest(t, found, err)
}

// shipStates makes the result of a test known to the machines that run the cycles.
func (g *Group) shipStates(ctx context.Context, id string, data durable.ReadFS) error {
	if !g.HasStore() {
		return nil
	}
	s, err := g.Store(ctx)
	if err != nil {
		return err
	}
	return s.ShipAccountStates(ctx, id, data)
}

// notInPlan returns an error if a test showed that the plan does not include what a
// product of the tenant needs.
func notInPlan(t *accounts.Tenant, plan *health.Plan) error {
	for _, p := range football.Products() {
		if _, has := t.Products[p]; has && plan.Refuses(p.Needs()) {
			return fmt.Errorf("tenant %s: the credential is good, but the plan does not include %s, which %s needs: buy it from %s and test again, store another credential with: mkt provider set %s --provider %s, or take the product away with: mkt tenant product unset %s %s",
				t.ID, p.Needs(), p, t.Provider.Name, t.ID, t.Provider.Name, t.ID, p)
		}
	}
	return nil
}

// unknownBookmaker returns an error if a request of a test failed because the provider does not
// know the bookmaker of the tenant.
func unknownBookmaker(t *accounts.Tenant, failed []fetch.FailedProbe) error {
	p, known := all.Lookup(t.Provider.Name)
	if !known || p.Bookmakers == nil || p.Bookmakers.Unknown == "" ||
		!slices.ContainsFunc(failed, func(f fetch.FailedProbe) bool { return f.Reason == p.Bookmakers.Unknown }) {
		return nil
	}
	return fmt.Errorf("tenant %s: the credential is good, but %s does not know the bookmaker %s: choose one as %s spells it, such as its default, with: mkt provider set %s --provider %s --bookmaker %s",
		t.ID, p.Name, p.Bookmaker(t.Provider.Bookmaker), p.Name, t.ID, p.Name, p.Bookmakers.Default)
}

// inTenant calls do with the data root and the folder of a tenant, under its lock: one test at a time.
func (g *Group) inTenant(id string, do func(data, root durable.FS) error) error {
	data, err := durable.OpenRoot(g.Data)
	if err != nil {
		return fmt.Errorf("data root: %w", err)
	}
	defer data.Close()
	root, lock, err := g.Accounts.OpenFolder(g.Tenants, data, id, layout.Tenant(id))
	if errors.Is(err, durable.ErrLocked) {
		return fmt.Errorf("tenant %s: %w: another test of the connection is under way; try again later", id, durable.ErrLocked)
	}
	if err != nil {
		return fmt.Errorf("tenant %s: %w", id, err)
	}
	defer root.Close()
	defer lock.Close()
	return errors.Join(do(data, root), g.ownAs(g.Data, g.TenantDir(id), layout.Lock, layout.StateDir))
}

// ownAs gives the files that root made in a folder to the owner of the data root, so that
// the services can write there.
func (g *Group) ownAs(data, dir string, names ...string) error {
	as, err := os.Stat(data)
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	paths := []string{dir}
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	inside, err := filepath.Glob(filepath.Join(dir, layout.StateDir, "*"))
	for _, path := range append(paths, inside...) {
		err = errors.Join(err, accounts.GiveOwner(path, as))
	}
	return err
}

func (g *Group) printTest(t *accounts.Tenant, found fetch.Probed, failed error) error {
	now, err := g.connection(t)
	if err != nil {
		return errors.Join(failed, err)
	}
	v := testView{ID: t.ID, Provider: now.Provider, Hint: now.Hint, OK: failed == nil, Status: now.Status, Code: found.Code, Error: terminal.Message(failed),
		Endpoints: append([]string{}, found.Endpoints...), Unanswered: append([]fetch.FailedProbe{}, found.Failed...), Requests: found.Requests, Quota: found.Quota,
		Terms: connection.TermsOf(found.Plan), Seconds: found.Took.Round(time.Millisecond).Seconds()}
	return errors.Join(g.Answer(v, func(out io.Writer) error {
		if v.OK {
			printable.Fprintf(out, "tenant %s: %s accepts the credential %s (%s, %.1f s); the connection is %s\n",
				v.ID, v.Provider, v.Hint, terminal.Plural(v.Requests, "request"), v.Seconds, v.Status)
		} else {
			printable.Fprintf(out, "tenant %s: the connection is %s\n", v.ID, v.Status)
		}
		for _, u := range v.Unanswered {
			printable.Fprintf(out, "unanswered: %s (%s)\n", u.Endpoint, strings.TrimSuffix(string(u.Code)+": "+u.Reason, ": "))
		}
		fmt.Fprintln(out)
		return now.print(out, g.Now())
	}), failed)
}
