package offline

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// ErrMemory reports that the query needs more memory than Options.Memory.
var ErrMemory = errors.New("the query needs more memory than it may use: raise --memory, or select fewer rows or smaller columns")

// The engine limits the memory that it counts itself. The rest, and the values that the
// driver makes of a row (a list of a hundred thousand structs takes gigabytes), is limited
// by watching the process.
const (
	watchEvery  = 5 * time.Millisecond
	engineShare = 5.0 / 8 // of the limit; the rest is for memory outside the engine's count, and for a row
	cancelAt    = 7.0 / 8 // of the limit, at which the query is cancelled
)

// watchMemory watches the memory that the process has taken since the call, until stop is
// called. It cancels the query shortly before the limit. The conversion of a row cannot be
// cancelled, so at the limit abort is called, which must end the process.
func watchMemory(limit int64, cancel context.CancelCauseFunc, abort func(error)) (stop func()) {
	before := resident()
	if before == 0 {
		return func() {} // the system does not report it
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			taken := resident() - before
			if taken > int64(cancelAt*float64(limit)) {
				cancel(ErrMemory)
			}
			if taken > limit && abort != nil {
				abort(ErrMemory)
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// resident returns the resident memory of the process in bytes, or 0 if the system does
// not report it.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
