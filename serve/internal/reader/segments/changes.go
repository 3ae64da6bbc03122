package segments

import (
	"fmt"
	"sort"

	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/internal/api"
)

const partEvents = 512

// Events calls do with at most limit events of segments after seq after, oldest first. The body
// is valid only until do returns. last is the seq to continue after.
func (r *Reader) Events(segments []snapshot.Segment, after uint64, limit int, do func(body []byte)) (last uint64, err error) {
	next := after + 1
	i := sort.Search(len(segments), func(i int) bool { return segments[i].Last >= next })
	for ; i < len(segments) && limit > 0; i++ {
		s := segments[i]
		for limit > 0 && next <= s.Last {
			offset := int(next - s.First)
			p, err := r.part(s, offset/partEvents)
			if err != nil {
				return 0, err
			}
			n := min(limit, p.len()-offset%partEvents)
			for k := range n {
				do(p.body(offset%partEvents + k))
			}
			next += uint64(n)
			limit -= n
		}
	}
	return next - 1, nil
}

// EventsCached reports whether the events of segments from seq next to end are in memory.
func (r *Reader) EventsCached(segments []snapshot.Segment, next, end uint64) bool {
	i := sort.Search(len(segments), func(i int) bool { return segments[i].Last >= next })
	for ; i < len(segments) && next <= end; i++ {
		s := segments[i]
		for ; next <= min(end, s.Last); next = s.First + (next-s.First)/partEvents*partEvents + partEvents {
			if _, ok := r.parts.Get(partKey{s.SHA256, int(next-s.First) / partEvents}); !ok {
				return false
			}
		}
		next = s.Last + 1
	}
	return true
}

func (r *Reader) part(s snapshot.Segment, n int) (*part, error) {
	key := partKey{s.SHA256, n}
	if p, ok := r.parts.Get(key); ok {
		return p, nil
	}
	if err := r.verify(s); err != nil {
		return nil, err
	}
	p, err := r.render(s, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	r.parts.Put(key, p, cap(p.bodies)+8*cap(p.ends))
	return p, nil
}

func (r *Reader) render(s snapshot.Segment, n int) (*part, error) {
	f, err := r.fs.Open(s.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := table.NewReader[table.EventRow](f, f.Size())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if err := rows.SeekRow(int64(n * partEvents)); err != nil {
		return nil, err
	}
	next := s.First + uint64(n*partEvents)
	p := &part{ends: make([]int, 0, min(partEvents, int(s.Last-next)+1))}
	for row, err := range rows.All {
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
