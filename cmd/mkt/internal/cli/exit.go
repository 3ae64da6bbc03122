package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"mkt/fetch"
	"mkt/fetch/provider"
	"mkt/internal/accounts"
	"mkt/internal/cluster/store/object"
	"mkt/internal/terminal"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// Exit codes. 75 is EX_TEMPFAIL of sysexits.h.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitLater       = 75
	ExitInterrupted = 130 // as shells report Ctrl-C
)

// ErrDiffers only sets the exit code of a comparison; its message is not printed.
var ErrDiffers = errors.New("the snapshots differ")

// ExitCode returns the exit code for an error. Failures of several jobs are temporary
// only if each of them is. A missing account or publication is an error of usage, because its
// name was given.
func ExitCode(err error) int {
	var usage terminal.UsageError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, new(Interrupted)):
		return ExitInterrupted
	case errors.As(err, &usage), errors.As(err, new(*accounts.UnknownError)),
		errors.Is(err, snapshot.ErrUnknown) && !errors.Is(err, snapshot.ErrNothing):
		return ExitUsage
	case IsTemporary(err):
		return ExitLater
	}
	return ExitFailed
}

// IsTemporary reports whether the same command may succeed later.
func IsTemporary(err error) bool {
	var batch *Failures
	var temporary terminal.TemporaryError
	switch {
	case errors.As(err, new(Interrupted)):
		return false
	case errors.As(err, &batch):
		return !slices.ContainsFunc(batch.errs, func(e error) bool { return !IsTemporary(e) })
	case errors.As(err, &temporary), isWithoutLease(err):
		return true
	}
	for _, known := range []error{durable.ErrLocked, provider.ErrUnreachable, fetch.ErrLimited, publish.ErrConflict, object.ErrAway} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// Failures collects the errors of several jobs.
type Failures struct {
	Of int

	mu   sync.Mutex // guards errs while jobs run
	errs []error
}

// Add adds the error of a job. If there are several jobs it is printed at once.
func (e *Failures) Add(env *Env, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Of > 1 {
		env.PrintError(err)
	}
	e.errs = append(e.errs, err)
}

// Err returns the error of the command: the job's own if there was one job, otherwise a count,
// because the errors were already printed.
func (e *Failures) Err() error {
	switch {
	case len(e.errs) == 0:
		return nil
	case e.Of == 1:
		return e.errs[0]
	}
	return e
}

func (e *Failures) Error() string { return fmt.Sprintf("%d of %d runs failed", len(e.errs), e.Of) }

func (e *Failures) Unwrap() []error { return e.errs }

// Interrupted is the error of a command ended by Ctrl-C or SIGTERM. Its text describes the state
// left behind.
type Interrupted string

func (e Interrupted) Error() string { return "interrupted: " + string(e) }

const ErrInterrupted = Interrupted("finished publications stay; run the command again for the rest")

// PrintError prints the error of a command, or of one of its jobs: as text, or as a line of JSON
// if the output is for scripts.
func (env *Env) PrintError(err error) {
	if env.JSON() {
		_ = json.NewEncoder(env.Errs).Encode(map[string]any{"error": err.Error(), "exit_code": ExitCode(err)})
		return
	}
	fmt.Fprintf(env.Errs, "mkt: %v\n", err)
}
