package commitlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mkt/internal/coordination"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/publish/store"
	"mkt/publish/transparency"
)

// Lease takes the lease of the log. leased ends with it, and release gives it back. The error is a
// [*coordination.Taken] while another machine has it.
type Lease func(ctx context.Context) (leased context.Context, release func(), err error)

// LeaseOf takes the lease of the log from NATS; nil without a connection.
func LeaseOf(conn *coordination.Conn, purpose string) Lease {
	if conn == nil {
		return nil
	}
	return func(ctx context.Context) (context.Context, func(), error) {
		lease, err := conn.Take(ctx, coordination.LogRun(purpose))
		if err != nil {
			return nil, nil, err
		}
		leased, end := lease.Bind(ctx)
		return leased, func() { end(); lease.Release() }, nil
	}
}

// tryAgain is the time between two attempts to take a lease which another machine has.
const tryAgain = 500 * time.Millisecond

// lease takes the lease of the log, and waits for it as long as for the witnesses.
func (o *Options) lease(ctx context.Context) (leased context.Context, release func(), err error) {
	if o.Lease == nil {
		return ctx, func() {}, nil
	}
	end := time.NewTimer(o.Wait)
	defer end.Stop()
	for {
		leased, release, err = o.Lease(ctx)
		if !errors.As(err, new(*coordination.Taken)) {
			return leased, release, err
		}
		select {
		case <-end.C:
			return nil, nil, fmt.Errorf("%w: %w", durable.ErrLocked, err)
		case <-time.After(tryAgain):
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

// maxOvertaken is how often a run begins again because another machine was faster. With a lease it never is.
const maxOvertaken = 10

// runShared is run on a log that other machines continue too. A run that another machine is faster than begins
// again with that machine's head.
func (r *Result) runShared(ctx context.Context, l *transparency.Log, o Options) error {
	ctx, release, err := o.lease(ctx)
	if err != nil {
		return err
	}
	defer release()
	shared, err := o.Store.Log().Attach(ctx, l)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		before, err := l.Size()
		if err != nil {
			return err
		}
		err = r.run(ctx, l, o)
		if err == nil {
			return shared.Ship(ctx)
		}
		if !errors.Is(err, snapshot.ErrConflict) && !errors.Is(err, transparency.ErrAhead) && !errors.Is(err, transparency.ErrRefused) || try == maxOvertaken {
			return err
		}
		if err := o.Store.Log().Follow(ctx, &l.Copy); err != nil {
			return err
		}
		if after, sizeErr := l.Size(); sizeErr != nil || after == before {
			return errors.Join(err, sizeErr)
		}
	}
}

// CopyLog copies the log of a store to a data root, with one of several verifier keys, and returns its size. The
// error is [transparency.ErrOtherKey] if the log has another key.
func CopyLog(ctx context.Context, shared *store.Log, data durable.FS, verifiers []note.Verifier) (size int64, err error) {
	err = transparency.ErrOtherKey
	for _, v := range verifiers {
		if size, err = copyLog(ctx, shared, data, v); !errors.Is(err, transparency.ErrOtherKey) {
			break
		}
	}
	return size, Explain(err)
}

func copyLog(ctx context.Context, shared *store.Log, data durable.FS, v note.Verifier) (int64, error) {
	c, err := transparency.OpenCopy(data, v)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if err := shared.Follow(ctx, c); err != nil {
		return 0, err
	}
	return c.Size()
}
