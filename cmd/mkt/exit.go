package main

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
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitLater  = 75
)

// usageError is what the caller did wrong: a flag, an argument, a setting.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// asUsage makes an error one of usage.
func asUsage(err error) error { return usageError{err} }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errDiffers makes the exit code of a comparison; it is no failure and has no message.
var errDiffers = errors.New("the snapshots differ")

// exitCode judges an error. Several jobs' are worth trying again only when each
// of them is.
func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		return exitUsage
	case later(err):
		return exitLater
	}
	return exitFailed
}

// temporaryError marks what passes by itself, where only the command knows.
type temporaryError struct{ error }

func (e temporaryError) Unwrap() error { return e.error }

// asTemporary makes an error one that passes by itself.
func asTemporary(err error) error { return temporaryError{err} }

// later reports whether what went wrong passes by itself.
func later(err error) bool {
	var batch *batchError
	var temporary temporaryError
	switch {
	case errors.Is(err, errInterrupted):
		return false
	case errors.As(err, &batch):
		return !slices.ContainsFunc(batch.errs, func(e error) bool { return !later(e) })
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
