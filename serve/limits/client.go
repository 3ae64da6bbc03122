package limits

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	dialTimeout = time.Second
	connections = 64 // at most; a command takes a fraction of a millisecond
	idleTime    = 5 * time.Minute
)

// Dialer makes connections, as [net.Dialer.DialContext] does.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// client sends commands over at most 64 connections. It is safe for concurrent use.
type client struct {
	address Address
	pool    redis.Pool
	busy    chan struct{}             // a command each; a pool that waits by itself panics if it is closed meanwhile
	late    chan redis.Conn           // made only after their command had given up
	lost    atomic.Pointer[time.Time] // when a connection last ended; nil = never
}

// client returns a client. A command is sent once, because a repeated one would count twice,
// and ends at the deadline of its context, which must have one. The time here is the budget
// of a command; sending it has the same bound.
func (a Address) client(commandTime time.Duration, dial Dialer) *client {
	c := &client{address: a, busy: make(chan struct{}, connections), late: make(chan redis.Conn, connections)}
	options := []redis.DialOption{
		redis.DialConnectTimeout(dialTimeout), redis.DialTLSHandshakeTimeout(dialTimeout),
		redis.DialReadTimeout(dialTimeout), redis.DialWriteTimeout(commandTime),
		redis.DialUsername(a.user), redis.DialPassword(a.password), redis.DialDatabase(a.database),
		redis.DialUseTLS(a.tls != nil), redis.DialTLSConfig(a.tls),
	}
	if dial != nil {
		options = append(options, redis.DialContextFunc(dial))
	}
	c.pool = redis.Pool{
		MaxIdle: connections, IdleTimeout: idleTime,
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

var errLost = errors.New("another connection has ended since this one was used")

// connect makes a connection. TLS to a distant server can take longer than a command may. So
// a connection made after the end of ctx is kept for the next command.
func (c *client) connect(ctx context.Context, options []redis.DialOption) (redis.Conn, error) {
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

func (c *client) keep(conn redis.Conn) {
	select {
	case c.late <- conn:
	default:
		conn.Close()
	}
}

// do sends a command.
func (c *client) do(ctx context.Context, name string, args ...any) (any, error) {
	return c.with(ctx, func(conn redis.Conn) (any, error) { return conn.Do(name, args...) })
}

// run runs a script.
func (c *client) run(ctx context.Context, script *redis.Script, keysAndArgs ...any) (any, error) {
	return c.with(ctx, func(conn redis.Conn) (any, error) { return script.Do(conn, keysAndArgs...) })
}

func (c *client) with(ctx context.Context, send func(redis.Conn) (any, error)) (any, error) {
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := c.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	end, _ := ctx.Deadline()
	answer, err := send(&timed{conn, end})
	if conn.Err() != nil && outcomeOf(err) == Unreachable {
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
func (c *client) drop() {
	for {
		select {
		case conn := <-c.late:
			conn.Close()
		default:
			return
		}
	}
}

func (c *client) close() {
	c.pool.Close()
	c.drop()
}
