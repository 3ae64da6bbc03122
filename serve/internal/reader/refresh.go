package reader

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mkt/publish/health"
	"mkt/publish/snapshot"
)

// poll refreshes the dataset if anything may have changed.
func (d *Dataset) poll(ctx context.Context) {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	d.noticed.Store(false)
	if d.open() != nil || d.root == nil {
		d.refreshLocked(ctx) // which reports the error
		return
	}
	at := d.shared.o.Now()
	if l := d.shared; l.notices != nil && !d.isWatched && !at.Before(d.watchAt) {
		l.watched.Store(d.folder(), d)
		d.isWatched, d.watchAt = l.notices.Add(d.folder()) == nil, at.Add(time.Minute) // it allows so many watches
	}
	now := marksOf(d.root)
	if d.watch.isUnchanged(now, at) && !d.isBroken() && !d.shared.o.Clock.IsPast() {
		return
	}
	d.watch.hasRead(now, at, d.refreshLocked(ctx))
}

// Refresh looks for a new publication and loads it. It waits for another refresh of
// this dataset to end, and for a free load slot. It logs errors and then keeps the
// current view.
func (d *Dataset) Refresh(ctx context.Context) {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	d.refreshLocked(ctx)
}

// refreshLocked reports whether everything could be read, and the newest publication is
// served.
func (d *Dataset) refreshLocked(ctx context.Context) bool {
	complete, err := d.refresh(ctx)
	if ctx.Err() == nil {
		d.faults.note(slog.LevelError, "cannot load the newest publication", err)
	}
	return complete && err == nil
}

const minRefreshAge = 200 * time.Millisecond

// RefreshSoon refreshes on behalf of a request and waits for the result for at most
// timeout. Clients can cause it, so it does nothing if another request's is in progress
// or has just ended. A poll is waited for, because it does not ask other replicas.
func (d *Dataset) RefreshSoon(ctx context.Context, timeout time.Duration) {
	if !d.asking.TryLock() {
		return
	}
	await(ctx, timeout, func(ctx context.Context) {
		defer d.asking.Unlock()
		d.refreshing.Lock()
		defer d.refreshing.Unlock()
		last := &d.lastRefresh
		if d.shared.o.Fetch != nil {
			last = &d.lastFetch
		}
		if d.shared.o.Now().Sub(*last) < minRefreshAge {
			return
		}
		if d.shared.o.Fetch != nil {
			_ = d.shared.o.Fetch(ctx, d.clientID, d.product) // an error is logged there, and the local data is served
			d.lastFetch = d.shared.o.Now()
		}
		d.refreshLocked(ctx)
	})
}

// await runs do and returns when it has returned, ctx has ended, or timeout has elapsed. do
// continues in any case, because a client that disconnects must not stop a load.
func await(ctx context.Context, timeout time.Duration, do func(context.Context)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(context.WithoutCancel(ctx))
	}()
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(timeout):
	}
}

func (d *Dataset) refresh(ctx context.Context) (complete bool, err error) {
	defer func() { d.lastRefresh = d.shared.o.Now() }()
	if err := d.open(); err != nil || d.root == nil {
		if err != nil {
			d.setTrouble(NoAccess)
		}
		d.looked.Store(true)
		return false, err
	}
	c, found, fault, err := d.publications.head(d.root)
	state, complete := readState(d.root, d.State(), d.faults, func(r *health.Run) *health.Run { return runAsOf(d.shared.o.Clock, r, c.PublishedAt) })
	d.setState(state)
	d.looked.Store(true)
	if d.shared.o.Now().Before(d.backOff.until) {
		return false, nil
	}
	if err == nil && !found && d.shared.o.Clock.IsPast() && d.current != nil {
		d.swap(nil) // it is rewound to before the first publication
	}
	if err == nil && found && d.wanted(c) {
		err = d.loadNewest(ctx, c)
		if ctx.Err() == nil {
			d.backOff.add(err, d.shared.o.Now())
		}
	}
	d.updateTrouble(c, found, fault, err)
	if fault != nil {
		fault = fmt.Errorf("the newest publication is in quarantine, and an older one is served: %w", fault)
	}
	return complete && (!found || !d.wanted(c)), errors.Join(fault, err)
}

// updateTrouble records why c, the newest readable publication, is not served.
func (d *Dataset) updateTrouble(c snapshot.Commit, found bool, fault, err error) {
	trouble := NoTrouble
	switch {
	case fault != nil, found && d.quarantined.has(c, d.shared.o.Now()) && d.wanted(c), !found && isSnapshotFault(err):
		trouble = Quarantined
	case err != nil && !isSnapshotFault(err):
		trouble = NoAccess
	}
	d.setTrouble(trouble)
}

// follow polls until ctx ends or the dataset is closed: whenever a clock of the past reaches another
// publication, is set, and at the usual interval. It calls polled after the first poll.
func (d *Dataset) follow(ctx context.Context, polled func()) {
	d.poll(ctx)
	polled()
	_, to := d.shared.o.Clock.Span()
	for ctx.Err() == nil {
		next, open := d.following()
		if !open {
			return
		}
		if next.IsZero() {
			next = to.Add(1) // which it never shows
		}
		waiting, cancel := context.WithTimeout(ctx, d.shared.o.Poll)
		d.shared.o.Clock.Wait(waiting, next)
		cancel()
		d.poll(ctx)
	}
}

// following returns when the publication after the served one was published, zero if there is none.
// open is false once the dataset is closed.
func (d *Dataset) following() (next time.Time, open bool) {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	return d.publications.next, !d.gone
}

// loadsInSpan returns how many publications follow each other in the clock's span, and how long the
// last load took.
func (d *Dataset) loadsInSpan() (n int, took time.Duration) {
	d.refreshing.Lock()
	defer d.refreshing.Unlock()
	return d.publications.inSpan(), d.took
}
