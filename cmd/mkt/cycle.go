package main

import (
	"github.com/spf13/cobra"
)

func newCycle(a *app) *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:   "cycle --tenant ID | --all",
		Short: "Fetch, transform and publish: what cron and systemd timers call",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runAll(cmd.Context(), &s, a.cycleSteps)
		},
	}
	s.flags(cmd)
	a.sealKeyFlag(cmd)
	a.idKeyFlag(cmd)
	return cmd
}

// cycleSteps are the three stages in order, with the keys they need.
func (a *app) cycleSteps() ([]step, error) {
	fetch, err := a.fetchStep()
	if err != nil {
		return nil, err
	}
	return []step{fetch}, nil
}
