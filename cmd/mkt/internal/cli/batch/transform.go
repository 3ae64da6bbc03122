package batch

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/transform"
	"mkt/transform/identity"
	"mkt/transform/tracking"
)

// TransformFlags are the flags of mkt transform and of the other commands that transform.
type TransformFlags struct {
	workers int
	Details int
	memory  int // MiB
}

// LiveDetails is how many fixtures have full live detail by default.
const LiveDetails = 50

// defaultMemory is in MiB. A cycle of a thousand fixtures needs 600.
const defaultMemory = 2048

// memories bounds the memory of all concurrent runs of each product. A quarter is reserved for
// live cycles: market cycles must not delay them.
type memories map[football.Product]*transform.Memory

func (f *TransformFlags) memories() memories {
	if f.memory == 0 {
		return nil // no bound
	}
	all := int64(f.memory) << 20
	return memories{football.MarketEngine: transform.NewMemory(all - all/4), football.LiveIntelligence: transform.NewMemory(all / 4)}
}

func (f *TransformFlags) flags(g *Group, cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.workers, "workers", 0, "payloads transformed at once (default: one a core)")
	cmd.Flags().IntVar(&f.Details, "live-details", LiveDetails, "live fixtures whose timeline and minutes are published, those farthest from 50/50 first")
	cli.Bound(cmd.Flags(), "workers", "a whole number from 1 to 256, or 0 for one a core", cli.Between(&f.workers, 0, 256))
	cli.Bound(cmd.Flags(), "live-details", "a whole number from 1 to 1000", cli.Between(&f.Details, 1, 1000))
	g.Settings.Bind(cmd.Flags(), "workers", "transform.workers")
	g.Settings.Bind(cmd.Flags(), "live-details", "live.details")
	g.Keys.IDFlag(g.Settings, cmd)
}

// memoryFlag is for the commands that run several accounts in one process.
func (f *TransformFlags) memoryFlag(g *Group, cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.memory, "memory", defaultMemory, "MiB that transform and publish may use at once, for all accounts; further runs wait")
	cli.Bound(cmd.Flags(), "memory", "MiB, from 64 to 1048576", cli.Between(&f.memory, 64, 1<<20))
	g.Settings.Bind(cmd.Flags(), "memory", "transform.memory")
}

func newTransform(g *Group) *cobra.Command {
	var f TransformFlags
	cmd := g.newStage("transform", "Turn archived answers into canonical rows (step 2 of 3)", "  mkt transform --tenant acme", false,
		func() ([]Step, error) {
			transform, err := g.transformStep(f, f.memories())
			return []Step{transform}, err
		})
	f.flags(g, cmd)
	f.memoryFlag(g, cmd)
	return cmd
}

// transformStep returns the stage transform with its key.
func (g *Group) transformStep(f TransformFlags, m memories) (Step, error) {
	key, err := identity.LoadKey(g.Keys.ID)
	if err != nil {
		return nil, err
	}
	states := new(tracking.States)
	return func(ctx context.Context, t Task) (Report, error) {
		began := g.Now()
		bar := g.bar(t, "transform", "answers")
		defer bar.Done()
		s, err := transform.Run(ctx, transform.Options{
			ClientID: t.Tenant.ID, Product: t.Product, Cycle: t.Cycle, Root: t.Root, Data: t.Data,
			Key: key, Now: g.Now, Log: g.Log, Workers: f.workers, Version: g.Version, Details: f.Details, Memory: m[t.Product], Received: t.received, States: states, Stopping: t.stopping,
			Progress: func(done, total int) {
				if bar.Set(done, total); done == total {
					bar.Note("writing the rows")
				}
			},
		})
		return reporters[t.Product].transform(s, g.Now().Sub(began)), err
	}, nil
}

func transformReport(s transform.Summary, took time.Duration) Report {
	r := NewReport("transform", s.Cycle, took)
	r.Counts = map[string]any{"already": s.Already, "fixtures": s.Fixtures, "not_offered": s.NotOffered, "markets": s.Markets, "mapped": s.Mapped, "selections": s.Selections,
		"publishable": s.Publishable, "no_offer": s.NoOffer, "without_prices": s.WithoutPrices, "broken": s.Broken, "partial": s.Partial, "damaged": s.Damaged, "failed": s.Failed, "suspicions": s.Suspicions.Total(), "bytes": s.Bytes}
	r.text = terminal.Plural(s.Fixtures, "fixture") + ", " + terminal.Plural(s.Markets, "market") + " (" + strconv.Itoa(s.Mapped) + " mapped" + "), " + terminal.Plural(s.Selections, "selection")
	if s.NotOffered > 0 {
		r.text += "; " + terminal.Plural(s.NotOffered, "fixture") + " without markets"
	}
	if s.Already {
		r.text = "was already transformed"
	}
	if s.Broken > 0 {
		r.text += "; " + terminal.Plural(s.Broken, "fixture") + " unreadable (data kept)"
	}
	if s.Partial > 0 {
		r.text += "; " + terminal.Plural(s.Partial, "fixture") + " readable in part"
	}
	if s.Damaged > 0 {
		r.text += "; " + terminal.Plural(s.Damaged, "damaged part") + " (mkt inspect counts them)"
	}
	if s.NoOffer*20 > s.Selections { // a few are usual
		r.text += "; " + terminal.Plural(s.NoOffer, "selection") + " at a price of 1, which is no offer"
	}
	if n := s.Suspicions.Total(); n > 0 {
		r.text += "; " + terminal.Plural(n, "suspicious market") + " (mkt mapping report lists them)"
	}
	return r
}
