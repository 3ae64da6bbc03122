package reader

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// Connection is what is known of a tenant's provider connection beside the runs
// of its products.
type Connection struct {
	data, clientID string
	faults         *faults
	then           func(*health.Run) *health.Run // as of the library's time

	mu    sync.RWMutex
	probe *health.Run
	calls map[string]map[string]int64
}

func newConnection(l *Library, clientID string) *Connection {
	return &Connection{data: l.dataDir, clientID: clientID, faults: newFaults(l.log.With("tenant", clientID), l.now),
		then: func(r *health.Run) *health.Run { return l.then(r, time.Time{}) }}
}

// Probe is the newest test of the connection; nil when there was none.
func (c *Connection) Probe() *health.Run {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.probe
}

// Calls is how often tests asked the provider, by UTC day and endpoint. Do not
// modify it.
func (c *Connection) Calls() map[string]map[string]int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.calls
}

// Refresh looks for news, one call at a time. Faults are logged; what was known
// stays.
func (c *Connection) Refresh(context.Context) {
	c.faults.note(slog.LevelWarn, "read the state of the connection", c.refresh())
}

func (c *Connection) refresh() error {
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
	c.probe, c.calls = c.then(probe), calls.Days
	return nil
}
