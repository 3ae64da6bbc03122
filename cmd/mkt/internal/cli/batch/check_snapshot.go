package batch

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli/publishing"
	"mkt/serve"
)

// newCheck returns the command that [publishing.CheckInChild] runs.
func newCheck() *cobra.Command {
	return &cobra.Command{
		Use:               publishing.CheckCommand + " DIR",
		Short:             "Load a snapshot folder with the settings of serve",
		Hidden:            true,
		Args:              cobra.ExactArgs(1),
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // it has no settings
		RunE: func(cmd *cobra.Command, args []string) error {
			// A load leaves twenty times as much garbage as it holds at once. Less collection
			// saves an eighth of the time for 40 MB, in a process about to end.
			debug.SetGCPercent(300)
			return serve.Check(cmd.Context(), args[0])
		},
	}
}
