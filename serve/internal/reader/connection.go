package reader

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
)

// Connection is what is known of a tenant's provider connection beside the runs
// of its products.
type Connection struct {
	dir  string
	log  *slog.Logger
	then func(*health.Run) *health.Run // as of the library's time

	mu    sync.RWMutex
	probe *health.Run
	calls map[string]map[string]int64
}

func newConnection(l *Library, clientID string) *Connection {
	return &Connection{dir: filepath.Join(l.dataDir, layout.Tenant(clientID)), log: l.log.With("tenant", clientID),
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

// Refresh looks for news. Errors are logged; what was known stays.
func (c *Connection) Refresh(context.Context) {
	root, err := durable.OpenExisting(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		c.log.Error("open the folder of the tenant", "err", err)
		return
	}
	defer root.Close()
	probe, err := health.Read(root, health.StepProbe)
	calls, more := health.ReadCalls(root)
	if err := errors.Join(err, more); err != nil {
		c.log.Warn("read the state of the connection", "err", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.probe, c.calls = c.then(probe), calls.Days
}
