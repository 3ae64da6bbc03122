package snapshot

import (
	"errors"
	"io/fs"
	"iter"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Backward gives the publications from one on, newest first, down to the first.
// A record that cannot be read comes as an error with its version, and the ones
// before it follow. A file of rolled up records is unpacked once.
func Backward(f durable.FS, from Commit) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		h := history{f: f}
		for n := from.Version; n > 0; n-- {
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

// history reads records in order, with the pack at hand that the last one came
// from.
type history struct {
	f      durable.FS
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
