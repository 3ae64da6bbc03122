package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/publishing"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/snapshot"
)

type recoverFlags struct {
	dataset.Filter
	newHistory bool
	yes        bool
}

func newRecover(g *Group) *cobra.Command {
	var f recoverFlags
	cmd := &cobra.Command{
		Use:   "recover [--tenant ID]",
		Short: "Repair damaged published files, or begin a new history",
		Long: `Read all kept publications, and rebuild every damaged or missing file of them
from the publication before and the canonical cycle: byte for byte, or not at
all. Damaged and missing canonical cycles are first derived from the provider's
answers, while they are kept. A damaged file is quarantined in staging/aside. A
publication stops at damage: run this, then publish again.

--new-history is for a data root restored from a backup without the newest
publications, which clients have seen, and for one whose newest publication
cannot be rebuilt. It publishes the newest intact dataset again, or without one
the newest intact cycle, with a seq far beyond the last. Every older cursor is
refused: every client reads everything from the start, and no seq is used twice.`,
		Example: `  mkt recover --tenant acme
  mkt recover --new-history --tenant acme --product market_engine`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.Check(); err != nil {
				return err
			}
			if f.newHistory && f.Tenant == "" {
				return terminal.Usagef("--new-history: of which account? give --tenant ID")
			}
			return g.recover(cmd, f)
		},
	}
	cli.DatasetFlags(cmd, &f.Filter)
	g.leases.Flag(g.Settings, cmd)
	g.keys.IDFlag(g.Settings, cmd)
	cmd.Flags().BoolVar(&f.newHistory, "new-history", false, "begin a new history: clients read everything from the start")
	cli.YesFlag(cmd, &f.yes)
	return cmd
}

func (g *Group) recover(cmd *cobra.Command, f recoverFlags) error {
	ctx, do := cmd.Context(), g.repair
	if f.newHistory {
		if _, err := dataset.List(g.Data, f.Filter); err != nil {
			return err
		}
		if err := g.Confirm(ctx, fmt.Sprintf("Begin a new history of %s? Every client has to read everything from the start.", f.Tenant), f.yes); err != nil {
			return err
		}
		do = g.beginHistory
	}
	closeLeases, err := g.leases.Connect(g.Env, g.keys.ID, cmd.CommandPath())
	if err != nil {
		return err
	}
	defer closeLeases()
	return g.Each("recover", f.Filter, func(p dataset.Dataset) error {
		return g.locked(ctx, p, func(ctx context.Context, root *durable.Disk) error { return do(ctx, p, root) })
	})
}

func (g *Group) publishOptions(p dataset.Dataset, root *durable.Disk) publish.Options {
	o := publish.Options{
		ClientID: p.Tenant, Product: p.Product, Root: root, Now: g.Now, Log: g.Log, Version: g.Version,
		Check: func(ctx context.Context, _ layout.CycleID, dir string) error {
			return publishing.CheckInChild(ctx, filepath.Join(p.Dir(), filepath.FromSlash(dir)))
		},
	}
	if g.HasStore() {
		o.Store = &lateStore{g, p}
	}
	return o
}

// lateStore is the store of a command that may have nothing to publish: the first publication
// opens it.
type lateStore struct {
	g *Group
	p dataset.Dataset
}

// Ship implements [publish.Store].
func (l *lateStore) Ship(ctx context.Context, root durable.FS, c snapshot.Commit, record []byte, segments []string) error {
	s, err := l.g.WritableStore(ctx)
	if err != nil {
		return err
	}
	return l.g.WithData(func(data *durable.Disk) error {
		return s.Dataset(l.p.Tenant, l.p.Product).AttachedTo(data).Ship(ctx, root, c, record, segments)
	})
}

func (g *Group) repair(ctx context.Context, p dataset.Dataset, root *durable.Disk) error {
	derived, quarantined, err := g.deriveAgain(ctx, p, root)
	if err != nil {
		return err
	}
	done, err := repair.Run(ctx, g.publishOptions(p, root))
	if err != nil {
		return err
	}
	done.Repaired = append(derived, done.Repaired...)
	lost := []string{}
	for _, e := range done.Unrepairable {
		lost = append(lost, e.Error())
	}
	err = g.Answer(map[string]any{"client_id": p.Tenant, "product": p.Product, "step": "recover", "version": done.Version, "checked": done.Checked,
		"mended": append([]string{}, done.Repaired...), "lost": lost, "quarantined": append([]string{}, quarantined...)}, func(out io.Writer) error {
		_, err := printable.Fprintf(out, "%s: %s read, %s rebuilt\n", p, terminal.Plural(done.Checked, "publication"), terminal.Plural(len(done.Repaired), "file"))
		for _, name := range done.Repaired {
			printable.Fprintf(out, "      %s\n", name)
		}
		for _, name := range quarantined {
			printable.Fprintf(out, "      %s: not as it was published: quarantined\n", name)
		}
		return err
	})
	return errors.Join(append([]error{err}, done.Unrepairable...)...)
}

func (g *Group) beginHistory(ctx context.Context, p dataset.Dataset, root *durable.Disk) error {
	s, err := repair.NewHistory(ctx, g.publishOptions(p, root))
	if err != nil {
		return err
	}
	g.leases.Announce(p.Tenant, p.Product, s.Version)
	of := fmt.Sprintf("the dataset of version %d once more", s.Republishes)
	if s.Republishes == 0 {
		of = "cycle " + string(s.Cycle)
	}
	if s.StepsLost {
		of += "; a segment of the steps is lost, so that paths of prices begin with the next cycle"
	}
	return g.AnswerLine(map[string]any{"client_id": p.Tenant, "product": p.Product, "step": "recover", "version": s.Version,
		"cycle": s.Cycle, "republishes": s.Republishes, "last_seq": s.LastSeq, "steps_lost": s.StepsLost},
		"%s: a new history begins with version %d, %s; seq continues after %d\nRestart mkt serve if the data root was replaced under it, then run a cycle.\n", p, s.Version, of, s.LastSeq)
}
