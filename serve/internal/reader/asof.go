package reader

import (
	"context"
	"slices"
	"sort"
	"time"

	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/snapshot"
)

// head returns the publication to serve: the newest one, or the one that was current at the
// time of a clock of the past. If the record of a newer one cannot be used, fault says why.
func (d *Dataset) head() (c snapshot.Commit, found bool, fault, err error) {
	if !d.library.o.Clock.IsPast() {
		return snapshot.HeadAndFault(d.root)
	}
	if err := d.readSpan(); err != nil {
		return snapshot.Commit{}, false, nil, err
	}
	now := d.library.o.Clock.Now()
	n := sort.Search(len(d.span), func(i int) bool { return d.span[i].PublishedAt.After(now) })
	d.next = time.Time{}
	if n < len(d.span) {
		d.next = d.span[n].PublishedAt
	}
	if n == 0 {
		return snapshot.Commit{}, false, nil, nil
	}
	return d.span[n-1], true, nil, nil
}

// readSpan reads the commit records that a clock of the past can show, unless it has read them
// before: the one that is current when the clock's span begins, and those up to its end. A
// publication whose record is damaged is left out.
func (d *Dataset) readSpan() error {
	if d.span != nil {
		return nil
	}
	from, to := d.library.o.Clock.Span()
	newest, found, err := snapshot.Head(d.root)
	if err != nil || !found {
		return err
	}
	last, _, err := snapshot.Search(d.root, newest, func(c snapshot.Commit) bool { return c.PublishedAt.After(to) })
	if snapshot.IsFault(err) || snapshot.IsDamage(err) {
		last, err = newest, nil // the search met a record that is left out below
	}
	if err != nil {
		return err
	}
	span := []snapshot.Commit{}
	for c, err := range snapshot.Backward(d.root, last) {
		if snapshot.IsFault(err) || snapshot.IsDamage(err) {
			d.log.Warn("a publication is left out, because its record cannot be used", "version", c.Version, "err", err)
			continue
		}
		if err != nil {
			return err
		}
		if c.PublishedAt.After(to) {
			continue
		}
		span = append(span, c)
		if !c.PublishedAt.After(from) {
			break
		}
	}
	slices.Reverse(span)
	d.span = span
	return nil
}

// follow polls until ctx ends or the dataset is closed: whenever a clock of the past reaches another
// publication, is set, and at the usual interval. It calls polled after the first poll.
func (d *Dataset) follow(ctx context.Context, polled func()) {
	d.poll(ctx)
	polled()
	_, to := d.library.o.Clock.Span()
	for ctx.Err() == nil {
		next, open := d.following()
		if !open {
			return
		}
		if next.IsZero() {
			next = to.Add(1) // which it never shows
		}
		waiting, cancel := context.WithTimeout(ctx, d.library.o.Poll)
		d.library.o.Clock.Wait(waiting, next)
		cancel()
		d.poll(ctx)
	}
}

// following returns when the publication after the served one was published, zero if there is none.
// open is false once the dataset is closed.
func (d *Dataset) following() (next time.Time, open bool) {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	return d.next, !d.gone
}

// Refresh refreshes all datasets and waits until what a clock of the past shows now is served. next is
// when it would show another publication, zero if never.
func (l *Library) Refresh(ctx context.Context) (next time.Time) {
	for _, w := range l.served() {
		d, ok := w.(*Dataset)
		if !ok {
			continue
		}
		d.Refresh(ctx)
		if at, _ := d.following(); next.IsZero() || !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return next
}

// MaxSpeed returns the speed at which loading the publications of markets in the clock's span would
// take a given share of the time, judged by the last load of each dataset; 0 = any.
func (l *Library) MaxSpeed(share float64) float64 {
	var loading time.Duration
	for _, w := range l.served() {
		if d, ok := w.(*Dataset); ok && d.product == football.MarketEngine {
			n, took := d.publications()
			loading += time.Duration(n) * took
		}
	}
	if loading == 0 {
		return 0
	}
	from, to := l.o.Clock.Span()
	return share * to.Sub(from).Seconds() / loading.Seconds()
}

// publications returns how many publications follow each other in the clock's span, and how long the
// last load took.
func (d *Dataset) publications() (n int, took time.Duration) {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	from, _ := d.library.o.Clock.Span()
	n = len(d.span)
	if n > 0 && !d.span[0].PublishedAt.After(from) {
		n-- // it is loaded before the replay begins
	}
	return n, d.took
}

// runAsOf returns the state file of the time of a clock of the past, as far as it
// can be known: the file describes the newest run and the failures just before it.
// If a later run overwrote it, the publication of that time proves the success of the
// runs up to then. If there was no publication either, runAsOf returns nil.
func (l *Library) runAsOf(r *health.Run, published time.Time) *health.Run {
	if !l.o.Clock.IsPast() || r == nil {
		return r
	}
	now := l.o.Clock.Now()
	if !r.FinishedAt.After(now) {
		return r
	}
	past := func(t *time.Time) *time.Time {
		if t == nil || t.After(now) {
			return nil
		}
		return t
	}
	was := *r
	was.LastOKAt, was.CredentialAcceptedAt, was.CredentialRefusedAt = past(r.LastOKAt), past(r.CredentialAcceptedAt), past(r.CredentialRefusedAt)
	was.FailedAt = slices.DeleteFunc(slices.Clone(r.FailedAt), func(t time.Time) bool { return t.After(now) })
	was.FailuresInARow = len(was.FailedAt)
	was.Plan = r.Plan.AsOf(now)
	switch {
	case was.LastOKAt != nil:
		was.FinishedAt = *was.LastOKAt
	case !published.IsZero():
		was.FinishedAt, was.LastOKAt, was.CredentialAcceptedAt = published, &published, &published
		was.FailedAt, was.FailuresInARow = nil, 0 // these failures began later
	default:
		return nil
	}
	was.OK = was.FailuresInARow == 0
	if was.OK {
		was.Code, was.Counters = "", nil
	} else {
		was.FinishedAt = was.FailedAt[len(was.FailedAt)-1]
	}
	was.StartedAt, was.Cycle = was.FinishedAt, ""
	return &was
}
