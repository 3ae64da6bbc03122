package reader

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// Connection has the records of the tests of a tenant's provider connection. The records
// of its products' runs are in [State].
type Connection struct {
	data, clientID string
	faults         *faults
	asOf           func(*health.Run) *health.Run // as of the time of a clock of the past
	now            func() time.Time
	watch          watch // of the polls

	mu    sync.RWMutex
	probe *health.Run
	calls map[string]map[string]int64
}

func newConnection(s *shared, clientID string) *Connection {
	return &Connection{data: s.o.DataDir, clientID: clientID, faults: newFaults(s.o.Log.With("tenant", clientID), s.o.Now), now: s.o.Now,
		asOf: func(r *health.Run) *health.Run { return runAsOf(s.o.Clock, r, time.Time{}) }}
}

// Probe returns the newest test of the connection, or nil if there was none.
func (c *Connection) Probe() *health.Run {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.asOf(c.probe)
}

// Calls returns the number of requests that tests sent to the provider, by UTC day
// and endpoint. The caller must not modify it.
func (c *Connection) Calls() map[string]map[string]int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.calls
}

// Refresh reads the state of the connection again, one call at a time. It logs errors and
// then keeps the state that it has.
func (c *Connection) Refresh(ctx context.Context) {
	c.watch = watch{}
	c.poll(ctx)
}

// poll is Refresh if the state may have changed.
func (c *Connection) poll(context.Context) {
	c.faults.note(slog.LevelWarn, "cannot read the state of the connection", c.refresh())
}

func (c *Connection) refresh() (err error) {
	now, at := marks{state: modified(os.Lstat(filepath.Join(c.data, layout.Tenant(c.clientID), layout.StateDir)))}, c.now()
	if c.watch.isUnchanged(now, at) {
		return nil
	}
	defer func() { c.watch.hasRead(now, at, err == nil) }()
	root, err := durable.OpenWithin(c.data, layout.Tenant(c.clientID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	probe, err := health.Read(root, health.StepProbe)
	calls, more := health.ReadCalls(root)
	if err := errors.Join(err, more); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.probe, c.calls = probe, calls.Days
	return nil
}
