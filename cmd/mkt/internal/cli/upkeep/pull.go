package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/cluster/store"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/internal/timetext"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

type pullFlags struct {
	dataset.Filter
	from, to string
	dryRun   bool
}

func newPull(g *Group) *cobra.Command {
	var f pullFlags
	cmd := &cobra.Command{
		Use:   "pull [--tenant ID | --all] [--from TIME] [--to TIME]",
		Short: "Copy publications from the object store into a data root",
		Long: `Copy publications from the object store into the data root of --data: of all
accounts or one, of all time or of a span. The copies can be verified,
inspected, explained and served as where they were published. Published files
are compared with their hashes before they get their names; mkt verify
compares the archived answers. An interrupted pull goes on where it ended.

It is the restore of an installation whose publications are in a store: pull
into an empty folder, then mkt verify --all --data DIR. The store lacks only
the archived answers and canonical rows of unpublished cycles. The backup of a
transparency log is unpacked by hand.`,
		Example: `  mkt pull --data /srv/restored --all --dry-run
  mkt pull --data /tmp/noon --from 2026-11-21T12:00Z --to 2026-11-21T13:00Z`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.Check(); err != nil {
				return err
			}
			return g.pull(cmd.Context(), f)
		},
	}
	cli.DatasetFlags(cmd, &f.Filter)
	cli.AllFlag(cmd, &f.Filter)
	cmd.Flags().StringVar(&f.from, "from", "", "begin with the publication served at this time: "+timetext.Forms+" (default: the oldest one)")
	cmd.Flags().StringVar(&f.to, "to", "", "end with the publication served at this time (default: the newest one)")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would be copied, and copy nothing")
	return cmd
}

func (g *Group) pull(ctx context.Context, f pullFlags) error {
	from, err := g.TimeArg("--from", f.from, timetext.Past)
	if err != nil {
		return err
	}
	to, err := g.TimeArg("--to", f.to, timetext.Past)
	if err != nil {
		return err
	}
	if !from.IsZero() && !to.IsZero() && to.Before(from) {
		return terminal.Usagef("--to is before --from")
	}
	s, err := g.Store(ctx)
	if err != nil {
		return err
	}
	list, err := g.inStore(ctx, s, f.Filter)
	if err != nil {
		return err
	}
	if !f.dryRun {
		if err := g.WithData(func(data *durable.Disk) error { return s.SyncIDKey(ctx, data) }); err != nil {
			return err
		}
	}
	failed, any := cli.Failures{Of: len(list)}, false
	for _, d := range list {
		has, err := g.pullOne(ctx, s, d, store.PullOptions{From: from, To: to, DryRun: f.dryRun})
		if any = any || has; err != nil {
			failed.Add(g.Env, fmt.Errorf("pull %s: %w", d, err))
		}
	}
	if err := failed.Err(); err != nil || any {
		return err
	}
	return fmt.Errorf("object store %s: %w", store.Redact(g.StoreURL), errNotInStore)
}

// pullOne reports whether there is a publication, copied now or before.
func (g *Group) pullOne(ctx context.Context, s *store.Store, d *store.Dataset, o store.PullOptions) (has bool, err error) {
	bar := g.NewBar("pull "+d.String(), "publications")
	o.Progress = bar.Set
	var done store.Pulled
	if o.DryRun {
		done, err = g.planPull(ctx, d, o)
	} else {
		done, err = g.pullInto(ctx, s, d, o)
	}
	bar.Done()
	if err != nil {
		return false, err
	}
	has = done.Last >= done.First
	if root, err := g.Dataset(d.ClientID(), d.Product()).Open(); err == nil && !has {
		defer root.Close()
		_, has, _ = snapshot.Head(root) // an unreadable publication counts as one
	}
	return has, g.printPulled(d, o.DryRun, done)
}

// planPull measures a pull. The folder need not exist.
func (g *Group) planPull(ctx context.Context, d *store.Dataset, o store.PullOptions) (store.Pulled, error) {
	root, err := g.Dataset(d.ClientID(), d.Product()).Open()
	if errors.Is(err, fs.ErrNotExist) {
		return d.Pull(ctx, nil, o)
	}
	if err != nil {
		return store.Pulled{}, err
	}
	defer root.Close()
	return d.Pull(ctx, root, o)
}

func (g *Group) pullInto(ctx context.Context, s *store.Store, d *store.Dataset, o store.PullOptions) (done store.Pulled, err error) {
	err = g.WithData(func(data *durable.Disk) error {
		root, err := data.MakeWithin(layout.TenantProduct(d.ClientID(), string(d.Product())))
		if err != nil {
			return err
		}
		defer root.Close()
		lock, err := root.Lock(layout.Lock)
		if err != nil {
			return err
		}
		defer lock.Close()
		if done, err = d.Pull(ctx, root, o); err != nil {
			return err
		}
		return cli.WithAccount(data, d.ClientID(), func(account durable.FS) error { return s.CopyAccountStates(ctx, d.ClientID(), account) })
	})
	return done, err
}

func (g *Group) printPulled(d *store.Dataset, dryRun bool, done store.Pulled) error {
	n := int(done.Last + 1 - done.First)
	answer := map[string]any{"client_id": d.ClientID(), "product": d.Product(), "dry_run": dryRun, "publications": n, "first": done.First, "last": done.Last,
		"whole": done.Packs, "archives": done.Archives, "bytes": done.Bytes}
	if n == 0 {
		return g.AnswerLine(answer, "%s: nothing to copy: the data root has it all, or nothing was published then\n", d)
	}
	verb, size := "copied", terminal.Plural(done.Archives, "archive")+" of older answers"
	if dryRun {
		verb, size = "would be copied", terminal.Size(done.Bytes)
	}
	return g.AnswerLine(answer, "%s: %s %s (versions %d to %d), %d of them with their data, %s\n",
		d, terminal.Plural(n, "publication"), verb, done.First, done.Last, done.Packs, size)
}
