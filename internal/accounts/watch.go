package accounts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"time"
)

// WatchOptions are the options of Watch.
type WatchOptions struct {
	Now  func() time.Time // required
	Poll time.Duration    // 0: 500 ms, so that a lost right takes effect within two seconds
	Log  *slog.Logger     // required
	// Refused is called for each edit that is not put in force. Required.
	Refused func()
}

// Watch watches the file of from until ctx is done, and calls apply with each new valid generation that
// may replace the one in force, see File.Replaces. If it may not, or apply returns an error, that is
// logged once, with file, line and reason, and the last good generation stays in force; also if the
// file is missing or cannot be read.
func Watch(ctx context.Context, from *File, o WatchOptions, apply func(*File) error) {
	if o.Poll <= 0 {
		o.Poll = 500 * time.Millisecond
	}
	w := watcher{now: o.Now, path: from.Name, log: o.Log, apply: apply, refused: o.Refused, inForce: from}
	w.warn(from)
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
	now     func() time.Time
	path    string
	log     *slog.Logger
	apply   func(*File) error
	refused func()

	inForce *File

	stat    os.FileInfo // of the content that was judged last
	judged  [32]byte    // hash of that content; zero before the first reading
	trouble string      // the problem that was logged last; "" if the file on disk is in force
}

// A file without a seal is read until two readings are the same: one that is overwritten in place is
// incomplete for a moment, which is not to be logged as a wrong edit. It is File.Replaces that keeps an
// incomplete file out of force, not these times.
const (
	pause  = 5 * time.Millisecond
	pauses = 20 // after which it is judged anyway
)

func (w *watcher) look() {
	stat, err := os.Stat(w.path)
	if err == nil && w.unchanged(stat) {
		return
	}
	data, err := readFile(w.path)
	for range pauses {
		if err == nil && (unseal(data).seal == Sealed || sha256.Sum256(data) == w.judged) {
			break
		}
		before, failed := data, err != nil
		time.Sleep(pause)
		if data, err = readFile(w.path); failed == (err != nil) && bytes.Equal(before, data) {
			break
		}
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
	f, err := successor(w.inForce, data)
	if err != nil {
		w.refuse(err)
		return
	}
	if w.trouble == "" && f.sum == w.inForce.sum {
		return // only the seal changed
	}
	if err := w.apply(f); err != nil {
		w.refuse(err)
		return
	}
	w.trouble, w.inForce = "", f
	w.log.Info("tenants file in force", "file", w.path, "tenants", len(f.Tenants))
	w.warn(f)
}

// successor reads the generation that comes after the one in force.
func successor(inForce *File, data []byte) (*File, error) {
	f, err := Parse(inForce.Name, data)
	if err != nil {
		return nil, err
	}
	return f, f.Replaces(inForce)
}

// warn warns that the generation in force may be truncated.
func (w *watcher) warn(f *File) {
	if f.seal == Sealed || len(f.Tenants) == 0 {
		return
	}
	reason := "it has no seal"
	if f.seal == Stale {
		reason = "it was changed by hand since it was sealed"
	}
	w.log.Warn("the tenants file in force has no valid seal: it may have been cut off", "file", w.path, "reason", reason,
		"next", "mkt tenant validate --seal")
}

// unchanged trusts the file's times only if they are old: a file that is rewritten many times a second
// can keep its time and size.
func (w *watcher) unchanged(found os.FileInfo) bool {
	const settled = 3 * time.Second
	return w.stat != nil && os.SameFile(w.stat, found) && w.stat.Size() == found.Size() &&
		w.stat.ModTime().Equal(found.ModTime()) && w.now().Sub(found.ModTime()) > settled
}

func (w *watcher) refuse(err error) {
	if err.Error() == w.trouble {
		return
	}
	w.trouble = err.Error()
	w.refused()
	w.log.Error("tenants file refused: the last good one stays in force", "error", err)
}
