package requests

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"mkt/publish/durable"
)

// FlushEvery is the least interval at which records are written.
const FlushEvery = 5 * time.Second

// pauses is the ratio of the pause after a flush to the time that the flush took. With many accounts it takes long,
// because each of their files is written anew.
const pauses = 9

// mostWaiting is the number of records of all accounts, roughly, that are kept in memory while nothing can be written.
const mostWaiting = 20_000

// keptUnused is how long a file is kept after the last record was added to it.
const keptUnused = 7 * 24 * time.Hour

// Options are the options of a [Log].
type Options struct {
	Disk  durable.FS             // the folder; [durable.OpenUnsynced] is enough
	Name  func() (string, error) // of this process's files, which no other process has at the same time
	Known func(string) bool      // whether an account exists: files of a deleted one do not come back
	Now   func() time.Time
	Log   *slog.Logger
}

// Log has the records of this process that are not in files yet. A nil Log keeps nothing. Safe for
// concurrent use.
type Log struct {
	Options
	accounts sync.Map // client id → *recent

	flushing sync.Mutex
	failing  bool      // it was logged that nothing can be written
	pruned   time.Time // when unused files were last removed
}

// New returns a log of an opened folder.
func New(o Options) *Log { return &Log{Options: o} }

// recent has the newest records of an account.
type recent struct {
	mu                sync.Mutex
	answered, refused ring
}

// ring has the newest Kept records; next is the oldest one when it is full.
type ring struct {
	records []Record
	next    int
}

func (r *ring) add(one Record) {
	if len(r.records) < Kept {
		r.records = append(r.records, one)
		return
	}
	r.records[r.next] = one
	r.next = (r.next + 1) % Kept
}

// take returns the records, oldest first, and leaves none.
func (r *ring) take() []Record {
	list := append(r.records[r.next:len(r.records):len(r.records)], r.records[:r.next]...)
	*r = ring{}
	return list
}

// Add adds a record of an account; "" is none, and nothing is kept.
func (l *Log) Add(clientID string, one Record) {
	if l == nil || clientID == "" {
		return
	}
	of, ok := l.accounts.Load(clientID)
	if !ok {
		of, _ = l.accounts.LoadOrStore(clientID, new(recent))
	}
	one.clean()
	of.(*recent).add(one)
}

func (r *recent) add(list ...Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range list {
		if list[i].Refused() {
			r.refused.add(list[i])
		} else {
			r.answered.add(list[i])
		}
	}
}

func (r *recent) take() []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append(r.answered.take(), r.refused.take()...)
}

// putBack puts records back before newer ones.
func (r *recent) putBack(older []Record) {
	newer := r.take()
	r.add(older...)
	r.add(newer...)
}

// Run flushes until ctx ends, and then once more.
func (l *Log) Run(ctx context.Context) {
	for wait := FlushEvery; ; {
		select {
		case <-ctx.Done():
			l.Flush()
			return
		case <-time.After(wait):
			began := l.Now()
			l.Flush()
			wait = max(FlushEvery, pauses*l.Now().Sub(began))
		}
	}
}

// Flush adds the records to the files. What it could not write it keeps for the next Flush, up to
// a limit for each account and one for all of them together.
func (l *Log) Flush() {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	var failed error
	waiting := 0
	l.accounts.Range(func(k, v any) bool {
		clientID, of := k.(string), v.(*recent)
		if !l.Known(clientID) {
			l.accounts.Delete(clientID)
			return true
		}
		list := of.take()
		if len(list) == 0 {
			return true
		}
		name, err := l.Name()
		if err == nil {
			err = l.write(clientID+"."+name+suffix, list)
		}
		if err != nil {
			if waiting += len(list); waiting <= mostWaiting {
				of.putBack(list)
			}
			failed = err
		}
		return true
	})
	if failed == nil {
		failed = l.prune()
	}
	if failed != nil && !l.failing {
		l.Log.Warn("the newest requests of accounts cannot be written for mkt tenant requests and the console", "err", failed)
	}
	l.failing = failed != nil
}

// write adds records to a file, and leaves the newest in it. The lines that are there are kept as
// they are, which takes less than reading them.
func (l *Log) write(file string, list []Record) error {
	lines := oldLines(l.Disk, file)
	for i := range list {
		if line := list[i].line(); line != nil {
			lines = append(lines, line)
		}
	}
	var all [2]int // lines of answers, and of refusals
	for _, line := range lines {
		all[kind(line)]++
	}
	content := []byte(format + "\n")
	for _, line := range lines {
		if k := kind(line); all[k] > Kept {
			all[k]-- // one of the oldest, which is left out
		} else {
			content = append(content, line...)
		}
	}
	return durable.Save(l.Disk, file, true, durable.Bytes(content))
}

// oldLines returns the lines of records of a file. What cannot be read is begun anew.
func oldLines(f durable.ReadFS, file string) (lines [][]byte) {
	data, err := durable.ReadFile(f, file, maxFile)
	if err != nil {
		return nil
	}
	first := true
	for line := range bytes.Lines(data) {
		switch whole := bytes.HasSuffix(line, []byte("\n")); {
		case first && string(line) != format+"\n":
			return nil
		case !first && whole && len(line) <= maxLine:
			lines = append(lines, line)
		}
		first = false
	}
	return lines
}

// kind is 1 for the line of a refusal, and 0 for others. A text that contains the same words has its quotes escaped.
func kind(line []byte) int {
	if bytes.Contains(line, []byte(`"code":"`)) {
		return 1
	}
	return 0
}

// prune removes the files of any replica to which nothing was added for a while, once an hour.
func (l *Log) prune() error {
	now := l.Now()
	if now.Sub(l.pruned) < time.Hour {
		return nil
	}
	l.pruned = now
	entries, err := l.Disk.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if _, _, ours := parseName(e.Name()); err != nil || !ours || now.Sub(info.ModTime()) < keptUnused {
			continue // one that was removed meanwhile has no information
		}
		if err := l.Disk.Remove(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return durable.RemoveTemps(l.Disk, ".", now.Add(-time.Hour))
}
