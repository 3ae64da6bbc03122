package limits

import (
	"context"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// announceScript adds a replica to the living ones, and returns all of them.
var announceScript = redis.NewScript(1, `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)
`)

func (s *Shared) announce(ctx context.Context) error {
	var alive []string
	err := s.send(ctx, func(ctx context.Context) (err error) {
		alive, err = redis.Strings(s.client.Run(ctx, announceScript, replicasKey(s.address), s.replica, deadAfter.Milliseconds()))
		return err
	})
	if err != nil {
		return err
	}
	s.count(len(alive))
	s.warnOfTwin(alive)
	return nil
}

// deadBeats is deadAfter in announcements.
const deadBeats = int(deadAfter / beatEvery)

// count sets the number of replicas. A smaller one counts only after a while, because a server
// learns of the replicas one by one after it lost its keys, or was away for long.
func (s *Shared) count(alive int) {
	if n := int64(alive); n >= s.replicas.Load() {
		s.replicas.Store(n)
		s.fewer = 0
	} else if s.fewer++; s.fewer >= deadBeats {
		s.replicas.Store(max(1, n))
		s.fewer = 0
	}
}

// warnOfTwin warns once if another process has the name of this replica. It waits for longer
// than a killed replica counts as alive.
func (s *Shared) warnOfTwin(alive []string) {
	own, _, _ := strings.Cut(s.replica, "/")
	same := 0
	for _, other := range alive {
		if name, _, _ := strings.Cut(other, "/"); name == own {
			same++
		}
	}
	if same < 2 {
		s.twins = 0
		return
	}
	if s.twins++; s.twins == 2*deadBeats {
		s.log.Warn("another process announces itself under the name of this replica: give each its own serve.replica", "replica", own)
	}
}

// names returns the names of announced replicas, one for each process.
func names(alive []string) []string {
	list := make([]string, len(alive))
	for i, r := range alive {
		list[i], _, _ = strings.Cut(r, "/")
	}
	return list
}
