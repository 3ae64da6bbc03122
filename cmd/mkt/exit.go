package main

import (
	"errors"
	"fmt"

	"mkt/fetch"
	"mkt/fetch/provider"
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

// exitCode judges an error. Several joined ones are worth trying again only
// when each of them is.
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

func later(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if !later(e) {
				return false
			}
		}
		return true
	}
	return errors.Is(err, durable.ErrLocked) || errors.Is(err, provider.ErrUnreachable) || errors.Is(err, fetch.ErrLimited)
}
