package reader

import (
	"fmt"
	"sort"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/internal/api"
	"mkt/serve/internal/reader/lru"
)

const partEvents = 512

// changeLog renders the events of a tenant's segments. Segments never change, so a
// rendered part serves every snapshot that still retains it. Safe for concurrent
// use.
type changeLog struct {
	fs       durable.ReadFS
	parts    *lru.Cache[partKey, *part]
	verified *lru.Cache[string, struct{}] // segments whose hash was verified, by hash
	steps    *stepCaches
}

type partKey struct {
	segment string // SHA-256
	n       int
}

type part struct {
	bodies []byte
	ends   []int // of each body
}

func newChangeLog(f durable.ReadFS, cacheSize int, steps *stepCaches) *changeLog {
	const segments = 4096
	return &changeLog{fs: f, steps: steps, parts: lru.New[partKey, *part](cacheSize), verified: lru.New[string, struct{}](segments)}
}

// Window returns the retained part of the change log.
func (v *View) Window() api.Window {
	w := v.commit.Window()
	window := api.Window{FirstSeq: w.First, LastSeq: w.Last}
	if len(v.manifest.Changes) > 0 {
		at := v.manifest.Changes[0].At
		window.RetainedFrom = &at
	}
	return window
}

// Events calls do with at most limit events after seq after, oldest first. The body
// is valid only until do returns. last is the seq to continue after; more reports
// whether there are further events. after must lie in the window.
func (v *View) Events(after uint64, limit int, do func(body []byte)) (last uint64, more bool, err error) {
	segments := v.manifest.Changes
	next := after + 1
	i := sort.Search(len(segments), func(i int) bool { return segments[i].Last >= next })
	for ; i < len(segments) && limit > 0; i++ {
		s := segments[i]
		for limit > 0 && next <= s.Last {
			offset := int(next - s.First)
			p, err := v.log.part(s, offset/partEvents)
			if err != nil {
				return 0, false, err
			}
			n := min(limit, p.len()-offset%partEvents)
			for k := range n {
				do(p.body(offset%partEvents + k))
			}
			next += uint64(n)
			limit -= n
		}
	}
	return next - 1, next <= v.commit.LastSeq, nil
}

// EventsCached reports whether the page of events after seq after is in memory.
func (v *View) EventsCached(after uint64, limit int) bool {
	segments := v.manifest.Changes
	next, end := after+1, min(after+uint64(limit), v.commit.LastSeq)
	i := sort.Search(len(segments), func(i int) bool { return segments[i].Last >= next })
	for ; i < len(segments) && next <= end; i++ {
		s := segments[i]
		for ; next <= min(end, s.Last); next = s.First + (next-s.First)/partEvents*partEvents + partEvents {
			if _, ok := v.log.parts.Get(partKey{s.SHA256, int(next-s.First) / partEvents}); !ok {
				return false
			}
		}
		next = s.Last + 1
	}
	return true
}

func (p *part) len() int { return len(p.ends) }

func (p *part) body(i int) []byte {
	from := 0
	if i > 0 {
		from = p.ends[i-1]
	}
	return p.bodies[from:p.ends[i]]
}

func (l *changeLog) part(s snapshot.Segment, n int) (*part, error) {
	key := partKey{s.SHA256, n}
	if p, ok := l.parts.Get(key); ok {
		return p, nil
	}
	if err := l.verify(s); err != nil {
		return nil, err
	}
	p, err := l.render(s, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	l.parts.Put(key, p, cap(p.bodies)+8*cap(p.ends))
	return p, nil
}

func (l *changeLog) render(s snapshot.Segment, n int) (*part, error) {
	f, err := l.fs.Open(s.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := table.NewReader[table.EventRow](f, f.Size())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.SeekRow(int64(n * partEvents)); err != nil {
		return nil, err
	}
	next := s.First + uint64(n*partEvents)
	p := &part{ends: make([]int, 0, min(partEvents, int(s.Last-next)+1))}
	for row, err := range r.All {
		if err != nil {
			return nil, err
		}
		if uint64(row.Seq) != next {
			return nil, fmt.Errorf("%w: event %d instead of event %d", snapshot.ErrDamaged, row.Seq, next)
		}
		next++
		p.bodies = api.AppendEvent(p.bodies, row)
		if p.ends = append(p.ends, len(p.bodies)); len(p.ends) == cap(p.ends) {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: the file ends before its last event", snapshot.ErrDamaged)
}
