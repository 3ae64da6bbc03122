package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/plain"
	"mkt/publish/durable"
	"mkt/publish/retention"
)

// gcFlags of mkt gc.
type gcFlags struct {
	wanted
	publishFlags
	all       bool
	dryRun    bool
	afterLeap bool
}

func newGC(a *app) *cobra.Command {
	var f gcFlags
	cmd := &cobra.Command{
		Use:   "gc [--tenant ID | --all]",
		Short: "Delete what retention lets go of",
		Long: `Delete what the retention settings let go of, and what broken runs left behind, as
every publication does by itself: for a retention that was shortened, and for
accounts that do not run any more. Ages are counted back from the newest
publication. What a reader may hold stays, and what is deleted is recorded first.

Nothing is deleted when the newest publication came more than a day later than the
one before it, and more than twice as much later as is usual: the clock may have leapt.
After an outage the next publication goes on by itself; --after-leap goes on now.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if f.all && f.tenant != "" {
				return usagef("--tenant and --all: want one of the two")
			}
			if err := f.check(); err != nil {
				return err
			}
			return a.gc(f)
		},
	}
	f.wanted.flags(cmd)
	cmd.Flags().BoolVar(&f.all, "all", false, "everybody's data: what is done without --tenant")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would be deleted, and delete nothing; it does not wait for a cycle that runs")
	cmd.Flags().BoolVar(&f.afterLeap, "after-leap", false, "the clock is right, although the newest publication came so late")
	f.retention(a, cmd)
	return cmd
}

func (a *app) gc(f gcFlags) error {
	places, err := placesOf(a.data, f.wanted)
	if err != nil {
		return err
	}
	failed := batchError{of: len(places)}
	for _, p := range places {
		take := a.locked
		if f.dryRun {
			take = a.beside
		}
		if err := take(p, func(root *durable.Disk) error { return a.gcPlace(p, root, f) }); err != nil {
			failed.add(a, fmt.Errorf("gc %s: %w", p, err))
		}
	}
	return failed.whole()
}

func (a *app) gcPlace(p place, root *durable.Disk, f gcFlags) error {
	var names []string
	var bytes int64
	o := retention.Options{Root: root, Now: a.now(), Policy: f.retained().For(p.product), AfterJump: f.afterLeap, DryRun: f.dryRun, Report: func(name string) {
		names = append(names, name)
		bytes += sizeOf(root, name)
	}}
	var done retention.Collected
	var err error
	for try := 0; try == 0 || f.dryRun && try < dryRuns && errors.Is(err, fs.ErrNotExist); try++ {
		names, bytes = []string{}, 0
		done, err = collectAll(o)
	}
	if err != nil {
		return err
	}
	if a.json() {
		return json.NewEncoder(a.out).Encode(map[string]any{"tenant": p.tenant, "product": p.product, "dry_run": f.dryRun, "snapshots": done.Snapshots,
			"cycles": done.Cycles, "segments": done.Segments, "debris": done.Debris, "records_packed": done.Compacted, "bytes": bytes, "names": names})
	}
	if f.dryRun {
		for _, name := range names {
			plain.Fprintf(a.out, "      %s\n", name)
		}
	}
	verb := "deleted"
	if f.dryRun {
		verb = "would be deleted"
	}
	_, err = plain.Fprintf(a.out, "%s: %s, %s, %s, %s %s, %s\n", p, plural(done.Snapshots, "snapshot"), plural(done.Cycles, "cycle"),
		plural(done.Segments, "segment"), plural(done.Debris, "leftover"), verb, size(bytes))
	return err
}

// dryRuns is how often a dry run looks: what it reads may be deleted under its feet.
const dryRuns = 3

// collectAll collects what is published and what is not.
func collectAll(o retention.Options) (retention.Collected, error) {
	done, err := retention.Collect(o)
	if err != nil {
		return done, err
	}
	failed, err := collectFailed(o)
	done.Cycles += failed.Cycles
	return done, err
}

// sizeOf is how many bytes a file has, or the files of a folder.
func sizeOf(f durable.ReadFS, name string) (bytes int64) {
	info, err := f.Stat(name)
	if err != nil {
		return 0
	}
	if !info.IsDir() {
		return info.Size()
	}
	entries, _ := f.ReadDir(name) // what cannot be read is not counted
	for _, e := range entries {
		bytes += sizeOf(f, name+"/"+e.Name())
	}
	return bytes
}
