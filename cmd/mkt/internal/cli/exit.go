package cli

import (
	"errors"
	"fmt"
	"slices"

	"mkt/fetch"
	"mkt/fetch/provider"
	"mkt/publish"
	"mkt/publish/durable"
)

// Exit codes (DESIGN, section 2). 75 is EX_TEMPFAIL of sysexits.h.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2
	ExitLater  = 75
)

// usageError is what the caller did wrong: a flag, an argument, a setting.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// AsUsage makes an error one of usage.
func AsUsage(err error) error { return usageError{err} }

func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// ErrDiffers makes the exit code of a comparison; it is no failure and has no message.
var ErrDiffers = errors.New("the snapshots differ")

// ExitCode judges an error. Several jobs' are worth trying again only when each
// of them is.
func ExitCode(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &usage):
		return ExitUsage
	case IsTemporary(err):
		return ExitLater
	}
	return ExitFailed
}

// temporaryError marks what passes by itself, where only the command knows.
type temporaryError struct{ error }

func (e temporaryError) Unwrap() error { return e.error }

// AsTemporary makes an error one that passes by itself.
func AsTemporary(err error) error { return temporaryError{err} }

// IsTemporary reports whether what went wrong passes by itself.
func IsTemporary(err error) bool {
	var batch *Failures
	var temporary temporaryError
	switch {
	case errors.Is(err, ErrInterrupted):
		return false
	case errors.As(err, &batch):
		return !slices.ContainsFunc(batch.errs, func(e error) bool { return !IsTemporary(e) })
	case errors.As(err, &temporary):
		return true
	}
	for _, passing := range []error{durable.ErrLocked, provider.ErrUnreachable, fetch.ErrLimited, publish.ErrConflict} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}
