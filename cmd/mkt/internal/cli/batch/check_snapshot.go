package batch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/serve"
)

// CheckCommand is a hidden command that publish runs in a child process: a snapshot
// fatal to serve crashes the child instead.
const CheckCommand = "check-snapshot"

const checkTime = 5 * time.Minute

func newCheck() *cobra.Command {
	return &cobra.Command{
		Use:               CheckCommand + " DIR",
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

// checkInChild loads a snapshot folder in a child of this binary, which gets only the
// variables for temporary files from our environment.
func checkInChild(ctx context.Context, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("check of the snapshot: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, CheckCommand, dir)
	cmd.Env = []string{"TMPDIR=" + os.TempDir(), "HOME=" + os.Getenv("HOME")}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil { // the child was killed because of it
			return fmt.Errorf("check of the snapshot: %w", context.Cause(ctx))
		}
		return fmt.Errorf("check of the snapshot: %w: %s", err, lastLine(errs.String()))
	}
	return nil
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimPrefix(lines[len(lines)-1], "mkt: ")
}
