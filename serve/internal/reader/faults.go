package reader

import (
	"context"
	"log/slog"
	"time"
)

// faults logs errors that recur at every refresh, several times a second, until
// somebody repairs the cause. It logs an error once, then once a minute, and at once
// if the error changes. Not safe for concurrent use.
type faults struct {
	log  *slog.Logger
	now  func() time.Time
	last map[string]fault // by message
}

type fault struct {
	text string
	at   time.Time // when it was logged
}

const repeatedAfter = time.Minute

func newFaults(log *slog.Logger, now func() time.Time) *faults {
	return &faults{log: log, now: now, last: map[string]fault{}}
}

// note records the result of the operation that message names; err is nil if it
// succeeded.
func (f *faults) note(level slog.Level, message string, err error) {
	if err == nil {
		delete(f.last, message)
		return
	}
	now := fault{err.Error(), f.now()}
	last, repeated := f.last[message]
	if repeated && last.text == now.text && now.at.Sub(last.at) < repeatedAfter {
		return
	}
	f.last[message] = now
	f.log.Log(context.Background(), level, message, "err", err)
}
