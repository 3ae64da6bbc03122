package batch

import (
	"github.com/spf13/cobra"
)

func newCycle(g *Group) *cobra.Command {
	s := Selection{asks: true}
	var tf TransformFlags
	var pf PublishFlags
	cmd := &cobra.Command{
		Use:   "cycle --tenant ID | --all",
		Short: "Fetch, transform and publish: what cron and systemd timers call",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.runAll(cmd.Context(), &s, func() ([]Step, error) { return g.CycleSteps(tf, pf) })
		},
	}
	s.flags(g, cmd)
	g.Keys.SealFlag(g.Settings, cmd)
	tf.flags(g, cmd)
	tf.memoryFlag(g, cmd)
	pf.flags(g, cmd)
	return cmd
}

// CycleSteps are the three stages in order, with the keys they need.
func (g *Group) CycleSteps(tf TransformFlags, pf PublishFlags) ([]Step, error) {
	fetch, err := g.FetchStep()
	if err != nil {
		return nil, err
	}
	memory := tf.memories()
	transform, err := g.transformStep(tf, memory)
	if err != nil {
		return nil, err
	}
	p := &pruning{group: g, keep: pf.retained()}
	return []Step{p.after(fetch), p.after(transform), p.after(memory.publishing(g.publishStep(pf)))}, nil
}
