package cluster

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	dialTimeout = time.Second
	connections = 64 // at most; a command takes a fraction of a millisecond
	idleTime    = 5 * time.Minute
)

// Outcome is the result of a command.
type Outcome string

const (
	Answered    Outcome = "answered"
	Slow        Outcome = "slow"        // no answer within the budget
	Unreachable Outcome = "unreachable" // no connection, or it ended
	Refused     Outcome = "refused"     // the server answered with an error
)

// Outcomes lists all of them.
func Outcomes() []Outcome { return []Outcome{Answered, Slow, Unreachable, Refused} }

// OutcomeOf returns the outcome of a command that returned err.
func OutcomeOf(err error) Outcome {
	var refused redis.Error
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		return Answered
	case errors.As(err, &refused):
		return Refused
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return Slow
	}
	return Unreachable
}

// Dialer makes connections, as [net.Dialer.DialContext] does.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Client sends commands over at most 64 connections. It is safe for concurrent use.
type Client struct {
	address Address
	pool    redis.Pool
	late    chan redis.Conn           // made only after their command had given up
	lost    atomic.Pointer[time.Time] // when a connection last ended; nil = never

	mu       sync.Mutex
	closed   bool           // guarded by mu
	underWay sync.WaitGroup // commands; none is added after closed
}

// NewClient returns a client, which connects when it sends the first command. A command is sent
// once, because a repeated one would count twice, and ends at the deadline of its context, which
// must have one. The time here is the budget of a command; sending it has the same bound. dial
// makes the connections; nil = over the network.
func NewClient(a Address, commandTime time.Duration, dial Dialer) *Client {
	c := &Client{address: a, late: make(chan redis.Conn, connections)}
	options := a.options(commandTime, dial)
	c.pool = redis.Pool{
		MaxIdle: connections, MaxActive: connections, Wait: true, IdleTimeout: idleTime,
		DialContext: func(ctx context.Context) (redis.Conn, error) { return c.connect(ctx, options) },
		// A restart of the server ends all connections, and a command notices only its own.
		TestOnBorrow: func(_ redis.Conn, used time.Time) error {
			if lost := c.lost.Load(); lost != nil && used.Before(*lost) {
				return errLost
			}
			return nil
		},
	}
	return c
}

func (a Address) options(writeTime time.Duration, dial Dialer) []redis.DialOption {
	options := []redis.DialOption{
		redis.DialConnectTimeout(dialTimeout), redis.DialTLSHandshakeTimeout(dialTimeout),
		redis.DialReadTimeout(dialTimeout), redis.DialWriteTimeout(writeTime),
		redis.DialUsername(a.user), redis.DialPassword(a.password), redis.DialDatabase(a.database),
		redis.DialUseTLS(a.tls != nil), redis.DialTLSConfig(a.tls),
	}
	if dial != nil {
		options = append(options, redis.DialContextFunc(dial))
	}
	return options
}

var (
	errLost   = errors.New("another connection has ended since this one was used")
	errClosed = errors.New("the connections are closed")
)

// connect makes a connection. TLS to a distant server can take longer than a command may. So
// a connection made after the end of ctx is kept for the next command.
func (c *Client) connect(ctx context.Context, options []redis.DialOption) (redis.Conn, error) {
	select {
	case conn := <-c.late:
		return conn, nil
	default:
	}
	type result struct {
		conn redis.Conn
		err  error
	}
	made := make(chan result)
	go func() {
		within, cancel := context.WithTimeout(context.Background(), dialTimeout)
		defer cancel()
		conn, err := redis.DialContext(within, "tcp", c.address.host, options...)
		select {
		case made <- result{conn, err}:
		case <-ctx.Done():
			if err == nil {
				c.keep(conn)
			}
		}
	}()
	select {
	case r := <-made:
		return r.conn, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *Client) keep(conn redis.Conn) {
	if c.begin() {
		defer c.underWay.Done()
		select {
		case c.late <- conn:
			return
		default:
		}
	}
	conn.Close()
}

// begin reports whether the client is still open. Then underWay.Done must be called.
func (c *Client) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.underWay.Add(1)
	}
	return !c.closed
}

// Do sends a command.
func (c *Client) Do(ctx context.Context, name string, args ...any) (any, error) {
	return c.with(ctx, func(conn redis.Conn) (any, error) { return conn.Do(name, args...) })
}

// Run runs a script.
func (c *Client) Run(ctx context.Context, script *redis.Script, keysAndArgs ...any) (any, error) {
	return c.with(ctx, func(conn redis.Conn) (any, error) { return script.Do(conn, keysAndArgs...) })
}

func (c *Client) with(ctx context.Context, send func(redis.Conn) (any, error)) (any, error) {
	if !c.begin() {
		return nil, errClosed
	}
	defer c.underWay.Done()
	conn, err := c.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	end, _ := ctx.Deadline()
	answer, err := send(&timed{conn, end})
	if conn.Err() != nil && OutcomeOf(err) == Unreachable {
		now := time.Now()
		c.lost.Store(&now)
		c.drop()
	}
	return answer, err
}

// timed is a connection whose commands must be answered before end. It does not use the
// context of a command, because then a client leaving early would end a connection.
type timed struct {
	redis.Conn
	end time.Time
}

func (t *timed) Do(name string, args ...any) (any, error) {
	return redis.DoWithTimeout(t.Conn, max(time.Until(t.end), 1), name, args...)
}

// drop closes the connections that came late.
func (c *Client) drop() {
	for {
		select {
		case conn := <-c.late:
			conn.Close()
		default:
			return
		}
	}
}

// Close closes the connections when the commands under way have ended: the pool panics if one
// whose context has ended asks it for a connection after it was closed.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.underWay.Wait()
	c.pool.Close()
	c.drop()
}
