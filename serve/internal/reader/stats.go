package reader

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"mkt/publish/football"
	"mkt/serve/internal/api"
)

// counts is what a library has done since it was opened.
type counts struct {
	cached, rendered, failed atomic.Int64 // pages
	replaced                 atomic.Int64 // engines that broke
	loads                    map[football.Product]*loadCounts
}

// failure counts a page that could not be rendered, unless it is that there is no
// such thing, or that nobody waits for it any more.
func (c *counts) failure(ctx context.Context, err error) {
	var refusal *api.Error
	if !errors.As(err, &refusal) && ctx.Err() == nil {
		c.failed.Add(1)
	}
}

// loadCounts is about the snapshots of one product.
type loadCounts struct {
	loaded, failed atomic.Int64
	took           atomic.Int64 // nanoseconds, by those that were loaded
}

func (c *loadCounts) load(ctx context.Context, err error, took time.Duration) {
	switch {
	case err == nil:
		c.loaded.Add(1)
		c.took.Add(int64(took))
	case ctx.Err() == nil:
		c.failed.Add(1)
	}
}

// Stats is what a library has done since it was opened, and what it holds now,
// over all tenants.
type Stats struct {
	PagesCached, PagesRendered, PagesFailed int64
	LineFull, LineSlow                      int64 // requests told ErrBusy: too many waited; it took too long
	Waiting, Rendering                      int   // now
	EnginesReplaced                         int64

	IndexBytes, PageBytes, MatchBytes, EventBytes int   // in memory now
	EngineMemory                                  int64 // the most that the engines may take

	Products map[football.Product]ProductStats
}

// ProductStats is what Stats says of one product.
type ProductStats struct {
	Loaded, LoadsFailed int64
	LoadTime            time.Duration // of all that were loaded

	Quarantined       int // accounts whose newest publication cannot be served
	Fixtures, Markets int
	Published         []Published // what is served now, in no order
}

// Published is one tenant's newest publication.
type Published struct {
	ClientID string
	At       time.Time
}

// Stats looks at every dataset, which waits for no load and no request.
func (l *Library) Stats() Stats {
	s := Stats{
		PagesCached: l.counts.cached.Load(), PagesRendered: l.counts.rendered.Load(), PagesFailed: l.counts.failed.Load(),
		EnginesReplaced: l.counts.replaced.Load(), Products: map[football.Product]ProductStats{},
	}
	l.places.describe(&s)
	for p, c := range l.counts.loads {
		s.Products[p] = ProductStats{Loaded: c.loaded.Load(), LoadsFailed: c.failed.Load(), LoadTime: time.Duration(c.took.Load())}
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, t := range l.tenants {
		for _, d := range t.datasets {
			if d.Trouble() == Quarantined {
				p := s.Products[d.product]
				p.Quarantined++
				s.Products[d.product] = p
			}
			if v := d.Acquire(); v != nil {
				s.add(d, v)
				v.Release()
			}
		}
	}
	return s
}

func (s *Stats) add(d *Dataset, v *View) {
	p := s.Products[d.product]
	p.Published = append(p.Published, Published{d.clientID, v.commit.PublishedAt})
	if v.live != nil {
		p.Fixtures += len(v.live.fixtures)
	} else {
		p.Fixtures += v.index.fixtures()
		p.Markets += int(v.index.first[v.index.fixtures()])
		s.IndexBytes += v.index.bytes()
		s.PageBytes += v.pages.weighs()
		s.MatchBytes += v.matches.weighs()
		s.EngineMemory += v.engine.memory
	}
	s.EventBytes += v.log.parts.weighs()
	s.Products[d.product] = p
}

func (p *places) describe(s *Stats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.LineFull, s.LineSlow, s.Waiting = p.refused, p.impatient, p.waiting
	for _, l := range p.lines {
		s.Rendering += l.holds
	}
}
