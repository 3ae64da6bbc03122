package main

import (
	"github.com/spf13/cobra"
)

func newCycle(a *app) *cobra.Command {
	s := selection{asks: true}
	var tf transformFlags
	var pf publishFlags
	cmd := &cobra.Command{
		Use:   "cycle --tenant ID | --all",
		Short: "Fetch, transform and publish: what cron and systemd timers call",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runAll(cmd.Context(), &s, func() ([]step, error) { return a.cycleSteps(tf, pf) })
		},
	}
	s.flags(a, cmd)
	a.keys.sealFlag(a.set, cmd)
	tf.flags(a, cmd)
	tf.memoryFlag(a, cmd)
	pf.flags(a, cmd)
	return cmd
}

// cycleSteps are the three stages in order, with the keys they need.
func (a *app) cycleSteps(tf transformFlags, pf publishFlags) ([]step, error) {
	fetch, err := a.fetchStep()
	if err != nil {
		return nil, err
	}
	memory := tf.memories()
	transform, err := a.transformStep(tf, memory)
	if err != nil {
		return nil, err
	}
	p := &pruning{app: a, keep: pf.retained()}
	return []step{p.after(fetch), p.after(transform), p.after(memory.publishing(a.publishStep(pf)))}, nil
}
