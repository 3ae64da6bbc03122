package evidence

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/fetch"
	"mkt/fetch/provider/all"
	"mkt/internal/accounts"
	"mkt/internal/cluster/store"
	"mkt/internal/evidence/doctor"
	"mkt/internal/evidence/document"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/serve"
)

type doctorFlags struct {
	tenant  string
	online  bool
	serving bool
	verbose bool
	usage   string
	log     commitlog.Files
}

func newDoctor(g *Group) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and say how to fix what is wrong",
		Long: `Check keys, files, accounts, schedules, snapshots, clock, locks, disk and the
transparency log, and report what is wrong, where, and how to fix it. It
changes nothing. It asks the servers of --store and --redis, if there
are such settings, and with --online it sends each provider one cheap request.
In the object store it writes a probe and deletes it; with --serving it only
reads there.

The exit code is 0 if nothing fails, 1 otherwise; a warning is not a failure.`,
		Example: `  mkt doctor
  mkt doctor --tenant acme --online`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			shared, err := g.redis.Address()
			if err != nil {
				return err
			}
			o := g.doctorOptions(cmd, f)
			o.Redis, o.RedisInConfig = shared, g.Settings.InFile("redis")
			report := doctor.Run(cmd.Context(), o)
			if err := g.show(report, func() *document.Document { return report.Document(f.verbose) }); err != nil {
				return err
			}
			if !report.Healthy {
				return fmt.Errorf("doctor: %s", terminal.Plural(report.Failures, "failure"))
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.tenant, "tenant", "", "check only this tenant, and the parts shared by all tenants")
	flags.BoolVar(&f.online, "online", false, "send each provider one cheap request")
	flags.BoolVar(&f.serving, "serving", false, "treat this host or user as one that only serves, without keys and without writing data")
	flags.BoolVar(&f.verbose, "verbose", false, "also list the checks that found nothing wrong")
	cli.TextOnly(flags, "verbose")
	flags.StringVar(&f.usage, "usage-dir", "", "check this folder, which serve writes usage counters to (default: usage below the data root)")
	g.Settings.BindPath(flags, "usage-dir", "serve.usage_dir")
	g.Keys.SealFlag(g.Settings, cmd)
	g.Keys.IDFlag(g.Settings, cmd)
	cli.LogKeyFlag(&f.log, g.Settings, cmd)
	cli.LogPolicyFlag(&f.log, g.Settings, cmd)
	g.redis.Flag(g.Settings, cmd)
	daemon.ServiceFlags(g.Settings, cmd, &g.service)
	return cmd
}

func (g *Group) doctorOptions(cmd *cobra.Command, f doctorFlags) doctor.Options {
	o := doctor.Options{
		Config: g.Settings.File, Tenants: g.Tenants, Data: g.Data, SealKey: g.Keys.Seal, IDKey: g.Keys.ID,
		LogKey: f.log.Key, LogPolicy: f.log.Policy,
		ServiceName: g.service.Name, SupportEmail: g.service.SupportEmail,
		Tenant: f.tenant, Keyless: f.serving, Products: football.Products(), Command: cli.SameCommand(cmd), Now: g.Now,
		Loads: filepath.Join(cmp.Or(f.usage, filepath.Join(g.Data, serve.UsageFolder)), serve.LoadsFolder),
	}
	if g.HasStore() {
		o.Store, o.StoreName, o.SharedTenants = g.Store, store.Redact(g.StoreURL), g.SharedTenants
	}
	if f.online {
		o.Probe = g.prober()
	}
	return o
}

// prober returns a function to test a connection. The key is read at the first call.
func (g *Group) prober() func(context.Context, *accounts.Tenant, football.Product) (fetch.Probed, error) {
	opener := sync.OnceValues(g.Keys.Opener)
	return func(ctx context.Context, t *accounts.Tenant, p football.Product) (fetch.Probed, error) {
		open, err := opener()
		if err != nil {
			return fetch.Probed{}, err
		}
		tenant, err := t.FetchTenant()
		if err != nil {
			return fetch.Probed{}, err
		}
		return fetch.Probe(ctx, fetch.Options{
			Tenant: tenant, Product: p, Provider: all.Lookup, Now: g.Now, Log: g.Log,
			Open: open,
		})
	}
}
