package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// Filter selects entries; a zero field selects all.
type Filter struct {
	Tenant string
	Action Action
	Since  time.Time
	Last   int // only that many, the newest ones
}

func (f Filter) picks(e *Entry) bool {
	return (f.Tenant == "" || f.Tenant == e.Tenant) &&
		(f.Action == "" || f.Action == e.Action) &&
		(f.Since.IsZero() || !e.At.Before(f.Since))
}

// Log is the part of the log that a Filter selects.
type Log struct {
	Entries    []Entry // oldest first
	Unreadable []int   // lines, from 1, that are not entries: cut off by a crash, or tampered with
	// Last is the hash of the tenants file after its newest entry, selected or not; ""
	// if there is none. If the file has another hash, a change was not logged.
	Last string
}

// longestLine bounds an entry, bytes; a longer line is unreadable.
const longestLine = 1 << 20

// Open reads the log beside the tenants file at path. A log that does not exist is empty.
func Open(path string, pick Filter) (Log, error) {
	f, of, err := openBeside(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Log{}, nil
	case errors.Is(err, fs.ErrPermission):
		return Log{}, fmt.Errorf("audit log: %w: run it as the user who owns the file, or as root", err)
	case err != nil:
		return Log{}, fmt.Errorf("audit log: %w", err)
	}
	defer f.Close()
	log, err := Read(f, of, pick)
	if err != nil {
		return log, fmt.Errorf("audit log %s: %w", f.Name(), err)
	}
	return log, nil
}

// openBeside opens the log beside the tenants file at path, and returns the name of that file in it.
func openBeside(path string) (log *os.File, of string, err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	log, err = os.Open(filepath.Join(filepath.Dir(path), FileName))
	return log, filepath.Base(path), err
}

// Read reads the entries of a log that are about the tenants file of that name. It lists and
// skips a line that is not an entry.
func Read(r io.Reader, file string, pick Filter) (Log, error) {
	var log Log
	var before Entry
	unlogged := false // the file was changed without an entry since the last selected entry
	n := 0
	for line, err := range lines(r) {
		if err != nil {
			return log, err
		}
		n++
		e, ok := parse(line)
		if !ok {
			log.Unreadable = append(log.Unreadable, n)
			continue
		}
		if e.File != file {
			continue
		}
		unlogged = unlogged || !e.follows(&before)
		before, log.Last = e, e.After
		if pick.picks(&e) {
			e.AfterUnlogged, unlogged = unlogged, false // the line itself is not trusted for this
			log.Entries = append(log.Entries, e)
		}
	}
	if cut := len(log.Entries) - pick.Last; pick.Last > 0 && cut > 0 {
		log.Entries = log.Entries[cut:]
	}
	return log, nil
}

// follows reports whether the file was not changed between the entry before and this one.
// Entries of one edit have the same hashes.
func (e *Entry) follows(before *Entry) bool {
	sameEdit := e.Before == before.Before && e.After == before.After
	return before.File == "" || e.Before == before.After || sameEdit
}

// lines returns the lines of a log without their ends, and nil for one that is too long.
func lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		var line []byte
		size := 0 // of line, or of as much of it as was read
		for {
			part, err := in.ReadSlice('\n')
			if size += len(part); size <= longestLine {
				line = append(line, part...)
			}
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				continue
			case err != nil && err != io.EOF:
				yield(nil, err)
				return
			case size > longestLine:
				line = nil
			}
			if size == 0 || !yield(bytes.TrimSuffix(line, []byte("\n")), nil) || err == io.EOF {
				return
			}
			line, size = nil, 0
		}
	}
}

func parse(line []byte) (e Entry, ok bool) {
	if json.Unmarshal(line, &e) != nil || e.Format != Format || e.At.IsZero() || e.Action == "" || e.Tenant == "" {
		return Entry{}, false
	}
	for _, s := range []*string{&e.User, &e.Actor, (*string)(&e.Action), &e.Tenant, &e.File, &e.Before, &e.After} {
		*s = plain(*s)
	}
	for i := range e.Changes {
		c := &e.Changes[i]
		c.Field, c.Before, c.After = plain(c.Field), plain(c.Before), plain(c.After)
	}
	return e, true
}
