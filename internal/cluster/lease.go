package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	leaseFor   = 12 * time.Second // without a renewal
	renewEvery = 3 * time.Second
)

// takeScript takes a lease, or returns its holder and for how many milliseconds it is held. The
// first value is the time of the server. A holder whose answer was lost takes it again.
var takeScript = redis.NewScript(1, `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local holder = redis.call('GET', KEYS[1])
if math.abs(now - ARGV[3]) > tonumber(ARGV[4]) then
  return {now, '', 0}
end
if not holder or holder == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {now, ARGV[1], 0}
end
return {now, holder, redis.call('PTTL', KEYS[1])}
`)

// keepScript renews a lease, also if the server has lost it, unless somebody else holds it.
var keepScript = redis.NewScript(1, `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`)

var releaseScript = redis.NewScript(1, `
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
`)

// ErrLost is the cause of the end of a lease's context: another worker holds it.
var ErrLost = errors.New("the lease was lost: another worker runs this cycle; nothing more is written here, and the next run does the work")

// TakenError reports that another process holds a lease.
type TakenError struct {
	Holder string    // for people
	Gone   time.Time // when the lease ends at the latest if its holder is dead, by this clock
}

// Error implements error.
func (e *TakenError) Error() string {
	return "a cycle runs elsewhere: " + e.Holder
}

// Lease is the right to run the cycle of a product of an account.
type Lease struct {
	c     *Conn
	key   string
	value string
	end   context.CancelFunc
	ended sync.WaitGroup
}

// Take takes the lease of a product of an account, and keeps it until [Lease.Release]. The
// returned context ends with the cause [ErrLost] if another process takes it meanwhile. A lease
// that cannot be renewed because the server does not answer is not lost. purpose tells people
// what the holder does. Errors are a [TakenError], an [AwayError] or a [ClockError].
func (c *Conn) Take(ctx context.Context, account, product, purpose string) (context.Context, *Lease, error) {
	l := &Lease{c: c, key: c.o.Address.Key("lease", account, product)}
	l.value = c.holder(l.key, purpose)
	var at, left int64
	var holder string
	asked := c.o.Now()
	err := c.ask(ctx, func(ctx context.Context) error {
		answer, err := redis.Values(c.client.Run(ctx, takeScript, l.key, l.value, leaseFor.Milliseconds(), asked.UnixMilli(), ClockTolerance.Milliseconds()))
		if err == nil {
			_, err = redis.Scan(answer, &at, &holder, &left)
		}
		return err
	})
	switch {
	case err != nil:
		c.count(func(s *Stats) { s.Failed++ })
		return nil, nil, err
	case holder == "":
		c.count(func(s *Stats) { s.Failed++ })
		return nil, nil, &ClockError{c.o.Address, asked.Sub(time.UnixMilli(at))}
	case holder != l.value:
		c.count(func(s *Stats) { s.Busy++ })
		return nil, nil, &TakenError{holderName(holder), c.o.Now().Add(time.Duration(left) * time.Millisecond)}
	}
	c.count(func(s *Stats) { s.Taken++ })
	held, lost := context.WithCancelCause(ctx)
	var keeping context.Context
	keeping, l.end = context.WithCancel(context.WithoutCancel(ctx))
	l.ended.Go(func() { l.keep(keeping, lost) })
	return held, l, nil
}

// keep renews the lease until ctx ends, or another process has it.
func (l *Lease) keep(ctx context.Context, lost context.CancelCauseFunc) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			lost(nil)
			return
		case <-tick.C:
		}
		kept := 1
		err := l.c.ask(ctx, func(ctx context.Context) (err error) {
			kept, err = redis.Int(l.c.client.Run(ctx, keepScript, l.key, l.value, leaseFor.Milliseconds()))
			return err
		})
		if err == nil && kept == 0 {
			l.c.count(func(s *Stats) { s.Lost++ })
			l.c.o.Log.Error("a lease was lost to another worker", "lease", l.key)
			lost(ErrLost)
			return
		}
	}
}

// Claim is [Conn.Take] for a worker. While the server does not answer, the worker goes on with the
// accounts that it has: then the lease is nil, and its Release does nothing.
func (m *Member) Claim(ctx context.Context, account, product, purpose string) (context.Context, *Lease, error) {
	leased, l, err := m.c.Take(ctx, account, product, purpose)
	var away *AwayError
	if errors.As(err, &away) && m.Owns(account) {
		return ctx, nil, nil
	}
	return leased, l, err
}

// Release gives the lease back. If the server does not answer, it expires.
func (l *Lease) Release() {
	if l == nil {
		return
	}
	l.end()
	l.ended.Wait()
	l.c.mu.Lock()
	l.c.released[l.key]++
	l.c.mu.Unlock()
	_ = l.c.ask(context.Background(), func(ctx context.Context) error {
		_, err := l.c.client.Run(ctx, releaseScript, l.key, l.value)
		return err
	})
}

// holder returns the value of a lease. It stays the same until the lease is given back, so that a
// holder whose answer was lost can take the lease again. The next lease has another value: a release
// that reaches the server late must not end it.
func (c *Conn) holder(key, purpose string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("%s.%d/%s on %s", c.instance, c.released[key], purpose, c.o.Name)
}

// holderName returns what people read of a holder.
func holderName(value string) string {
	_, name, _ := strings.Cut(value, "/")
	return name
}
