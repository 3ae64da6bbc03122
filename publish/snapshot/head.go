package snapshot

import (
	"errors"
	"math"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Head finds the newest publication for readers: the newest readable commit record; false if
// nothing was published yet. It takes a few look-ups by name, whatever the state of CURRENT.
func Head(f durable.ReadFS) (Commit, bool, error) {
	c, found, _, err := HeadAndFault(f)
	return c, found, err
}

// HeadAndFault is [Head], and also returns the error of a newer, unreadable record as fault.
func HeadAndFault(f durable.ReadFS) (c Commit, found bool, fault, err error) {
	start, err := startOf(f)
	if err != nil && !errors.Is(err, layout.ErrNewer) {
		return Commit{}, false, nil, err
	}
	return newestReadable(f, start)
}

// EnsureDurable ensures that a publication survives a power cut before it is reported. A record
// may be visible but not durable while CURRENT does not name it. Everything named by the record
// is durable already.
func EnsureDurable(f durable.ReadFS, c Commit) error {
	if done, err := IsCurrent(f, c); err == nil && done {
		return nil
	}
	return f.SyncDir(layout.CommitsDir)
}

// Last reads the newest commit record for the writer; false if nothing was published yet.
// A damaged record is an error, since nothing may be built on it; of the commit only the Version is
// known then, if it is.
func Last(f durable.ReadFS) (Commit, bool, error) {
	start, err := startOf(f)
	if err != nil {
		return Commit{}, false, err
	}
	n, err := newest(f, start)
	if err != nil || n == 0 {
		return Commit{}, false, err
	}
	c, err := ReadCommit(f, n)
	c.Version = n
	return c, err == nil, err
}

// NewestRecord returns the number of the newest commit record, readable or not, and 0 if there is
// none. from is the number of an existing record, or 0.
func NewestRecord(f durable.ReadFS, from uint64) (n uint64, err error) {
	if from == 0 {
		if from, err = startAtFirst(f); err != nil {
			return 0, err
		}
	}
	return newest(f, from)
}

// LastRecord is the number and the hash of the newest commit record, intact or not; 0 if
// there is none.
func LastRecord(f durable.ReadFS) (n uint64, sum string, err error) {
	start, err := startOf(f)
	if err != nil {
		return 0, "", err
	}
	if n, err = newest(f, start); err != nil || n == 0 {
		return 0, "", err
	}
	data, err := recordBytes(f, n)
	return n, durable.Hash(data), Fault(layout.Commit(n), err)
}

// startOf is the number of an existing commit: the one in CURRENT, or the first record of the
// root if CURRENT cannot be read, or 0. Only a CURRENT of a newer version is an error,
// [layout.ErrNewer], since a writer must not replace it.
func startOf(f durable.ReadFS) (uint64, error) {
	data, err := durable.ReadFile(f, layout.Current, maxPointer)
	if err != nil {
		if durable.IsExhausted(err) {
			return 0, err
		}
		return startAtFirst(f)
	}
	p, err := ParsePointer(data)
	if err != nil {
		if errors.Is(err, layout.ErrNewer) {
			return 0, err
		}
		return startAtFirst(f)
	}
	exists, err := isTaken(f, p.Version)
	if err != nil || exists {
		return p.Version, err
	}
	return startAtFirst(f)
}

// startAtFirst is the number of the first record of a root copied from an object store, and
// otherwise 0.
func startAtFirst(f durable.ReadFS) (uint64, error) {
	first, err := First(f)
	if err != nil || first == 1 {
		return 0, err
	}
	exists, err := isTaken(f, first)
	if err != nil || !exists {
		return 0, err
	}
	return first, nil
}

// isTaken reports whether commit record n exists, readable or not.
func isTaken(f durable.ReadFS, n uint64) (bool, error) {
	exists, err := isCommitted(f, n)
	if err == nil || durable.IsExhausted(err) {
		return exists, err
	}
	// Does the error concern this name, or every name in the folder?
	if _, all := isCommitted(f, math.MaxInt64); all != nil {
		return false, Fault(layout.CommitsDir, err)
	}
	return true, nil
}

// newest is the highest commit number. From an existing one (or 0) it makes steps, which double
// until a name is missing, and then bisects.
func newest(f durable.ReadFS, from uint64) (uint64, error) {
	there, step := from, uint64(1)
	for {
		exists, err := isTaken(f, there+step)
		if err != nil {
			return 0, err
		}
		if exists {
			there, step = there+step, step*2
			continue
		}
		if step == 1 {
			return there, nil
		}
		step /= 2
		for ; step > 0; step /= 2 {
			exists, err := isTaken(f, there+step)
			if err != nil {
				return 0, err
			}
			if exists {
				there += step
			}
		}
		return there, nil
	}
}

// maxUnreadable is the number of unreadable records after which a reader gives up.
const maxUnreadable = 16

// newestReadable reads the newest readable record. fault is the error of the newest one, if this
// cannot be read.
func newestReadable(f durable.ReadFS, from uint64) (c Commit, found bool, fault, err error) {
	n, err := newest(f, from)
	if err != nil || n == 0 {
		return Commit{}, false, nil, err
	}
	for at := n; at > 0 && n-at < maxUnreadable; at-- {
		c, err := ReadCommit(f, at)
		if err == nil {
			return c, true, fault, nil
		}
		if !IsFault(err) {
			return Commit{}, false, nil, err
		}
		if fault == nil {
			fault = err
		}
	}
	return Commit{}, false, nil, fault
}
