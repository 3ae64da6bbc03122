package main

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mkt/publish/football"
	"mkt/transform"
	"mkt/transform/identity"
)

// transformFlags of mkt transform and of the commands that transform.
type transformFlags struct {
	workers int
	details int
	memory  int // MiB
}

// liveDetails is how many fixtures have full live detail, unless told otherwise
// (DESIGN, section 5).
const liveDetails = 50

// defaultMemory is in MiB. A cycle of a thousand fixtures takes 600.
const defaultMemory = 2048

// memories are what the runs of each product may hold at once: a quarter is for the
// live ones, so that market cycles do not hold them up.
type memories map[football.Product]*transform.Memory

func (f *transformFlags) memories() memories {
	if f.memory == 0 {
		return nil // nothing bounds them
	}
	all := int64(f.memory) << 20
	return memories{football.MarketEngine: transform.NewMemory(all - all/4), football.LiveIntelligence: transform.NewMemory(all / 4)}
}

func (f *transformFlags) flags(a *app, cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.workers, "workers", 0, "payloads transformed at once (default: one a core)")
	cmd.Flags().IntVar(&f.details, "live-details", liveDetails, "live fixtures whose timeline and minutes are published, those farthest from 50/50 first")
	bound(cmd.Flags(), "workers", "a whole number from 1 to 256, or 0 for one a core", between(&f.workers, 0, 256))
	bound(cmd.Flags(), "live-details", "a whole number from 1 to 1000", between(&f.details, 1, 1000))
	a.set.bind(cmd.Flags(), "workers", "transform.workers")
	a.set.bind(cmd.Flags(), "live-details", "live.details")
	a.keys.idFlag(a.set, cmd)
}

// memoryFlag is for the commands that run several accounts in one process.
func (f *transformFlags) memoryFlag(a *app, cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.memory, "memory", defaultMemory, "MiB that transform and publish may hold at once, of all accounts together; further ones wait")
	bound(cmd.Flags(), "memory", "MiB, from 64 to 1048576", between(&f.memory, 64, 1<<20))
	a.set.bind(cmd.Flags(), "memory", "transform.memory")
}

func newTransform(a *app) *cobra.Command {
	var s selection
	var f transformFlags
	cmd := &cobra.Command{
		Use:   "transform --tenant ID | --all",
		Short: "Turn archived answers into canonical rows (step 2 of a cycle)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runAll(cmd.Context(), &s, func() ([]step, error) {
				transform, err := a.transformStep(f, f.memories())
				return []step{transform}, err
			})
		},
	}
	s.flags(a, cmd)
	f.flags(a, cmd)
	f.memoryFlag(a, cmd)
	return cmd
}

// transformStep is the stage transform with its key at hand.
func (a *app) transformStep(f transformFlags, m memories) (step, error) {
	key, err := identity.LoadKey(a.keys.id)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, t task) (report, error) {
		began := a.now()
		s, err := transform.Run(ctx, transform.Options{
			ClientID: t.tenant.ID, Product: t.product, Cycle: t.cycle, Root: t.root, Data: t.data,
			Key: key, Now: a.now, Log: a.log, Workers: f.workers, Version: a.version, Details: f.details, Memory: m[t.product], Stopping: t.stopping,
		})
		return tellers[t.product].transform(s, a.now().Sub(began)), err
	}, nil
}

func transformReport(s transform.Summary, took time.Duration) report {
	r := newReport("transform", s.Cycle, took)
	r.Counts = map[string]any{"already": s.Already, "fixtures": s.Fixtures, "not_offered": s.NotOffered, "markets": s.Markets, "mapped": s.Mapped, "selections": s.Selections,
		"publishable": s.Publishable, "without_prices": s.WithoutPrices, "broken": s.Broken, "partial": s.Partial, "damaged": s.Damaged, "failed": s.Failed, "bytes": s.Bytes}
	r.text = plural(s.Fixtures, "fixture") + ", " + plural(s.Markets, "market") + " (" + strconv.Itoa(s.Mapped) + " mapped" + "), " + plural(s.Selections, "selection")
	if s.NotOffered > 0 {
		r.text += "; " + plural(s.NotOffered, "fixture") + " without markets"
	}
	if s.Already {
		r.text = "was transformed before"
	}
	if s.Broken > 0 {
		r.text += "; " + plural(s.Broken, "fixture") + " unreadable (data kept)"
	}
	if s.Partial > 0 {
		r.text += "; " + plural(s.Partial, "fixture") + " readable in part"
	}
	if s.Damaged > 0 {
		r.text += "; " + plural(s.Damaged, "damaged part") + " (mkt inspect counts them)"
	}
	return r
}
