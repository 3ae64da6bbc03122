package reader

import (
	"context"
	"log/slog"
	"time"
)

// faults logs what goes wrong at every look for news, several times a second until
// somebody mends it: once, then once a minute, and at once when it is another fault.
// Used by one look at a time.
type faults struct {
	log  *slog.Logger
	now  func() time.Time
	last map[string]fault // by message
}

type fault struct {
	text string
	at   time.Time // when it was logged
}

// repeatedAfter is after how long a fault that goes on is logged again.
const repeatedAfter = time.Minute

func newFaults(log *slog.Logger, now func() time.Time) *faults {
	return &faults{log: log, now: now, last: map[string]fault{}}
}

// note takes what came of one thing, which its message names; nil when it went well.
func (f *faults) note(level slog.Level, message string, err error) {
	if err == nil {
		delete(f.last, message)
		return
	}
	is := fault{err.Error(), f.now()}
	was, again := f.last[message]
	if again && was.text == is.text && is.at.Sub(was.at) < repeatedAfter {
		return
	}
	f.last[message] = is
	f.log.Log(context.Background(), level, message, "err", err)
}
