// Package publishing is shared by the commands that publish and by those that delete and repair
// publications: the check of a snapshot, and the retention.
package publishing

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// CheckCommand is a hidden command that publish runs in a child process: a snapshot
// fatal to serve crashes the child instead.
const CheckCommand = "check-snapshot"

const checkTime = 5 * time.Minute

// CheckInChild loads a snapshot folder in a child of this binary, which gets only the
// variables for temporary files from our environment.
func CheckInChild(ctx context.Context, dir string) error {
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
