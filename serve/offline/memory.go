package offline

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// ErrMemory: the query needs more memory than it may use.
var ErrMemory = errors.New("the query needs more memory than it may use: give --memory more, or ask for fewer rows or less in each")

// The engine bounds what it knows of itself. What it does not, and the values that the
// driver makes of a row (a list of a hundred thousand structs takes gigabytes), is
// bounded by watching the process.
const (
	watchEvery = 5 * time.Millisecond
	engineMay  = 5.0 / 8 // of the bound; the rest is for what the engine does not count, and for a row
	gentlyAt   = 7.0 / 8 // of the bound: the query is cancelled
)

// watchMemory watches what the process has taken since it was called, until stop is
// called. Near most bytes it cancels the query. A row that is being made of values
// cannot be cancelled: at most bytes abort is called, which ends the process.
func watchMemory(most int64, cancel context.CancelCauseFunc, abort func(error)) (stop func()) {
	before := resident()
	if before == 0 {
		return func() {} // the system does not say
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
			if taken > int64(gentlyAt*float64(most)) {
				cancel(ErrMemory)
			}
			if taken > most && abort != nil {
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

// resident returns the memory that the process has, in bytes; 0 if the system does not
// say.
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
