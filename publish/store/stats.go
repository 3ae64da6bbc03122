package store

import "sync/atomic"

// Operations are the kinds of requests, as stores count and bill them.
var Operations = []string{"get", "head", "put", "list", "delete"}

// Stats counts what was asked of a store. Safe for concurrent use; nil counts nothing.
type Stats struct {
	ok, failed [5]atomic.Int64
	in, out    atomic.Int64
}

func (s *Stats) count(op string, err error) {
	if s == nil {
		return
	}
	for i, name := range Operations {
		if name != op {
			continue
		}
		if isAnswer(err) {
			s.ok[i].Add(1)
		} else {
			s.failed[i].Add(1)
		}
	}
}

func (s *Stats) received(n int64) {
	if s != nil {
		s.in.Add(n)
	}
}

func (s *Stats) sent(n int64) {
	if s != nil {
		s.out.Add(n)
	}
}

// Of returns how many requests of a kind were answered and how many failed.
func (s *Stats) Of(op string) (answered, failed int64) {
	for i, name := range Operations {
		if name == op {
			return s.ok[i].Load(), s.failed[i].Load()
		}
	}
	return 0, 0
}

// Bytes returns how many bytes of objects were received and sent.
func (s *Stats) Bytes() (received, sent int64) { return s.in.Load(), s.out.Load() }
