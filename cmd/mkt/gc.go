package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/publish"
	"mkt/publish/durable"
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
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "tell what would go, and delete nothing")
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
		if err := a.locked(p, func(root *durable.Disk) error { return a.gcPlace(p, root, f) }); err != nil {
			failed.add(a, fmt.Errorf("gc %s: %w", p, err))
		}
	}
	return failed.whole()
}

func (a *app) gcPlace(p place, root *durable.Disk, f gcFlags) error {
	names, bytes := []string{}, int64(0)
	keep := f.retained().For(p.product)
	o := publish.Collection{Root: root, Now: a.now(), Keep: keep, AfterLeap: f.afterLeap, DryRun: f.dryRun, Tell: func(name string) {
		names = append(names, name)
		bytes += sizeOf(root, name)
	}}
	done, err := publish.Collect(o)
	if err != nil {
		return err
	}
	failed, err := collectFailed(o)
	if err != nil {
		return err
	}
	done.Cycles += failed.Cycles
	if a.json() {
		return json.NewEncoder(a.out).Encode(map[string]any{"tenant": p.tenant, "product": p.product, "dry_run": f.dryRun, "snapshots": done.Snapshots,
			"cycles": done.Cycles, "segments": done.Segments, "debris": done.Debris, "records_packed": done.Packed, "bytes": bytes, "names": names})
	}
	if f.dryRun {
		for _, name := range names {
			fmt.Fprintf(a.out, "      %s\n", name)
		}
	}
	verb := "deleted"
	if f.dryRun {
		verb = "would be deleted"
	}
	_, err = fmt.Fprintf(a.out, "%s: %s, %s, %s, %s %s, %s\n", p, plural(done.Snapshots, "snapshot"), plural(done.Cycles, "cycle"),
		plural(done.Segments, "segment"), plural(done.Debris, "leftover"), verb, size(bytes))
	return err
}

// sizeOf is how many bytes a file has, or the files of a folder.
func sizeOf(f durable.FS, name string) (bytes int64) {
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
