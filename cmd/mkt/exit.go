package main

import (
	"errors"
	"fmt"
	"slices"

	"mkt/cmd/mkt/internal/tail"
	"mkt/cmd/mkt/internal/verify"
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

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitCode judges an error. Several jobs' are worth trying again only when each
// of them is.
func exitCode(err error) int {
	var usage usageError
	var trouble troubleError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage), errors.As(err, &trouble):
		return exitUsage
	case later(err):
		return exitLater
	}
	return exitFailed
}

// later tells whether what went wrong passes by itself.
func later(err error) bool {
	var batch *batchError
	switch {
	case errors.Is(err, errInterrupted):
		return false
	case errors.As(err, &batch):
		return !slices.ContainsFunc(batch.errs, func(e error) bool { return !later(e) })
	}
	for _, passing := range []error{durable.ErrLocked, provider.ErrUnreachable, fetch.ErrLimited, publish.ErrConflict, tail.ErrUnreachable, verify.ErrBusy} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}
