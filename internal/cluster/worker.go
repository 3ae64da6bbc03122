package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/gomodule/redigo/redis"
)

// beatScript announces a worker, and returns the time of the server, since when it knows workers,
// and those that are alive. It announces nobody whose clock differs: the command may be a late one
// of a worker that has announced itself since, so that the worker withdraws itself. A set clock,
// like an empty server or one that nobody reached for a while, begins a new time of knowing them:
// nobody can tell then who is alive.
var beatScript = redis.NewScript(2, `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local text = string.format('%.0f', now)
local dead = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - dead))
redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('(%.0f', now + dead), '+inf')
local since = tonumber(redis.call('GET', KEYS[2]))
if not since or since > now or redis.call('ZCARD', KEYS[1]) == 0 then
  since = now
  redis.call('SET', KEYS[2], text)
end
if math.abs(now - ARGV[3]) <= tonumber(ARGV[4]) then
  redis.call('ZADD', KEYS[1], text, ARGV[1])
  return {text, string.format('%.0f', since), redis.call('ZRANGE', KEYS[1], 0, -1)}
end
return {text, text, {}}
`)

// Member is this process among the workers. It is safe for concurrent use.
type Member struct {
	c       *Conn
	changed func()
	moved   chan struct{} // accounts may have come or gone

	mu      sync.Mutex // guards the following fields
	team    []string   // instances that share the accounts, sorted
	trouble error      // why this worker may not take accounts; nil = it may
}

// errStarting is why a worker takes no accounts from a server that has just begun to know workers.
var errStarting = errors.New("the workers are being counted: the server has known them for less than five seconds")

// Join makes this process a worker. [Member.Run] must be called. It calls changed when accounts
// may have come or gone, one call at a time.
func (c *Conn) Join(changed func()) *Member {
	return &Member{c: c, changed: changed, moved: make(chan struct{}, 1), trouble: errStarting}
}

// Run announces this worker until ctx ends, and then withdraws it: the others take over its
// accounts. Its leases stay held.
func (m *Member) Run(ctx context.Context) {
	go func() { // beats do not wait for it
		for {
			select {
			case <-m.moved:
				m.changed()
			case <-ctx.Done():
				return
			}
		}
	}()
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		m.update(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			m.leave()
			return
		}
	}
}

func (m *Member) leave() {
	m.mu.Lock()
	m.team = nil
	m.mu.Unlock()
	m.withdraw()
}

// withdraw makes the others take over the accounts at once. Otherwise this worker counts as dead
// after a while.
func (m *Member) withdraw() {
	_ = m.c.send(context.Background(), func(ctx context.Context) error {
		_, err := m.c.client.Do(ctx, "ZREM", m.c.o.Address.Key("workers"), m.c.member())
		return err
	})
}

// update announces this worker, and notes the others.
func (m *Member) update(ctx context.Context) {
	team, trouble := m.beat(ctx)
	if ctx.Err() != nil {
		return
	}
	var away, awayBefore *AwayError
	// Accounts stay where they are while nobody can tell who is alive.
	stays := errors.As(trouble, &away) || errors.Is(trouble, errStarting)
	m.mu.Lock()
	before := m.trouble
	m.trouble = trouble
	if errors.As(before, &awayBefore) || away == nil { // not after the first failure, which may be a short one
		m.c.away.Store(away)
	}
	moved := !stays && !slices.Equal(team, m.team)
	if moved {
		m.team = team
	}
	m.mu.Unlock()
	m.report(before, trouble)
	if errors.As(trouble, new(*ClockError)) {
		m.withdraw()
	}
	if moved {
		select {
		case m.moved <- struct{}{}:
		default:
		}
	}
}

// beat returns the workers that share the accounts; none if this one may not.
func (m *Member) beat(ctx context.Context) (team []string, err error) {
	c := m.c
	var answer []any
	asked := c.o.Now()
	err = c.send(ctx, func(ctx context.Context) (err error) {
		answer, err = redis.Values(c.client.Run(ctx, beatScript, c.o.Address.Key("workers"), c.o.Address.Key("since"),
			c.member(), deadAfter.Milliseconds(), asked.UnixMilli(), ClockTolerance.Milliseconds()))
		return err
	})
	if err != nil {
		return nil, err
	}
	var now, since int64
	var alive []string
	if _, err := redis.Scan(answer, &now, &since, &alive); err != nil {
		return nil, &AwayError{c.o.Address, Refused}
	}
	for _, text := range alive {
		if w := parseWorker(text); w.Installation == c.o.Installation {
			team = append(team, w.Instance)
		}
	}
	slices.Sort(team)
	if _, in := slices.BinarySearch(team, c.instance); !in {
		return nil, &ClockError{c.o.Address, asked.Sub(time.UnixMilli(now))}
	}
	if time.Duration(now-since)*time.Millisecond < deadAfter {
		return nil, errStarting
	}
	return team, nil
}

// report logs a change of what keeps this worker from taking accounts.
func (m *Member) report(before, now error) {
	if reflect.TypeOf(before) == reflect.TypeOf(now) {
		return
	}
	var away *AwayError
	switch {
	case now == nil:
		m.c.o.Log.Info("redis: this worker shares the accounts", "redis", m.c.o.Address.String(), "workers", m.Team())
	case errors.Is(now, errStarting):
		m.c.o.Log.Info("redis: " + now.Error())
	case errors.As(now, &away):
		what := "this worker goes on with the accounts that it has, and takes no others"
		if m.Team() == 0 {
			what = "this worker has no accounts, and runs nothing until it answers"
		}
		m.c.o.Log.Error("redis: " + now.Error() + ": " + what + "; see mkt doctor")
	default:
		m.c.o.Log.Error("redis: " + now.Error())
	}
}

// Trouble returns why this worker takes no accounts at this moment, nil if it does.
func (m *Member) Trouble() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.trouble
}

// Team returns how many workers share the accounts, as far as this one knows.
func (m *Member) Team() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.team)
}

// Owns reports whether this worker runs an account.
func (m *Member) Owns(account string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return ownerOf(account, m.team) == m.c.instance
}

// ownerOf returns the worker of an account, "" if there is none: the one with the highest score
// (rendezvous hashing). If a worker comes or goes, only its accounts move.
func ownerOf(account string, team []string) (owner string) {
	var best uint64
	for _, instance := range team {
		score := xxhash.Sum64(binary.AppendUvarint([]byte(instance+"/"), xxhash.Sum64String(account)))
		if owner == "" || score > best {
			best, owner = score, instance
		}
	}
	return owner
}

// Workers returns the workers that are alive, sorted by name.
func (c *Conn) Workers(ctx context.Context) ([]Worker, error) {
	var alive []string
	err := c.ask(ctx, func(ctx context.Context) error {
		at, err := redis.Int64s(c.client.Do(ctx, "TIME"))
		if err == nil && len(at) == 2 {
			alive, err = redis.Strings(c.client.Do(ctx, "ZRANGEBYSCORE", c.o.Address.Key("workers"), at[0]*1000-deadAfter.Milliseconds(), "+inf"))
		}
		return err
	})
	var list []Worker
	for _, text := range alive {
		list = append(list, parseWorker(text))
	}
	slices.SortFunc(list, func(a, b Worker) int { return strings.Compare(a.Name+a.Instance, b.Name+b.Instance) })
	return list, err
}
