package batch

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/plain"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/store"
)

type pushFlags struct {
	cli.Filter
	dryRun bool
}

func newPush(g *Group) *cobra.Command {
	var f pushFlags
	cmd := &cobra.Command{
		Use:   "push [--tenant ID | --all]",
		Short: "Store the publications of this data root in the object store",
		Long: `Store every publication of this data root that the object store does not have,
oldest first, with what retention has left of it. A data root that was begun
without an object store is pushed once; after that each cycle stores its own
publication. A push that is interrupted goes on where it ended.

It stops if the store has another publication of the same number: two
installations use one prefix.`,
		Example: `  mkt push --all --dry-run
  mkt push --store s3://bucket/mkt?region=eu-central-1 --tenant acme`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.Check(); err != nil {
				return err
			}
			return g.push(cmd, f)
		},
	}
	f.Filter.Flags(cmd)
	f.AllFlag(cmd)
	g.leases.Flag(g.Settings, cmd)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would be stored, and store nothing; it does not wait for a cycle that is running")
	return cmd
}

func (g *Group) push(cmd *cobra.Command, f pushFlags) error {
	ctx := cmd.Context()
	open, take := g.WritableStore, g.locked
	if f.dryRun {
		open, take = g.Store, g.unlocked
	}
	s, err := open(ctx)
	if err != nil {
		return err
	}
	if !f.dryRun {
		if err := g.withData(func(data *durable.Disk) error { return s.SyncIDKey(ctx, data) }); err != nil {
			return err
		}
	}
	closeLeases, err := g.connect(ctx, cmd.CommandPath())
	if err != nil {
		return err
	}
	defer closeLeases()
	return g.Each("push", f.Filter, func(p cli.Dataset) error {
		return take(ctx, p, func(ctx context.Context, root *durable.Disk) error {
			return g.pushOne(ctx, s.Dataset(p.Tenant, p.Product), p, root, f.dryRun)
		})
	})
}

// withData opens the data root for writing.
func (g *Group) withData(do func(*durable.Disk) error) error {
	data, err := durable.OpenRoot(g.Data)
	if err != nil {
		return fmt.Errorf("data root: %w", err)
	}
	defer data.Close()
	return do(data)
}

func (g *Group) pushOne(ctx context.Context, d *store.Dataset, p cli.Dataset, root *durable.Disk, dryRun bool) error {
	bar := g.NewBar("push "+p.String(), "publications")
	done, err := d.Push(ctx, root, store.PushOptions{DryRun: dryRun, Progress: bar.Set})
	bar.Done()
	if err == nil && !dryRun {
		err = g.withData(func(data *durable.Disk) error {
			account, err := data.MakeWithin(layout.Tenant(p.Tenant))
			if err != nil {
				return err
			}
			defer account.Close()
			return d.ShipStates(ctx, root, account)
		})
	}
	if err != nil {
		return err
	}
	n := int(done.Last + 1 - done.First)
	if g.JSON() {
		return g.Encode(map[string]any{"tenant": p.Tenant, "product": p.Product, "dry_run": dryRun, "publications": n, "first": done.First, "last": done.Last,
			"whole": done.Packs, "archives": done.Archives})
	}
	if n == 0 {
		_, err = plain.Fprintf(g.Out, "%s: the store has everything\n", p)
		return err
	}
	verb := "stored"
	if dryRun {
		verb = "would be stored"
	}
	_, err = plain.Fprintf(g.Out, "%s: %s %s (versions %d to %d), %d of them with their data, %s of older answers\n",
		p, cli.Plural(n, "publication"), verb, done.First, done.Last, done.Packs, cli.Plural(done.Archives, "archive"))
	return err
}
