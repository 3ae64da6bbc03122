package reader

import (
	"errors"
	"io/fs"
	"maps"
	"time"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/quarantine"
)

// isSnapshotFault reports whether the error is caused by the snapshot itself, so that another
// snapshot may still load.
func isSnapshotFault(err error) bool {
	for _, fault := range []error{snapshot.ErrInvalid, table.ErrFormat, durable.ErrNotRegular, fs.ErrNotExist} {
		if errors.Is(err, fault) {
			return true
		}
	}
	var killed *quarantine.QuarantineError
	return snapshot.IsFault(err) || errors.As(err, &killed)
}

// quarantined has the publications that could not be loaded, by the hash of their commit, and
// when each may be tried again.
type quarantined map[string]time.Time

// How long a publication that could not be loaded is quarantined. Its files may still
// be being restored, or their permissions corrected.
const (
	invalidFor    = 10 * time.Minute
	unreadableFor = time.Minute
)

func (q quarantined) has(c snapshot.Commit, now time.Time) bool {
	until, ok := q[c.SHA256]
	return ok && now.Before(until)
}

// add records the failure to load a publication, and forgets those that may
// be tried again. If every publication is invalid, one is added every few seconds.
func (q quarantined) add(c snapshot.Commit, why error, now time.Time) {
	maps.DeleteFunc(q, func(_ string, until time.Time) bool { return !now.Before(until) })
	wait := invalidFor
	if errors.Is(why, snapshot.ErrUnreadable) {
		wait = unreadableFor
	}
	q[c.SHA256] = now.Add(wait)
}

// backOff delays the next load after an error that is not the snapshot's, such as a
// full disk, by 1 s, 2 s, 4 s and so on up to a minute.
type backOff struct {
	failed int // loads that failed in a row
	until  time.Time
}

func (b *backOff) add(err error, now time.Time) {
	if err == nil || isSnapshotFault(err) {
		*b = backOff{}
		return
	}
	b.failed = min(b.failed+1, 7)
	b.until = now.Add(min(time.Minute, time.Second<<(b.failed-1)))
}
