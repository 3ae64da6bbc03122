package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/plain"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/repair"
)

// recoverFlags of mkt recover.
type recoverFlags struct {
	wanted
	newHistory bool
	yes        bool
}

func newRecover(a *app) *cobra.Command {
	var f recoverFlags
	cmd := &cobra.Command{
		Use:   "recover [--tenant ID]",
		Short: "Repair damaged files of what is published, or begin a new history",
		Long: `Read everything that is published and kept, and rebuild what is damaged or missing:
from the publication before it and its canonical cycle, byte for byte or not at all.
A damaged file is quarantined in staging/aside. A publication stops at damage; run
this, then publish again.

--new-history is for a data root that was restored from a backup which lacks
publications that clients have seen, and for one whose newest publication cannot be
rebuilt. It publishes the newest intact dataset once more, with a seq far beyond the
last one. Every cursor from before is refused, so that every client bootstraps anew,
and no seq is used twice.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if f.newHistory && f.tenant == "" {
				return usagef("--new-history: of which account? give --tenant ID")
			}
			return a.recover(cmd.Context(), f)
		},
	}
	f.wanted.flags(cmd)
	cmd.Flags().BoolVar(&f.newHistory, "new-history", false, "begin a new history: clients bootstrap anew")
	yesFlag(cmd, &f.yes)
	return cmd
}

func (a *app) recover(ctx context.Context, f recoverFlags) error {
	places, err := placesOf(a.data, f.wanted)
	if err != nil {
		return err
	}
	if f.newHistory {
		if err := a.confirm(ctx, fmt.Sprintf("Begin a new history of %s? Every client has to bootstrap anew.", f.tenant), f.yes); err != nil {
			return err
		}
	}
	do := a.repairPlace
	if f.newHistory {
		do = a.beginHistory
	}
	failed := batchError{of: len(places)}
	for _, p := range places {
		if err := a.locked(p, func(root *durable.Disk) error { return do(ctx, p, root) }); err != nil {
			failed.add(a, fmt.Errorf("recover %s: %w", p, err))
		}
	}
	return failed.whole()
}

// beside opens a place for something that changes nothing, and needs no lock for it.
func (a *app) beside(p place, do func(*durable.Disk) error) error {
	root, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

// locked opens a place and takes its lock.
func (a *app) locked(p place, do func(*durable.Disk) error) error {
	root, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := root.Lock(layout.Lock)
	if errors.Is(err, durable.ErrLocked) {
		return fmt.Errorf("%w: a fetch, transform, publish, cycle or schedule works on it; try again later", durable.ErrLocked)
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	return do(root)
}

func (a *app) publishOptions(p place, root *durable.Disk) publish.Options {
	return publish.Options{
		ClientID: p.tenant, Product: p.product, Root: root, Now: a.now, Log: a.log, Version: version,
		Check: func(ctx context.Context, _ layout.CycleID, dir string) error {
			return checkInChild(ctx, filepath.Join(p.dir(), filepath.FromSlash(dir)))
		},
	}
}

func (a *app) repairPlace(ctx context.Context, p place, root *durable.Disk) error {
	done, err := repair.Run(ctx, a.publishOptions(p, root))
	if err != nil {
		return err
	}
	lost := []string{}
	for _, e := range done.Unrepairable {
		lost = append(lost, e.Error())
	}
	if a.json() {
		line := map[string]any{"tenant": p.tenant, "product": p.product, "step": "recover", "version": done.Version, "checked": done.Checked,
			"mended": append([]string{}, done.Repaired...), "lost": lost}
		if err := json.NewEncoder(a.out).Encode(line); err != nil {
			return err
		}
	} else {
		plain.Fprintf(a.out, "%s: %s read, %s rebuilt\n", p, plural(done.Checked, "publication"), plural(len(done.Repaired), "file"))
		for _, name := range done.Repaired {
			plain.Fprintf(a.out, "      %s\n", name)
		}
	}
	return errors.Join(done.Unrepairable...)
}

func (a *app) beginHistory(ctx context.Context, p place, root *durable.Disk) error {
	s, err := repair.NewHistory(ctx, a.publishOptions(p, root))
	if err != nil {
		return err
	}
	if a.json() {
		return json.NewEncoder(a.out).Encode(map[string]any{"tenant": p.tenant, "product": p.product, "step": "recover", "version": s.Version,
			"cycle": s.Cycle, "republishes": s.Republishes, "last_seq": s.LastSeq})
	}
	of := fmt.Sprintf("the dataset of version %d once more", s.Republishes)
	if s.Republishes == 0 {
		of = "cycle " + string(s.Cycle)
	}
	_, err = plain.Fprintf(a.out, "%s: a new history begins with version %d, %s; seq goes on behind %d\nRestart mkt serve if the data root was replaced under it, then run a cycle.\n", p, s.Version, of, s.LastSeq)
	return err
}
