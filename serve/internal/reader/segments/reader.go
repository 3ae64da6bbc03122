// Package segments reads the segments of the change log and of the steps of prices.
package segments

import (
	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/serve/internal/reader/lru"
)

// Reader reads the segments of one tenant's product. Segments never change, so what is in memory
// serves every snapshot that still retains them. Safe for concurrent use.
type Reader struct {
	fs       durable.ReadFS
	parts    *lru.Cache[partKey, *part]
	verified *lru.Cache[string, struct{}] // segments whose hash was verified, by hash
	steps    *Steps
}

type partKey struct {
	segment string // SHA-256
	n       int
}

type part struct {
	bodies []byte
	ends   []int // of each body
}

func (p *part) len() int { return len(p.ends) }

func (p *part) body(i int) []byte {
	from := 0
	if i > 0 {
		from = p.ends[i-1]
	}
	return p.bodies[from:p.ends[i]]
}

// New returns a reader, whose events need at most eventBytes in memory.
func New(f durable.ReadFS, eventBytes int, steps *Steps) *Reader {
	const segments = 4096
	return &Reader{fs: f, steps: steps, parts: lru.New[partKey, *part](eventBytes), verified: lru.New[string, struct{}](segments)}
}

// EventBytes returns how much memory the events need.
func (r *Reader) EventBytes() int { return r.parts.Weight() }

// verify checks a segment against its hash, once.
func (r *Reader) verify(s snapshot.Segment) error {
	if _, ok := r.verified.Get(s.SHA256); ok {
		return nil
	}
	err := snapshot.VerifySegment(r.fs, s)
	if err == nil {
		r.verified.Put(s.SHA256, struct{}{}, 1)
	}
	return err
}
