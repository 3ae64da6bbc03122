package simulator

import (
	"net/url"
	"time"
)

// Replay is a dialect over recorded answers: the wire format is that of Dialect, and Serve
// finds the answers.
type Replay struct {
	Dialect
	Serve func(Question) Answer
}

var _ Sorting = Replay{}

// Answer implements Dialect.
func (r Replay) Answer(q Question) Answer { return r.Serve(q) }

// Format implements Dialect.
func (r Replay) Format() Format {
	f := r.Dialect.Format()
	f.Recorded = true
	return f
}

// EndpointOf implements Sorting.
func (r Replay) EndpointOf(path string, query url.Values) (name string, class Class) {
	if d, ok := r.Dialect.(Sorting); ok {
		return d.EndpointOf(path, query)
	}
	return r.Dialect.Endpoint(path)
}

// base returns the dialect that has the optional methods of d.
func base(d Dialect) Dialect {
	if r, ok := d.(Replay); ok {
		return r.Dialect
	}
	return d
}

// metered returns the dialect of an answer with the given quota.
func metered(d Dialect, limit, remaining int, resets time.Duration) Dialect {
	m, ok := base(d).(Metered)
	if !ok {
		return d
	}
	stating := m.Metered(limit, remaining, resets)
	if r, ok := d.(Replay); ok {
		r.Dialect = stating
		return r
	}
	return stating
}
