package limits

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"

	"mkt/serve/account"
	"mkt/serve/internal/gate"
)

// takeScript is gate.TokenBuckets over the clock of the server. redis_rate has the same
// algorithm, but its floating-point seconds refuse the last token of a burst (119 of 120
// pass at 600 a minute), and it locks an account out after the clock was set back. The
// numbers here are whole and below 2^53, so the results are those of a single process.
//
// A bucket is stored as the time in microseconds at which it was written, and by how many
// nanoseconds it was ahead then.
var takeScript = redis.NewScript(1, `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local each, depth = tonumber(ARGV[1]), tonumber(ARGV[2])
local ahead, behind = 0, false
local bucket = redis.call('GET', KEYS[1])
if bucket then
  local at, was = string.match(bucket, '^(%d+) (%d+)$')
  if at then
    behind = now < tonumber(at)
    ahead = math.max(0, tonumber(was) - math.max(0, now - tonumber(at)) * 1000)
  end
end
ahead = math.min(ahead, depth)
local taken = 0
if ahead + each <= depth then
  ahead = ahead + each
  taken = 1
end
if taken == 1 or behind then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', now, ahead), 'PX', string.format('%.0f', math.ceil(ahead / 1000000) + 1))
end
return {taken, ahead}
`)

var errAnswer = errors.New("the answer is not that of the script")

// emptied is a bucket in which the server found no token. Nobody can take one before it is
// refilled, so the server is not asked again until then: a client with too many requests
// does not burden it.
type emptied struct {
	bucket gate.Bucket
	ahead  time.Duration
	at     time.Time
}

// believed is how long the server is not asked about an empty bucket.
const believed = time.Second

// left returns by how much the bucket is ahead now, and whether it is certainly still empty.
func (e *emptied) left(b gate.Bucket, now time.Time) (time.Duration, bool) {
	since := now.Sub(e.at)
	ahead := e.ahead - since
	return ahead, e.bucket == b && since >= 0 && since < believed && ahead > 0 && b.Empty(ahead)
}

// Take implements gate.Limiter. It does not use now for the exact limit, because the clocks
// of the replicas may differ.
func (s *Shared) Take(ctx context.Context, clientID string, limit account.Limit, now time.Time) (gate.Remaining, error) {
	b := gate.BucketOf(limit)
	if e, ok := s.empty.Load(clientID); ok {
		if ahead, empty := e.(*emptied).left(b, now); empty {
			return b.Refused(ahead)
		}
	}
	taken, ahead, err := s.take(ctx, clientID, b)
	if err != nil {
		s.alone.Add(1)
		return s.share.TakeFrom(clientID, b.Share(int(s.replicas.Load())), now)
	}
	s.share.Set(clientID, ahead, now) // the share continues from there
	if !taken {
		s.empty.Store(clientID, &emptied{b, ahead, now})
		return b.Refused(ahead)
	}
	return b.Taken(ahead), nil
}

func (s *Shared) take(ctx context.Context, clientID string, b gate.Bucket) (taken bool, ahead time.Duration, err error) {
	err = s.ask(ctx, func(ctx context.Context) error {
		answer, err := redis.Int64s(s.client.Run(ctx, takeScript, rateKey(s.address, clientID), int64(b.Each), int64(b.Depth)))
		if err != nil {
			return err
		}
		if len(answer) != 2 || answer[1] < 0 || answer[1] > int64(b.Depth) {
			return errAnswer
		}
		taken, ahead = answer[0] == 1, time.Duration(answer[1])
		return nil
	})
	return taken, ahead, err
}
