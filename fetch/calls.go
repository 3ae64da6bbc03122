package fetch

import (
	"log/slog"
	"sync"
	"time"

	"mkt/publish/durable"
	"mkt/publish/health"
)

// flushEvery is how often the counters of a run are written while it is under way. If the
// run is killed, the counts since the last write are lost.
const flushEvery = 15 * time.Second

// calls counts the requests sent and writes the counts to state/calls.json. They are
// telemetry: a failure to write them is logged, and they are written once more later.
// The run does not fail.
type calls struct {
	root  durable.FS
	now   func() time.Time
	log   *slog.Logger
	pass  func(endpoint string, requests int) // is called as well; may be nil
	ended chan struct{}
	done  sync.WaitGroup

	mu   sync.Mutex
	sent map[string]int64 // by endpoint, since the last flush
}

// countCalls begins to count. The caller must call end.
func countCalls(o *Options) *calls {
	c := &calls{root: o.Root, now: o.Now, log: o.Log.With("tenant", o.Tenant.ID, "step", "fetch"), pass: o.Usage,
		ended: make(chan struct{}), sent: map[string]int64{}}
	c.done.Go(func() { c.flushUntilEnd(flushEvery) })
	return c
}

func (c *calls) add(endpoint string, requests int) {
	c.mu.Lock()
	c.sent[endpoint] += int64(requests)
	c.mu.Unlock()
	if c.pass != nil {
		c.pass(endpoint, requests)
	}
}

func (c *calls) flushUntilEnd(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-tick.C:
			c.flush()
		}
	}
}

// end writes the remaining counts.
func (c *calls) end() {
	close(c.ended)
	c.done.Wait()
	c.flush()
}

func (c *calls) flush() {
	c.mu.Lock()
	sent := c.sent
	c.sent = map[string]int64{}
	c.mu.Unlock()
	err := health.AddCalls(c.root, c.now(), sent)
	if err == nil {
		return
	}
	c.log.Warn("the counts of requests cannot be written", "err", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	for endpoint, n := range sent {
		c.sent[endpoint] += n
	}
}
