package listen

// list is a doubly linked list whose links are part of its values. Its zero value is empty.
type list[T any] struct {
	head, tail *link[T]
	n          int
}

type link[T any] struct {
	value      T
	prev, next *link[T]
	in         bool
}

func (l *list[T]) push(k *link[T], value T) {
	*k = link[T]{value: value, prev: l.tail, in: true}
	if l.tail == nil {
		l.head = k
	} else {
		l.tail.next = k
	}
	l.tail = k
	l.n++
}

// remove removes a link that is in the list.
func (l *list[T]) remove(k *link[T]) {
	if k.prev == nil {
		l.head = k.next
	} else {
		k.prev.next = k.next
	}
	if k.next == nil {
		l.tail = k.prev
	} else {
		k.next.prev = k.prev
	}
	*k = link[T]{}
	l.n--
}

// first returns the value that was pushed first, or the zero value if there is none.
func (l *list[T]) first() (value T) {
	if l.head != nil {
		value = l.head.value
	}
	return value
}
