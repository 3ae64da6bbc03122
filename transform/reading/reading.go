// Package reading has what the derivations of both products need to read a raw cycle: where
// an answer is archived, a guard around the providers' readers, and the counts of what they could
// not read.
package reading

import (
	"errors"
	"fmt"
	"log/slog"

	"mkt/fetch/raw"
	"mkt/internal/panics"
)

var (
	// ErrNoCycle: there is no raw cycle to transform.
	ErrNoCycle = errors.New("no raw cycle to transform")
	// ErrQuarantined: too much of the cycle is unreadable.
	ErrQuarantined = errors.New("too much could not be read")
)

// Totals counts what a derivation of either product read.
type Totals struct {
	Fixtures int // refreshed
	Broken   int // unreadable fixtures
	// Damaged is the number of unreadable parts of payloads, which were marked or left out.
	Damaged int
	Failed  int // fixtures that could not be retrieved
	Bytes   int64
}

// errPanic: reading a payload panicked. This is a bug of mkt. It must not affect anything but the
// payload.
var errPanic = errors.New("reading it panicked")

// Guarded calls read and turns a panic into an error.
func Guarded[T any](read func() (T, error)) (result T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			var nothing T
			result, err = nothing, fmt.Errorf("%w: %s", errPanic, panics.Describe(cause))
		}
	}()
	return read()
}

// Unreadable counts and logs a payload that could not be read.
func Unreadable(log *slog.Logger, counters map[string]int64, response raw.Response, err error) {
	counters["payloads_unreadable"]++
	log.Warn("payload could not be read", "response", response.Number, "error", err)
}
