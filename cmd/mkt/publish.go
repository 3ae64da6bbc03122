package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mkt/publish"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
)

// publishFlags of mkt publish and of the commands that publish.
type publishFlags struct {
	acceptRemovals bool
	keep           retention.Policy
}

func (f *publishFlags) flags(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.acceptRemovals, "accept-removals", false, "believe a listing that takes away more than a fifth of the fixtures at once")
	f.retention(a, cmd)
}

// retention is what is kept after a publication. Ages count back from it.
func (f *publishFlags) retention(a *app, cmd *cobra.Command) {
	flags, d := cmd.Flags(), retention.Default()
	flags.IntVar(&f.keep.Snapshots, "keep-snapshots", d.Snapshots, "snapshots kept whatever their age; 0 keeps all")
	flags.DurationVar(&f.keep.SnapshotAge, "keep-snapshot-age", d.SnapshotAge, "younger snapshots are kept too; 0 keeps all")
	flags.IntVar(&f.keep.Cycles, "keep-cycles", d.Cycles, "publications whose archived answers and canonical rows are kept whatever their age; 0 keeps all")
	flags.DurationVar(&f.keep.CycleAge, "keep-cycle-age", d.CycleAge, "younger ones are kept too; 0 keeps all")
	flags.Uint64Var(&f.keep.ChangeEvents, "keep-change-events", 1000, "change events kept whatever their age")
	flags.DurationVar(&f.keep.ChangeAge, "keep-change-age", leastChangeAge, "younger change events are kept too, at least seven days")
	f.bounds(flags)
	for _, name := range []string{"snapshots", "snapshot-age", "cycles", "cycle-age", "change-events", "change-age"} {
		a.set.bind(flags, "keep-"+name, "retention."+strings.ReplaceAll(name, "-", "_"))
	}
}

// leastChangeAge: the change log keeps at least seven days.
const leastChangeAge = 7 * 24 * time.Hour

// bounds refuses what could not be kept to.
func (f *publishFlags) bounds(flags *pflag.FlagSet) {
	k := &f.keep
	bound(flags, "keep-snapshots", "a whole number, 3 or more, or 0 to keep all", func() bool { return k.Snapshots == 0 || k.Snapshots >= 3 })
	bound(flags, "keep-cycles", "a whole number, 3 or more, or 0 to keep all", func() bool { return k.Cycles == 0 || k.Cycles >= 3 })
	bound(flags, "keep-change-events", "a whole number, 1 or more", between(&k.ChangeEvents, 1, 1<<62))
	bound(flags, "keep-change-age", "a duration of 168h (seven days) or more", func() bool { return k.ChangeAge >= leastChangeAge })
	for name, age := range map[string]*time.Duration{"keep-snapshot-age": &k.SnapshotAge, "keep-cycle-age": &k.CycleAge} {
		bound(flags, name, "a duration of 1h or more, such as 168h, or 0 to keep all", func() bool { return *age == 0 || *age >= time.Hour })
	}
}

// retained is the retention as publish takes it: who keeps all snapshots, or all
// cycles, by one setting keeps them whatever the other one says.
func (f *publishFlags) retained() retention.Policy {
	keep := f.keep
	if keep.Snapshots == 0 || keep.SnapshotAge == 0 {
		keep.Snapshots, keep.SnapshotAge = 0, 0
	}
	if keep.Cycles == 0 || keep.CycleAge == 0 {
		keep.Cycles, keep.CycleAge = 0, 0
	}
	return keep
}

func newPublish(a *app) *cobra.Command {
	var s selection
	var f publishFlags
	cmd := &cobra.Command{
		Use:   "publish --tenant ID | --all",
		Short: "Make canonical rows the snapshot that is served (step 3 of a cycle)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runAll(cmd.Context(), &s, func() ([]step, error) { return []step{a.publishStep(f)}, nil })
		},
	}
	s.flags(a, cmd)
	f.flags(a, cmd)
	return cmd
}

// publishStep is the stage publish. Before the commit a child of this binary
// loads the new snapshot as serve will.
func (a *app) publishStep(f publishFlags) step {
	return func(ctx context.Context, t task) (report, error) {
		began := time.Now()
		root := a.rootDir(t.job)
		s, err := publish.Run(ctx, publish.Options{
			ClientID: t.tenant.ID, Product: t.product, Cycle: t.cycle, Root: t.root,
			Now: a.now, Log: a.log, Version: version, AcceptRemovals: f.acceptRemovals, Retention: f.retained(),
			Check: func(ctx context.Context, _ layout.CycleID, dir string) error {
				return checkInChild(ctx, filepath.Join(root, filepath.FromSlash(dir)))
			},
		})
		return tellers[t.product].publish(s, began), err
	}
}

// publishing is how much memory publish takes of each product, as measured of large
// accounts, in bytes.
var publishing = map[football.Product]int64{football.MarketEngine: 256 << 20, football.LiveIntelligence: 32 << 20}

// publishing is the step publish, which waits until there is memory for it.
func (m memories) publishing(publish step) step {
	return func(ctx context.Context, t task) (report, error) {
		release, err := m[t.product].Hold(ctx, t.stopping, publishing[t.product])
		if err != nil {
			return newReport("publish", t.cycle, time.Now()), err
		}
		defer release()
		return publish(ctx, t)
	}
}

func publishReport(s publish.Summary, began time.Time) report {
	r := newReport("publish", s.Cycle, began)
	r.Counts = map[string]any{"already": s.Already, "version": s.Version, "fixtures": s.Fixtures, "markets": s.Markets, "selections": s.Selections,
		"refreshed": s.Refreshed, "without_markets": s.WithoutMarkets, "carried": s.Carried, "removed": s.Removed, "held": s.Held, "events": s.Events, "last_seq": s.LastSeq}
	bare := ""
	if s.WithoutMarkets > 0 {
		bare = fmt.Sprintf("%d without markets, ", s.WithoutMarkets)
	}
	r.text = fmt.Sprintf("version %d: %s, %s; %d refreshed, %s%d carried over, %d removed; seq %d",
		s.Version, plural(int(s.Fixtures), "fixture"), plural(int(s.Markets), "market"), s.Refreshed, bare, s.Carried, s.Removed, s.LastSeq)
	if s.Already {
		r.text = fmt.Sprintf("was published before, as version %d", s.Version)
	}
	if s.Held > 0 {
		r.text += fmt.Sprintf("; HELD: the listing lost %d fixtures at once, they are kept (mkt cycle --accept-removals believes it)", s.Held)
	}
	return r
}
