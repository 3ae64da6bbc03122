package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	listenAgain = time.Second      // after the connection ended
	pingEvery   = 5 * time.Second  // a connection that was cut off silently is noticed
	silentFor   = 15 * time.Second // without an answer to a ping
)

// Announce announces a version of a product of an account. It is a hint: perhaps nobody hears it,
// and every listener looks at the commit itself.
func (c *Conn) Announce(account, product string, version uint64) {
	err := c.ask(context.Background(), func(ctx context.Context) error {
		_, err := c.client.Do(ctx, "PUBLISH", c.o.Address.Key("news"), fmt.Sprintf("%s %s %d", account, product, version))
		return err
	})
	if err == nil {
		c.count(func(s *Stats) { s.Announced++ })
	}
}

// Listen calls heard for each announced publication, one at a time, until ctx ends. Whenever it
// has connected it calls heard with an empty account, because news may have been missed: the
// listener must look at everything. heard must return quickly.
func (c *Conn) Listen(ctx context.Context, heard func(account, product string, version uint64)) {
	connected := true
	for ctx.Err() == nil {
		err := c.listen(ctx, func() {
			connected = true
			c.o.Log.Info("redis: listening for publications", "redis", c.o.Address.String())
			heard("", "", 0)
		}, heard)
		if connected && ctx.Err() == nil {
			connected = false
			c.o.Log.Warn("redis: no publications are heard, and the store is polled meanwhile; see mkt doctor", "redis", c.o.Address.String(), "reason", string(OutcomeOf(err)))
		}
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
		}
	}
}

// listen listens over one connection until it ends.
func (c *Conn) listen(ctx context.Context, subscribed func(), heard func(account, product string, version uint64)) error {
	conn, err := redis.DialContext(ctx, "tcp", c.o.Address.host, c.o.Address.options(askFor, c.o.Dial)...)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	sub := redis.PubSubConn{Conn: conn}
	if err := sub.Subscribe(c.o.Address.Key("news")); err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	go ping(sub, stop)
	for {
		switch m := sub.ReceiveWithTimeout(silentFor).(type) {
		case error:
			return m
		case redis.Subscription:
			subscribed()
		case redis.Message:
			words := strings.Split(string(m.Data), " ")
			if len(words) != 3 {
				continue
			}
			if version, err := strconv.ParseUint(words[2], 10, 64); err == nil {
				heard(words[0], words[1], version)
			}
		}
	}
}

func ping(sub redis.PubSubConn, stop <-chan struct{}) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			if sub.Ping("") != nil {
				return
			}
		}
	}
}
