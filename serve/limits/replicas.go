package limits

import (
	"context"
	"strings"

	"github.com/redis/go-redis/v9"
)

// announceScript adds a replica to those that are alive, and returns all of them.
var announceScript = redis.NewScript(`
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
		alive, err = announceScript.Run(ctx, s.client, []string{s.address.replicasKey()}, s.replica, deadAfter.Milliseconds()).StringSlice()
		return err
	})
	if err != nil {
		return err
	}
	s.replicas.Store(int64(max(1, len(alive))))
	s.warnOfTwin(alive)
	return nil
}

// warnOfTwin warns once if another process has the name of this replica for as long as a
// replica that was killed counts as alive, and a while longer.
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
	if s.twins++; s.twins == int(2*deadAfter/beatEvery) {
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
