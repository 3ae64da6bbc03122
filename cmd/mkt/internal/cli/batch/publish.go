package batch

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/terminal"
	"mkt/publish"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/retention"
)

// PublishFlags are the flags of mkt publish and of the other commands that publish.
type PublishFlags struct {
	acceptRemovals bool
	Keep           retention.Policy
}

func (f *PublishFlags) flags(g *Group, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.acceptRemovals, "accept-removals", false, "publish even if the listing removes more than a fifth of the fixtures within a day, or if no fixture of a new provider or bookmaker has a market")
	f.retention(g, cmd)
}

// retention adds the flags of the retention policy. Ages count back from the publication.
func (f *PublishFlags) retention(g *Group, cmd *cobra.Command) {
	flags, d := cmd.Flags(), retention.Default()
	flags.IntVar(&f.Keep.Snapshots, "keep-snapshots", d.Snapshots, "number of newest snapshots that are kept at any age; 0 keeps all")
	flags.DurationVar(&f.Keep.SnapshotAge, "keep-snapshot-age", d.SnapshotAge, "snapshots younger than this are kept as well; 0 keeps all")
	flags.IntVar(&f.Keep.Cycles, "keep-cycles", d.Cycles, "number of newest publications whose archived answers and canonical rows are kept at any age; 0 keeps all")
	flags.DurationVar(&f.Keep.CycleAge, "keep-cycle-age", d.CycleAge, "the same is kept of publications younger than this; 0 keeps all")
	flags.Uint64Var(&f.Keep.ChangeEvents, "keep-change-events", 1000, "number of newest change events that are kept at any age")
	flags.DurationVar(&f.Keep.ChangeAge, "keep-change-age", leastChangeAge, "change events younger than this are kept as well; at least seven days")
	flags.DurationVar(&f.Keep.StepsAge, "keep-steps", retention.DefaultSteps, "steps of prices younger than this are kept, also when their snapshots are not; at least seven days")
	f.bounds(flags)
	for _, name := range []string{"snapshots", "snapshot-age", "cycles", "cycle-age", "change-events", "change-age", "steps"} {
		g.Settings.Bind(flags, "keep-"+name, "retention."+strings.ReplaceAll(name, "-", "_"))
	}
}

// leastChangeAge is the shortest permitted age of the change log.
const leastChangeAge = 7 * 24 * time.Hour

func (f *PublishFlags) bounds(flags *pflag.FlagSet) {
	k := &f.Keep
	cli.Bound(flags, "keep-snapshots", "a whole number, 3 or more, or 0 to keep all", func() bool { return k.Snapshots == 0 || k.Snapshots >= 3 })
	cli.Bound(flags, "keep-cycles", "a whole number, 3 or more, or 0 to keep all", func() bool { return k.Cycles == 0 || k.Cycles >= 3 })
	cli.Bound(flags, "keep-change-events", "a whole number, 1 or more", cli.Between(&k.ChangeEvents, 1, 1<<62))
	cli.Bound(flags, "keep-change-age", "a duration of 168h (seven days) or more", func() bool { return k.ChangeAge >= leastChangeAge })
	cli.Bound(flags, "keep-steps", "a duration of 168h (seven days) or more", func() bool { return k.StepsAge >= leastChangeAge })
	for name, age := range map[string]*time.Duration{"keep-snapshot-age": &k.SnapshotAge, "keep-cycle-age": &k.CycleAge} {
		cli.Bound(flags, name, "a duration of 1h or more, such as 168h, or 0 to keep all", func() bool { return *age == 0 || *age >= time.Hour })
	}
}

// retained returns the retention policy. A setting of 0 keeps all snapshots, or all cycles,
// whatever the other setting of the two is.
func (f *PublishFlags) retained() retention.Policy {
	keep := f.Keep
	if keep.Snapshots == 0 || keep.SnapshotAge == 0 {
		keep.Snapshots, keep.SnapshotAge = 0, 0
	}
	if keep.Cycles == 0 || keep.CycleAge == 0 {
		keep.Cycles, keep.CycleAge = 0, 0
	}
	return keep
}

func newPublish(g *Group) *cobra.Command {
	var f PublishFlags
	var tf TransformFlags
	cmd := g.newStage("publish", "Publish canonical rows as the snapshot served (step 3 of 3)", "  mkt publish --tenant acme", false,
		func() ([]Step, error) { return []Step{tf.memories().publishing(g.publishStep(f))}, nil })
	f.flags(g, cmd)
	tf.memoryFlag(g, cmd)
	return cmd
}

// publishStep returns the stage publish. Before the commit a child of this binary loads the
// new snapshot as serve will.
func (g *Group) publishStep(f PublishFlags) Step {
	return func(ctx context.Context, t Task) (Report, error) {
		began := g.Now()
		bar := g.bar(t, "publish", "fixtures")
		defer bar.Done()
		root := g.Dataset(t.Tenant.ID, t.Product).Dir()
		s, err := publish.Run(ctx, publish.Options{
			ClientID: t.Tenant.ID, Product: t.Product, Cycle: t.Cycle, Root: t.Root,
			Now: g.Now, Log: g.Log, Version: g.Version, AcceptRemovals: f.acceptRemovals, Retention: f.retained(),
			Progress: bar.Set, Store: t.ship,
			Check: func(ctx context.Context, _ layout.CycleID, dir string) error {
				bar.Note("loading it as mkt serve will")
				return checkInChild(ctx, filepath.Join(root, filepath.FromSlash(dir)))
			},
		})
		if err == nil && !s.Already && t.store != nil {
			_, _ = g.runs().Collect(ctx, t.store, f.retained().For(t.Product)) // it logs its error
		}
		return reporters[t.Product].publish(s, g.Now().Sub(began)), err
	}
}

// publishMemory estimates how many bytes publish needs, with the process that loads the snapshot. It
// was measured with half a million selections and with five times as many.
func publishMemory(t Task) int64 {
	if t.Product == football.LiveIntelligence {
		return 32 << 20
	}
	cycle := t.Cycle
	if cycle == "" { // publish chooses the newest
		if run, err := health.Read(t.Root, "transform"); err == nil && run != nil {
			cycle = layout.CycleID(run.Cycle)
		}
	}
	markets, err := t.Root.Stat(layout.Cycle(layout.CanonicalDir, cycle) + "/" + layout.MarketsFile)
	if err != nil { // publish reports it
		return 256 << 20
	}
	return 128<<20 + 4*markets.Size()
}

// publishing makes the publish step wait until its memory is free.
func (m memories) publishing(publish Step) Step {
	return func(ctx context.Context, t Task) (Report, error) {
		release, err := m[t.Product].Hold(ctx, t.stopping, publishMemory(t))
		if err != nil {
			return NewReport("publish", t.Cycle, 0), err
		}
		defer release()
		return publish(ctx, t)
	}
}

func PublishReport(s publish.Summary, took time.Duration) Report {
	r := NewReport("publish", s.Cycle, took)
	r.Counts = map[string]any{"already": s.Already, "version": s.Version, "fixtures": s.Fixtures, "markets": s.Markets, "selections": s.Selections,
		"refreshed": s.Refreshed, "without_markets": s.WithoutMarkets, "carried": s.Carried, "removed": s.Removed, "held": s.Held, "events": s.Events, "last_seq": s.LastSeq}
	bare := ""
	if s.WithoutMarkets > 0 {
		bare = fmt.Sprintf("%d without markets, ", s.WithoutMarkets)
	}
	r.text = fmt.Sprintf("version %d: %s, %s; %d refreshed, %s%d carried over, %d removed; seq %d",
		s.Version, terminal.Plural(int(s.Fixtures), "fixture"), terminal.Plural(int(s.Markets), "market"), s.Refreshed, bare, s.Carried, s.Removed, s.LastSeq)
	if s.Already {
		r.text = fmt.Sprintf("was already published, as version %d", s.Version)
	}
	if s.Held > 0 {
		r.text += fmt.Sprintf("; HELD: the listing lacks %d fixtures, too many within a day, they are kept (mkt cycle --accept-removals accepts it)", s.Held)
	}
	return r
}
