package batch

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli/publishing"
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
	publishing.RetentionFlags(g.Settings, cmd, &f.Keep)
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
			Now: g.Now, Log: g.Log, Version: g.Version, AcceptRemovals: f.acceptRemovals, Retention: publishing.Retained(f.Keep),
			Progress: bar.Set, Store: t.ship,
			Check: func(ctx context.Context, _ layout.CycleID, dir string) error {
				bar.Note("loading it as mkt serve will")
				return publishing.CheckInChild(ctx, filepath.Join(root, filepath.FromSlash(dir)))
			},
		})
		if err == nil && !s.Already && t.store != nil {
			_, _ = g.runs().Collect(ctx, t.store, publishing.Retained(f.Keep).For(t.Product)) // it logs its error
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
