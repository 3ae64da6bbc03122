package diff

import "iter"

// Pair holds the rows of two sorted sequences with one key. Old or New is nil if its sequence has
// no such row.
type Pair[T any] struct{ Old, New *T }

// Pairs iterates over two sequences side by side; both are sorted by compare and have no
// two equal rows. A row is valid until the next pair. An error of either sequence comes
// last.
func Pairs[T any](old, new iter.Seq2[*T, error], compare func(a, b *T) int) iter.Seq2[Pair[T], error] {
	return func(yield func(Pair[T], error) bool) {
		nextOld, stopOld := iter.Pull2(old)
		defer stopOld()
		nextNew, stopNew := iter.Pull2(new)
		defer stopNew()
		var more Pair[T] // the next row of each sequence, nil after the last
		for takeOld, takeNew := true, true; ; {
			var err error
			if takeOld {
				if more.Old, err, _ = nextOld(); err != nil {
					yield(Pair[T]{}, err)
					return
				}
			}
			if takeNew {
				if more.New, err, _ = nextNew(); err != nil {
					yield(Pair[T]{}, err)
					return
				}
			}
			if more.Old == nil && more.New == nil {
				return
			}
			order := 0
			if more.Old != nil && more.New != nil {
				order = compare(more.Old, more.New)
			}
			takeOld = more.Old != nil && order <= 0
			takeNew = more.New != nil && order >= 0
			var p Pair[T]
			if takeOld {
				p.Old = more.Old
			}
			if takeNew {
				p.New = more.New
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

// Each iterates over rows, for Pairs.
func Each[T any](rows []T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for i := range rows {
			if !yield(&rows[i], nil) {
				return
			}
		}
	}
}
