package snapshot

import (
	"errors"
	"io/fs"
	"iter"
	"sort"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Backward iterates over the publications from one to the first of the root, see [First], newest
// first. An unreadable record comes as an error with its version, and the iteration continues. A
// file of compacted records is unpacked once.
func Backward(f durable.ReadFS, from Commit) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		h := history{f: f}
		first, err := First(f)
		if err != nil {
			yield(Commit{Version: from.Version}, err)
			return
		}
		for n := from.Version; n >= first; n-- {
			c, err := h.read(n)
			if err != nil {
				c = Commit{Version: n}
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// Search returns the last publication for which past is false, and the first for which it is
// true; Version is 0 if there is none. It is a binary search over the commit records up to head.
// Versions, cycles and times all rise in them.
func Search(f durable.ReadFS, head Commit, past func(Commit) bool) (before, after Commit, err error) {
	first, err := First(f)
	if err != nil || head.Version < first {
		return before, after, err
	}
	sort.Search(int(head.Version-first+1), func(i int) bool {
		if err != nil {
			return true
		}
		c := head
		if n := uint64(i) + first; n < head.Version {
			if c, err = ReadCommit(f, n); err != nil {
				return true
			}
		}
		if past(c) {
			after = c
			return true
		}
		before = c
		return false
	})
	return before, after, err
}

// OfCycle finds the publication of a cycle, up to head; false if there is none.
func OfCycle(f durable.ReadFS, head Commit, cycle layout.CycleID) (Commit, bool, error) {
	_, c, err := Search(f, head, func(c Commit) bool { return c.CycleID >= cycle })
	return c, err == nil && c.CycleID == cycle && c.Version > 0, err
}

// history reads records in order and caches the last pack.
type history struct {
	f      durable.ReadFS
	pack   string
	packed map[uint64][]byte
}

func (h *history) read(n uint64) (Commit, error) {
	name, _, _ := layout.CommitPack(n)
	if h.pack != name {
		data, err := durable.ReadFile(h.f, layout.Commit(n), maxCommit)
		if err == nil {
			return commitOf(n, data)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Commit{}, Fault(layout.Commit(n), err)
		}
		packed, packErr := readPack(h.f, name)
		if errors.Is(packErr, fs.ErrNotExist) {
			return Commit{}, err
		}
		if packErr != nil {
			return Commit{}, packErr
		}
		h.pack, h.packed = name, packed
	}
	data, ok := h.packed[n]
	if !ok {
		return ReadCommit(h.f, n)
	}
	return commitOf(n, data)
}
