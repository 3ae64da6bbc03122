package accounts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch"
	"mkt/fetch/provider/all"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

func newProviderTest(g *Group) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test ID",
		Short: "Ask a tenant's provider whether the credential is good",
		Long: `Ask a tenant's provider one cheap question, to see whether the credential is
good. The answer changes the status of the connection, which a running mkt
serve follows.

Exit code 0: the credential is good; 1: it is refused, or does not include the
product; 75: the provider cannot be reached, or the credential is good and its
quota is used up.`,
		Example: `  mkt provider test acme`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return g.testProvider(cmd, args[0]) },
	}
	g.Keys.SealFlag(g.Settings, cmd)
	return cmd
}

type testView struct {
	ID       string            `json:"client_id"`
	Provider string            `json:"provider"`
	Hint     string            `json:"hint"`
	OK       bool              `json:"ok"`
	Status   health.Connection `json:"status"` // of the connection, now
	Code     health.Code       `json:"code,omitempty"`
	Error    string            `json:"error,omitempty"`
	Endpoint string            `json:"endpoint"`
	Requests int               `json:"requests"`
	Quota    *health.Quota     `json:"quota"` // nil: the provider reported none
	Seconds  float64           `json:"seconds"`
}

func (g *Group) testProvider(cmd *cobra.Command, id string) error {
	t, err := g.LoadTenant(id)
	if err != nil {
		return err
	}
	whom, err := t.FetchTenant()
	if err != nil {
		return err
	}
	open, err := g.Keys.Opener()
	if err != nil {
		return err
	}
	var found fetch.Probed
	err = g.inTenant(id, func(root durable.FS) (err error) {
		found, err = fetch.Test(cmd.Context(), fetch.Options{
			Tenant: whom, Root: root, Provider: all.Lookup, Now: g.Now, Log: g.Log,
			Open: open,
		})
		return err
	})
	return g.printTest(t, found, err)
}

// inTenant calls do with the folder of a tenant, under its lock: one test at a time.
func (g *Group) inTenant(id string, do func(durable.FS) error) error {
	data, err := durable.OpenRoot(g.Data)
	if err != nil {
		return fmt.Errorf("data root: %w", err)
	}
	defer data.Close()
	root, err := data.MakeWithin(layout.Tenant(id))
	if err != nil {
		return fmt.Errorf("data root: %w", err)
	}
	defer root.Close()
	lock, err := root.Lock(layout.Lock)
	if errors.Is(err, durable.ErrLocked) {
		return fmt.Errorf("tenant %s: %w: another test of the connection is under way; try again later", id, durable.ErrLocked)
	}
	if err != nil {
		return fmt.Errorf("tenant %s: %w", id, err)
	}
	defer lock.Close()
	return errors.Join(do(root), g.ownAs(g.Data, g.TenantDir(id), layout.Lock, layout.StateDir))
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
		err = errors.Join(err, tenants.SameOwner(path, as))
	}
	return err
}

func (g *Group) printTest(t *tenants.Tenant, found fetch.Probed, failed error) error {
	now, err := g.connection(t)
	if err != nil {
		return errors.Join(failed, err)
	}
	v := testView{ID: t.ID, Provider: now.Provider, Hint: now.Hint, OK: failed == nil, Status: now.Status, Code: found.Code, Error: cli.Message(failed),
		Endpoint: found.Endpoint, Requests: found.Requests, Quota: found.Quota, Seconds: found.Took.Round(time.Millisecond).Seconds()}
	if g.JSON() {
		return errors.Join(failed, g.Encode(v))
	}
	if failed == nil {
		plain.Fprintf(g.Out, "tenant %s: %s accepts the credential %s (%s, %s, %.1f s); the connection is %s\n",
			v.ID, v.Provider, v.Hint, v.Endpoint, cli.Plural(v.Requests, "request"), v.Seconds, v.Status)
		if v.Quota != nil {
			fmt.Fprintf(g.Out, "its quota: %s\n", v.Quota.Describe(g.Now()))
		}
		return nil
	}
	plain.Fprintf(g.Out, "tenant %s: the connection is %s\n", v.ID, v.Status)
	return failed
}
