package reader

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrBusy: the engine has more to do than it can in time. The same request may
// do better in a moment.
var ErrBusy = errors.New("too many pages wait to be rendered")

// errSlow is the ErrBusy of one who waited as long as anybody has to.
var errSlow = fmt.Errorf("%w", ErrBusy)

// Bounds of the work on pages that are not remembered, over all tenants. A page
// takes half a millisecond of a processor, so that a full line of one tenant is
// some 50 ms of work; patience is for an engine that is slow.
const (
	waitingEach = 128 // of one tenant; more are refused at once
	waitingAll  = 1024
	patience    = 2 * time.Second // in line
)

// places gives out places for work to tenants: as many as there are processors,
// since the engine reads from memory and more at once would only slow each other
// down. A tenant that asks for much waits behind itself: each place that comes free
// goes to the next tenant in line, and none holds all of them. Safe for concurrent
// use.
type places struct {
	each     int // places that one tenant holds at most
	patience time.Duration

	mu      sync.Mutex
	free    int
	waiting int
	lines   map[string]*line // of the tenants that hold or wait
	ring    []*line          // those that wait, in the order of their turns

	refused, impatient int64 // requests told ErrBusy: the line was full; the wait too long
}

// line is one tenant's.
type line struct {
	holds   int
	waiters []chan struct{} // closed when the place is theirs; first come, first served
}

func newPlaces(n int) *places {
	return &places{each: min(maxConcurrent, max(1, n-1)), patience: patience, free: n, lines: map[string]*line{}}
}

// take waits for a place; give it back with leave. The error is ErrBusy, or the
// context's.
func (p *places) take(ctx context.Context, tenant string) error {
	mine, err := p.join(tenant)
	if mine == nil || err != nil {
		return err
	}
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	select {
	case <-mine:
		return nil
	case <-timer.C:
		err = errSlow
	case <-ctx.Done():
		err = ctx.Err()
	}
	if !p.giveUp(tenant, mine, err) {
		return nil // the place came at the same moment
	}
	return err
}

// join takes a place at once, which is nil, or one in line.
func (p *places) join(tenant string) (chan struct{}, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[tenant]
	if l == nil {
		l = &line{}
		p.lines[tenant] = l
	}
	if p.free > 0 && l.holds < p.each {
		p.free--
		l.holds++
		return nil, nil
	}
	if len(l.waiters) >= waitingEach || p.waiting >= waitingAll {
		p.refused++
		p.forget(tenant, l)
		return nil, ErrBusy
	}
	if len(l.waiters) == 0 {
		p.ring = append(p.ring, l)
	}
	mine := make(chan struct{})
	l.waiters = append(l.waiters, mine)
	p.waiting++
	return mine, nil
}

// giveUp leaves the line; false when the place has been given.
func (p *places) giveUp(tenant string, mine chan struct{}, why error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[tenant]
	for i, w := range l.waiters {
		if w != mine {
			continue
		}
		l.waiters = append(l.waiters[:i], l.waiters[i+1:]...)
		p.waiting--
		if errors.Is(why, ErrBusy) {
			p.impatient++
		}
		if len(l.waiters) == 0 {
			p.unring(l)
		}
		p.forget(tenant, l)
		return true
	}
	return false
}

// leave gives a place back and hands out what is free.
func (p *places) leave(tenant string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[tenant]
	l.holds--
	p.free++
	for passed := 0; p.free > 0 && passed < len(p.ring); {
		next := p.ring[0]
		p.ring = append(p.ring[:0], p.ring[1:]...)
		if next.holds >= p.each {
			p.ring = append(p.ring, next)
			passed++
			continue
		}
		close(next.waiters[0])
		next.waiters = next.waiters[1:]
		next.holds++
		p.free--
		p.waiting--
		if passed = 0; len(next.waiters) > 0 {
			p.ring = append(p.ring, next)
		}
	}
	p.forget(tenant, l)
}

func (p *places) unring(l *line) {
	for i := range p.ring {
		if p.ring[i] == l {
			p.ring = append(p.ring[:i], p.ring[i+1:]...)
			return
		}
	}
}

// forget drops the line of a tenant that neither holds nor waits.
func (p *places) forget(tenant string, l *line) {
	if l.holds == 0 && len(l.waiters) == 0 {
		delete(p.lines, tenant)
	}
}
