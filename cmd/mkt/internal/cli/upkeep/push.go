package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts/audit"
	"mkt/internal/cluster/store"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
)

type pushFlags struct {
	dataset.Filter
	dryRun, repair bool
}

func newPush(g *Group) *cobra.Command {
	var f pushFlags
	cmd := &cobra.Command{
		Use:   "push [--tenant ID | --all]",
		Short: "Store the publications of this data root in the object store",
		Long: `Store every publication of this data root that the object store does not have,
oldest first, without the files that retention has deleted. A data root begun
without an object store is pushed once; after that each cycle stores its own
publication. An interrupted push goes on where it ended.

It stops if the store has another publication of the same number: two
installations use one prefix.

With --repair it first reads these publications in the store, and stores
damaged or missing files again. A file that retention has deleted in this data
root stays as it is in the store.`,
		Example: `  mkt push --all --dry-run
  mkt push --tenant acme --repair
  mkt push --store s3://bucket/mkt?region=eu-central-1 --tenant acme`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.Check(); err != nil {
				return err
			}
			return g.push(cmd, f)
		},
	}
	cli.DatasetFlags(cmd, &f.Filter)
	cli.AllFlag(cmd, &f.Filter)
	g.leases.Flag(g.Settings, cmd)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would be stored, and store nothing; it does not wait for a running cycle")
	cmd.Flags().BoolVar(&f.repair, "repair", false, "read all of it in the store, and store damaged or missing files again")
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
		if err := g.WithData(func(data *durable.Disk) error { return s.SyncIDKey(ctx, data) }); err != nil {
			return err
		}
	}
	closeLeases, err := g.leases.Connect(g.Env, g.keys.ID, cmd.CommandPath())
	if err != nil {
		return err
	}
	defer closeLeases()
	deleted, err := g.deletedAccounts()
	if err != nil {
		return err
	}
	return g.Each("push", f.Filter, func(p dataset.Dataset) error {
		if deleted[p.Tenant] {
			return fmt.Errorf("the account was deleted, and its data is not stored again: mkt tenant delete %s deletes the rest of it here", p.Tenant)
		}
		return take(ctx, p, func(ctx context.Context, root *durable.Disk) error {
			d := s.Dataset(p.Tenant, p.Product)
			if f.repair {
				if err := g.repairOne(ctx, d, p, root, f.dryRun); err != nil {
					return err
				}
			}
			return g.pushOne(ctx, d, p, root, f.dryRun)
		})
	})
}

// repairOne stores damaged objects of the store again. It is an error if damage remains.
func (g *Group) repairOne(ctx context.Context, d *store.Dataset, p dataset.Dataset, root *durable.Disk, dryRun bool) error {
	bar := g.NewBar("repair "+p.String(), "publications")
	done, err := d.Repair(ctx, root, store.PushOptions{DryRun: dryRun, Progress: bar.Set})
	bar.Done()
	if err != nil {
		return err
	}
	if g.JSON() {
		err = g.Encode(map[string]any{"client_id": p.Tenant, "product": p.Product, "dry_run": dryRun, "repaired_records": done.Records,
			"repaired_packs": done.Packs, "repaired_segments": done.Segments, "left": done.Left})
	} else if n := done.Records + done.Packs + done.Segments; n == 0 && len(done.Left) == 0 {
		_, err = printable.Fprintf(g.Out, "%s: nothing is damaged in the store\n", p)
	} else {
		verb := "stored again"
		if dryRun {
			verb = "would be stored again"
		}
		_, err = printable.Fprintf(g.Out, "%s: %s damaged or missing, %s: %s, %s, %s of the change log\n", p, terminal.Plural(n, "object"), verb,
			terminal.Plural(done.Records, "record"), terminal.Plural(done.Packs, "pack"), terminal.Plural(done.Segments, "segment"))
	}
	if err == nil && len(done.Left) > 0 {
		err = fmt.Errorf("push %s: %s damaged or missing in the store, and not whole in this data root: %s and so on: push from a data root that has them whole",
			p, terminal.Plural(len(done.Left), "object"), done.Left[0])
	}
	return err
}

// deletedAccounts returns the accounts deleted by mkt tenant delete and not added again.
// On a copied data root without accounts, it returns nil: nothing is known of them.
func (g *Group) deletedAccounts() (map[string]bool, error) {
	f, err := g.LoadTenants()
	if err != nil {
		if _, missing := os.Stat(g.Tenants); errors.Is(missing, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	log, err := audit.Open(g.Tenants, audit.Filter{Action: audit.TenantDelete})
	if errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	deleted := map[string]bool{}
	for _, e := range log.Entries {
		if _, again := f.Tenant(e.Tenant); !again {
			deleted[e.Tenant] = true
		}
	}
	return deleted, nil
}

func (g *Group) pushOne(ctx context.Context, d *store.Dataset, p dataset.Dataset, root *durable.Disk, dryRun bool) error {
	bar := g.NewBar("push "+p.String(), "publications")
	done, err := d.Push(ctx, root, store.PushOptions{DryRun: dryRun, Progress: bar.Set})
	bar.Done()
	if err == nil && !dryRun {
		err = g.WithData(func(data *durable.Disk) error { return d.ShipStates(ctx, data, root) })
	}
	if err != nil {
		return err
	}
	n := int(done.Last + 1 - done.First)
	verb := "stored"
	if dryRun {
		verb = "would be stored"
	}
	answer := map[string]any{"client_id": p.Tenant, "product": p.Product, "dry_run": dryRun, "publications": n, "first": done.First, "last": done.Last,
		"whole": done.Packs, "archives": done.Archives}
	if n == 0 {
		return g.AnswerLine(answer, "%s: the store has everything\n", p)
	}
	return g.AnswerLine(answer, "%s: %s %s (versions %d to %d), %d of them with their data, %s of older answers\n",
		p, terminal.Plural(n, "publication"), verb, done.First, done.Last, done.Packs, terminal.Plural(done.Archives, "archive"))
}
