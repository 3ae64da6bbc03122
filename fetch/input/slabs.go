package input

import "mkt/publish/football"

// Slabs is the memory of the rows of one payload, which the next payload uses again: that
// spares the garbage collector most of its work. Its zero value is ready for use.
type Slabs struct {
	rows   slab[Row]
	labels slab[football.Label]
}

// slab hands out parts of large arrays.
type slab[T any] struct {
	full [][]T // used up arrays
	now  []T
}

const (
	slabSize = 2048
	maxSlabs = 32 // kept arrays of each kind
)

func (s *slab[T]) take(n int) []T {
	if cap(s.now)-len(s.now) < n {
		if s.now != nil {
			s.full = append(s.full, s.now)
		}
		s.now = make([]T, 0, max(n, slabSize))
	}
	from := len(s.now)
	s.now = s.now[:from+n]
	return s.now[from : from : from+n]
}

// reset makes one array of all, so the next payload of this size needs no more.
func (s *slab[T]) reset() {
	size := len(s.now)
	for _, array := range s.full {
		size += len(array)
	}
	if s.full != nil && size <= maxSlabs*slabSize {
		s.now = make([]T, 0, size+size/8)
	}
	clear(s.now)
	s.full, s.now = nil, s.now[:0]
}

// Rows returns an empty slice for n rows.
func (s *Slabs) Rows(n int) []Row { return s.rows.take(n) }

// Labels returns an empty slice for n labels.
func (s *Slabs) Labels(n int) []football.Label { return s.labels.take(n) }

// Reset makes the memory free for the next payload. Nothing that was made there may be used
// any more.
func (s *Slabs) Reset() {
	s.rows.reset()
	s.labels.reset()
}
