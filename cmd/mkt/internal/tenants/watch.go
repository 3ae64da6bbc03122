package tenants

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"os"
	"time"
)

// WatchOptions of Watch.
type WatchOptions struct {
	Poll time.Duration // 0: 500 ms, so that losing a right takes effect within two seconds
	Log  *slog.Logger  // nil: discarded
	// Refused is called for each edit that is not put in force. May be nil.
	Refused func()
}

// Watch looks at the file that from was read from until ctx ends, and calls
// apply with each new generation that is valid. An invalid one is logged once,
// with file, line and reason, and the last good one stays in force; so it does
// when the file is gone or cannot be read.
func Watch(ctx context.Context, from *File, o WatchOptions, apply func(*File)) {
	if o.Poll <= 0 {
		o.Poll = 500 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Refused == nil {
		o.Refused = func() {}
	}
	w := watcher{path: from.Name, log: o.Log, apply: apply, refused: o.Refused, judged: from.sum}
	tick := time.NewTicker(o.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.look()
		}
	}
}

type watcher struct {
	path    string
	log     *slog.Logger
	apply   func(*File)
	refused func()

	stat     os.FileInfo // of the content judged last
	judged   [32]byte    // the content itself
	changing time.Time   // since when it is not what was judged; zero when it is
	trouble  string      // the problem logged last; "" when the file in force is the one on disk
}

func (w *watcher) look() {
	stat, err := os.Stat(w.path)
	if err == nil && w.unchanged(stat) {
		return
	}
	data, err := readFile(w.path)
	if err == nil && sha256.Sum256(data) == w.judged && w.trouble == "" {
		w.stat, w.changing = stat, time.Time{}
		return
	}
	if data, err = w.settled(stat, data, err); errors.Is(err, errUnsettled) {
		return // the next look tries again
	}
	if err != nil {
		w.refuse(err)
		return
	}
	w.stat = stat
	sum := sha256.Sum256(data)
	if sum == w.judged && w.trouble == "" {
		return
	}
	w.judged = sum
	f, err := Parse(w.path, data)
	if err != nil {
		w.refuse(err)
		return
	}
	w.trouble = ""
	w.log.Info("tenants file in force", "file", w.path, "tenants", len(f.Tenants))
	w.apply(f)
}

// Who writes a file in place leaves half of it there for a moment, and half a list
// of accounts is a valid list: the other half would lose their access. So such a
// file is judged when it was at rest. One that took another's place came whole, and
// is only read twice, as is one that never rests.
const (
	restTime = 100 * time.Millisecond
	restless = time.Second // then it is judged all the same
	pause    = 5 * time.Millisecond
	pauses   = 20
)

var errUnsettled = errors.New("is being written")

// settled reads on from what was read first until two readings agree.
func (w *watcher) settled(stat os.FileInfo, data []byte, err error) ([]byte, error) {
	if w.changing.IsZero() {
		w.changing = time.Now()
	}
	wait, tries := pause, pauses
	if inPlace := w.stat == nil || os.SameFile(w.stat, stat); inPlace && time.Since(w.changing) < restless {
		wait, tries = restTime, 1
	}
	for range tries {
		time.Sleep(wait)
		again, errAgain := readFile(w.path)
		if err == nil && errAgain == nil && bytes.Equal(data, again) || err != nil && errAgain != nil {
			w.changing = time.Time{}
			return again, errAgain
		}
		data, err = again, errAgain
	}
	return nil, errUnsettled
}

// unchanged trusts the file's times only when they are old: a file that is
// rewritten many times a second can keep its time and size.
func (w *watcher) unchanged(now os.FileInfo) bool {
	const settled = 3 * time.Second
	return w.stat != nil && os.SameFile(w.stat, now) && w.stat.Size() == now.Size() &&
		w.stat.ModTime().Equal(now.ModTime()) && time.Since(now.ModTime()) > settled
}

func (w *watcher) refuse(err error) {
	if err.Error() == w.trouble {
		return
	}
	w.trouble = err.Error()
	w.refused()
	w.log.Error("tenants file refused: the last good one stays in force", "error", err)
}
