package object

import "sync/atomic"

// Operations are the kinds of requests, as stores count and bill them.
var Operations = []string{"get", "head", "put", "list", "delete"}

// Stats counts the requests to a store. It is safe for concurrent use; nil counts nothing.
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

// Of returns the numbers of answered and failed requests of a kind.
func (s *Stats) Of(op string) (answered, failed int64) {
	for i, name := range Operations {
		if name == op {
			return s.ok[i].Load(), s.failed[i].Load()
		}
	}
	return 0, 0
}

// Bytes returns the bytes of objects received and sent.
func (s *Stats) Bytes() (received, sent int64) { return s.in.Load(), s.out.Load() }
