package reader

import (
	"time"

	"mkt/publish/football"
	"mkt/serve/internal/api"
)

// Stats are the counters of a library since it was opened, and its present contents,
// over all tenants.
type Stats struct {
	PagesCached, PagesRendered, PagesFailed int64
	QueueFull, QueueTimeouts                int64 // requests refused with fairqueue.ErrBusy: the queue was full; the wait was too long
	Waiting, Rendering                      int   // now
	EnginesReplaced                         int64

	IndexBytes, PageBytes, EventBytes int   // in memory now
	EngineMemory                      int64 // sum of the engines' memory limits

	Products map[football.Product]ProductStats
}

// ProductStats are the Stats of one product.
type ProductStats struct {
	Loaded, LoadsFailed int64
	LoadTime            time.Duration // of all successful loads

	Quarantined       int // accounts whose newest publication cannot be served
	Fixtures, Markets int
	Published         []Served // served now, in no particular order
}

// Served is one tenant's newest served publication.
type Served struct {
	ClientID string
	Times    api.Freshness
}

// Stats returns the current statistics. It does not wait for loads or requests.
func (l *Library) Stats() Stats {
	s := Stats{
		PagesCached: l.counts.pages.Cached.Load(), PagesRendered: l.counts.pages.Rendered.Load(), PagesFailed: l.counts.pages.Failed.Load(),
		EnginesReplaced: l.counts.replaced.Load(), Products: map[football.Product]ProductStats{},
	}
	q := l.renders.Counts()
	s.QueueFull, s.QueueTimeouts, s.Waiting, s.Rendering = q.Refused, q.TimedOut, q.Waiting, q.Holding
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

// Serves reports whether there is a publication of any account.
func (l *Library) Serves() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, t := range l.tenants {
		for _, d := range t.datasets {
			if v := d.Acquire(); v != nil {
				v.Release()
				return true
			}
		}
	}
	return false
}

func (s *Stats) add(d *Dataset, v *View) {
	p := s.Products[d.product]
	p.Published = append(p.Published, Served{d.clientID, v.Freshness()})
	if v.Set != nil {
		p.Fixtures += v.KeptCount()
	} else {
		p.Fixtures += v.FixtureCount()
		p.Markets += v.MarketCount()
		s.IndexBytes += v.IndexBytes()
		s.PageBytes += v.PageBytes()
		s.EngineMemory += v.engine.Memory
	}
	s.EventBytes += v.segments.EventBytes()
	s.Products[d.product] = p
}
