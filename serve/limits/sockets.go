package limits

import (
	"context"
	"math"
	"slices"

	"github.com/gomodule/redigo/redis"
)

// openScript adds a socket to those of an account, unless there are too many. The sockets of
// a killed replica have expired.
var openScript = redis.NewScript(1, `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
  return 0
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`)

// refreshScript renews the sockets of several accounts. Its arguments are the time to live,
// and for each key the number of sockets and the sockets. It also adds missing ones: the
// server lost them, or did not answer when they were opened.
var refreshScript = redis.NewScript(-1, `
local time = redis.call('TIME')
local until_ = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1])
local at = 2
for _, key in ipairs(KEYS) do
  for i = at + 1, at + ARGV[at] do
    redis.call('ZADD', key, until_, ARGV[i])
  end
  redis.call('PEXPIRE', key, ARGV[1])
  at = at + ARGV[at] + 1
end
return 1
`)

// Open implements gate.Sockets. A socket is a member of its account's set under the name of
// this replica.
func (s *Shared) Open(ctx context.Context, clientID, socket string, maximum int) bool {
	allowed := false
	err := s.ask(ctx, func(ctx context.Context) error {
		n, err := redis.Int(s.client.Run(ctx, openScript, socketsKey(s.address, clientID), s.member(socket), maximum, deadAfter.Milliseconds()))
		allowed = n == 1
		return err
	})
	if err != nil {
		s.alone.Add(1)
		return s.sockets.Open(ctx, clientID, socket, max(1, maximum/int(s.replicas.Load())))
	}
	return allowed && s.sockets.Open(ctx, clientID, socket, math.MaxInt)
}

// Close implements gate.Sockets. If the server does not answer, the socket expires there.
func (s *Shared) Close(clientID, socket string) {
	s.sockets.Close(clientID, socket)
	s.forget(context.Background(), clientID, socket)
}

func (s *Shared) forget(ctx context.Context, clientID, socket string) {
	_ = s.ask(ctx, func(ctx context.Context) error {
		_, err := s.client.Do(ctx, "ZREM", socketsKey(s.address, clientID), s.member(socket))
		return err
	})
}

func (s *Shared) member(socket string) string { return s.replica + "/" + socket }

// batch is the sockets of one [refreshScript].
type batch struct {
	ids     []string   // accounts
	sockets [][]string // of each
	keys    []any
	args    []any
}

const maxBatch = 500 // keys and arguments of one script

// refresh renews all sockets of this replica.
func (s *Shared) refresh(ctx context.Context) {
	b := s.newBatch()
	for id, sockets := range s.sockets.All() {
		b.ids, b.sockets, b.keys = append(b.ids, id), append(b.sockets, sockets), append(b.keys, socketsKey(s.address, id))
		b.args = append(b.args, len(sockets))
		for _, socket := range sockets {
			b.args = append(b.args, s.member(socket))
		}
		if len(b.keys)+len(b.args) >= maxBatch {
			if !s.renew(ctx, b) {
				return
			}
			b = s.newBatch()
		}
	}
	s.renew(ctx, b)
}

func (s *Shared) newBatch() *batch { return &batch{args: []any{deadAfter.Milliseconds()}} }

// renew renews a batch. The script may have added a socket again after Close removed it, so
// it is removed once more.
func (s *Shared) renew(ctx context.Context, b *batch) bool {
	if len(b.ids) == 0 {
		return true
	}
	err := s.ask(ctx, func(ctx context.Context) error {
		_, err := s.client.Run(ctx, refreshScript, slices.Concat([]any{len(b.keys)}, b.keys, b.args)...)
		return err
	})
	for i, id := range b.ids {
		for _, socket := range b.sockets[i] {
			if !s.sockets.Has(id, socket) {
				s.forget(ctx, id, socket)
			}
		}
	}
	return err == nil
}
