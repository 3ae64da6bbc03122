package console

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/inplay"
	"mkt/cmd/mkt/internal/matchpage"
	"mkt/internal/panics"
)

const (
	tracesKept = 16                     // matches whose past is kept in memory
	traceWait  = 150 * time.Millisecond // how long a page waits for the archive
	traceTime  = 2 * time.Minute
)

// traces keeps the archived past of the matches shown on a page. A match of ninety minutes has some
// 700 cycles: they are read in the background, once, and then only the new ones.
type traces struct {
	mu  sync.Mutex
	all map[traceKey]*tracing
	one sync.Mutex // held while the archive is read: one match at a time
}

type traceKey struct {
	dataset         cli.Dataset
	fixture, source string
}

// tracing is the trace of one match.
type tracing struct {
	trace       inplay.Trace
	upTo        uint64        // version of the last snapshot in the trace
	running     chan struct{} // closed when it was extended; nil if it is not being extended
	done, total int
	err         error
	used        time.Time
}

// follow adds its past to a match. If reading takes long, the match gets the part read so far and
// a note of the progress.
func (t *traces) follow(ctx context.Context, d cli.Dataset, m *matchpage.Match) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.entry(traceKey{d, m.Row.ProviderFixtureID, m.Row.SourceProvider}, m.Now)
	if one.running == nil && one.upTo < m.Commit.Version {
		one.running = make(chan struct{})
		own := *m // the page goes on to use m
		go t.extend(context.WithoutCancel(ctx), d, one, &own)
	}
	if running := one.running; running != nil {
		t.mu.Unlock()
		timer := time.NewTimer(traceWait)
		select {
		case <-running:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		t.mu.Lock()
	}
	m.Past, m.Damaged = one.trace.Past, one.trace.Damaged
	switch {
	case one.err != nil:
		m.Tracing = fmt.Sprintf("The archive could not be read: %s.", cli.Message(one.err))
	case one.running != nil && one.total > 1:
		m.Tracing = fmt.Sprintf("The archive is being read: %d of %d cycles so far. The page shows them as soon as they are read.", one.done, one.total)
	case one.running != nil:
		m.Tracing = "The archive is being read. The page shows it as soon as it is read."
	}
}

// entry returns the trace of a match. If there are too many it forgets the least recently used one.
func (t *traces) entry(key traceKey, now time.Time) *tracing {
	if one := t.all[key]; one != nil {
		one.used = now
		return one
	}
	if t.all == nil {
		t.all = map[traceKey]*tracing{}
	}
	if len(t.all) >= tracesKept {
		var oldest traceKey
		for k, one := range t.all {
			if o := t.all[oldest]; o == nil || one.used.Before(o.used) {
				oldest = k
			}
		}
		delete(t.all, oldest)
	}
	one := &tracing{used: now}
	t.all[key] = one
	return one
}

// extend reads the archive up to the snapshot of a match.
func (t *traces) extend(ctx context.Context, d cli.Dataset, one *tracing, m *matchpage.Match) {
	t.one.Lock()
	defer t.one.Unlock()
	ctx, cancel := context.WithTimeout(ctx, traceTime)
	defer cancel()
	progress := func(done, total int) {
		t.mu.Lock()
		one.done, one.total = done, total
		t.mu.Unlock()
	}
	t.mu.Lock()
	trace := one.trace
	t.mu.Unlock()
	trace, err := extended(ctx, trace, d, m, progress)
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.err = err; err == nil {
		one.trace, one.upTo = trace, m.Commit.Version
	}
	one.done, one.total = 0, 0
	close(one.running)
	one.running = nil
}

// extended is [inplay.Trace.Extend], and a panic is an error: it must not end the console.
func extended(ctx context.Context, trace inplay.Trace, d cli.Dataset, m *matchpage.Match, progress func(done, total int)) (_ inplay.Trace, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the archive of %s: %s", m.Row.FixtureID, panics.Describe(p))
		}
	}()
	return trace.Extend(ctx, d, m, progress)
}
