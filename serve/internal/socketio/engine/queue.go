package engine

import "slices"

type entry struct {
	m   *Message
	key string // of Replace; "" = never replaced
}

// cost is the amount of an entry in MaxQueued, including some overhead.
func (e entry) cost() int { return len(e.m.frames) + 32 }

// queue has the messages that wait for a client. Its zero value is empty and uses no
// memory.
type queue struct {
	list  []entry
	bytes int // cost of the list
}

func (q *queue) push(e entry) {
	q.list = append(q.list, e)
	q.bytes += e.cost()
}

// pushFront is for messages that may overtake others: heartbeats and control frames.
func (q *queue) pushFront(e entry) {
	q.list = slices.Insert(q.list, 0, e)
	q.bytes += e.cost()
}

// pop removes and returns the first entry; the queue must not be empty.
func (q *queue) pop() entry {
	e := q.list[0]
	q.bytes -= e.cost()
	q.list[0] = entry{}
	q.list = q.list[1:]
	if len(q.list) == 0 {
		q.list = nil
	}
	return e
}

func (q *queue) remove(key string) {
	q.list = slices.DeleteFunc(q.list, func(e entry) bool {
		if e.key == key {
			q.bytes -= e.cost()
		}
		return e.key == key
	})
}

func (q *queue) take() []entry {
	list := q.list
	*q = queue{}
	return list
}
