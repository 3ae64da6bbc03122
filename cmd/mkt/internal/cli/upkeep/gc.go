package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/publishing"
	"mkt/internal/cluster/store"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

type gcFlags struct {
	dataset.Filter
	keep      retention.Policy
	dryRun    bool
	afterLeap bool
}

func newGC(g *Group) *cobra.Command {
	var f gcFlags
	cmd := &cobra.Command{
		Use:   "gc [--tenant ID | --all]",
		Short: "Delete data that retention does not keep",
		Long: `Delete data that the retention settings do not keep, and files of interrupted
runs. Every publication does this by itself; use this command after the
retention was shortened, and for accounts that do not run any more. Ages are
relative to the newest publication. Files that a reader may be using stay, and
every deletion is recorded first.

Nothing is deleted if the newest publication came more than a day later than
the one before it, and more than twice as much later as is usual: the clock
may have jumped. After an outage the next publication deletes again;
--after-leap deletes now.

With --store it also deletes in the object store, for all accounts there: the
data of publications that retention does not keep, and packs without a commit,
left by a machine when another one published first. Commit records stay.`,
		Example: `  mkt gc --tenant acme --dry-run
  mkt gc --all`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.Check(); err != nil {
				return err
			}
			return g.gc(cmd, f)
		},
	}
	cli.DatasetFlags(cmd, &f.Filter)
	cli.AllFlag(cmd, &f.Filter)
	g.leases.Flag(g.Settings, cmd)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would be deleted, and delete nothing; it does not wait for a running cycle")
	cmd.Flags().BoolVar(&f.afterLeap, "after-leap", false, "the clock is right, although the newest publication came so late")
	publishing.RetentionFlags(g.Settings, cmd, &f.keep)
	return cmd
}

func (g *Group) gc(cmd *cobra.Command, f gcFlags) error {
	ctx, take := cmd.Context(), g.locked
	if f.dryRun {
		take = g.unlocked
	} else {
		closeLeases, err := g.leases.Connect(g.Env, g.keys.ID, cmd.CommandPath())
		if err != nil {
			return err
		}
		defer closeLeases()
	}
	here := func() error {
		return g.Each("gc", f.Filter, func(p dataset.Dataset) error {
			return take(ctx, p, func(_ context.Context, root *durable.Disk) error { return g.collect(p, root, f) })
		})
	}
	if !g.HasStore() {
		return here()
	}
	open := g.WritableStore
	if f.dryRun {
		open = g.Store
	}
	s, err := open(ctx)
	if err != nil {
		return err
	}
	list, err := g.inStore(ctx, s, f.Filter)
	if _, none := dataset.List(g.Data, f.Filter); none == nil || errors.Is(err, errNotInStore) {
		if local := here(); local != nil || errors.Is(err, errNotInStore) {
			return local
		}
	}
	if err != nil {
		return err
	}
	failed := cli.Failures{Of: len(list)}
	for _, d := range list {
		if err := g.collectInStore(ctx, d, f); err != nil {
			failed.Add(g.Env, fmt.Errorf("gc %s in the object store: %w", d, err))
		}
	}
	return failed.Err()
}

// collectInStore applies the retention to a dataset in the object store.
func (g *Group) collectInStore(ctx context.Context, d *store.Dataset, f gcFlags) error {
	names, bytes := []string{}, int64(0)
	done, err := d.Collect(ctx, store.CollectOptions{Policy: publishing.Retained(f.keep).For(d.Product()), AfterJump: f.afterLeap, DryRun: f.dryRun, Lost: true, Report: func(name string, size int64) {
		names = append(names, name)
		bytes += size
	}})
	if err != nil {
		return err
	}
	g.printNames(f.dryRun, names)
	return g.AnswerLine(map[string]any{"client_id": d.ClientID(), "product": d.Product(), "store": true, "dry_run": f.dryRun, "packs": done.Packs,
		"segments": done.Segments, "archives": done.Archives, "lost_packs": done.Lost, "bytes": bytes, "names": names},
		"%s in the object store: %s, %s, %s, %s %s, %s\n", d, terminal.Plural(done.Packs, "pack"), terminal.Plural(done.Segments, "segment"),
		terminal.Plural(done.Archives, "archive"), terminal.Plural(done.Lost, "lost pack"), deleted(f.dryRun), terminal.Size(bytes))
}

func (g *Group) collect(p dataset.Dataset, root *durable.Disk, f gcFlags) error {
	var names []string
	var space freed
	o := retention.Options{Root: root, Now: g.Now(), Policy: publishing.Retained(f.keep).For(p.Product), AfterJump: f.afterLeap, DryRun: f.dryRun, Report: func(name string) {
		names = append(names, name)
		space.add(root, name)
	}}
	var done retention.Collected
	var err error
	for try := 0; try == 0 || f.dryRun && try < dryRuns && errors.Is(err, fs.ErrNotExist); try++ {
		names, space = []string{}, freed{dryRun: f.dryRun}
		done, err = collectAll(o)
	}
	if err != nil {
		return err
	}
	g.printNames(f.dryRun, names)
	return g.AnswerLine(map[string]any{"client_id": p.Tenant, "product": p.Product, "dry_run": f.dryRun, "snapshots": done.Snapshots,
		"cycles": done.Cycles, "segments": done.Segments, "debris": done.Debris, "records_packed": done.Compacted, "bytes": space.bytes, "names": names},
		"%s: %s, %s, %s, %s %s, %s\n", p, terminal.Plural(done.Snapshots, "snapshot"), terminal.Plural(done.Cycles, "cycle"),
		terminal.Plural(done.Segments, "segment"), terminal.Plural(done.Debris, "leftover"), deleted(f.dryRun), terminal.Size(space.bytes))
}

// printNames prints the names a dry run would delete, for people.
func (g *Group) printNames(dryRun bool, names []string) {
	for _, name := range names {
		if dryRun && !g.JSON() {
			printable.Fprintf(g.Out, "      %s\n", name)
		}
	}
}

func deleted(dryRun bool) string {
	if dryRun {
		return "would be deleted"
	}
	return "deleted"
}

// dryRuns is how often a dry run is tried: files may be deleted while it reads them.
const dryRuns = 3

// collectAll applies the retention to published and to unpublished cycles.
func collectAll(o retention.Options) (retention.Collected, error) {
	head, _, err := snapshot.Last(o.Root)
	if err != nil {
		return retention.Collected{}, err
	}
	done, err := retention.Collect(o, head)
	if err != nil {
		return done, err
	}
	failed, err := publishing.CollectFailed(o, head)
	done.Cycles += failed.Cycles
	return done, err
}

// freed is the disk space freed by deleting files. A file shared by a snapshot and its canonical
// cycle frees it with its last name.
type freed struct {
	dryRun bool
	bytes  int64
	links  durable.Links // of the files to delete
}

// add adds a file or folder about to be deleted.
func (s *freed) add(f durable.ReadFS, name string) {
	info, err := f.Stat(name)
	switch {
	case err != nil:
	case !info.IsDir():
		if s.isLast(info) {
			s.bytes += info.Size()
		}
	default:
		entries, _ := f.ReadDir(name) // an unreadable entry counts nothing
		for _, e := range entries {
			s.add(f, name+"/"+e.Name())
		}
	}
}

// isLast reports whether no other name of a file remains.
func (s *freed) isLast(info fs.FileInfo) bool {
	times, names := s.links.Seen(info)
	if !s.dryRun { // the names before it are deleted already
		return names == 1
	}
	return times == names
}
