package gate

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// Limiter limits the rate of each account's requests, over HTTP and sockets together.
// It must be safe for concurrent use.
type Limiter interface {
	// Take takes one token of an account, whose limit is passed, at the time now. If none
	// is left, the error is a RATE_LIMITED refusal that says when to try again: in at
	// least a second and at most the limit's window. An empty client id stands for all
	// requests without a known token.
	Take(ctx context.Context, clientID string, limit account.Limit, now time.Time) (Remaining, error)
}

// TokenBuckets is the Limiter of a single process. Its zero value has full buckets.
//
// A bucket is one number: the time at which it would be full again. A request moves
// that time forward by the time that one token needs, and is refused if the result
// would be further ahead than the whole bucket needs (the generic cell rate
// algorithm). One compare-and-swap decides, so two requests never take the same token.
type TokenBuckets struct{ buckets sync.Map } // client id → *atomic.Int64, Unix nanoseconds

var anonymousLimit = account.DefaultLimit

// Remaining is the state of a bucket after a request.
type Remaining struct {
	Limit account.Limit
	Left  int           // further requests that are possible immediately
	Full  time.Duration // until the bucket is full again
}

// Take implements Limiter.
func (l *TokenBuckets) Take(_ context.Context, clientID string, limit account.Limit, now time.Time) (Remaining, error) {
	if limit.Requests <= 0 || limit.Per <= 0 || limit.Burst <= 0 {
		limit = account.DefaultLimit
	}
	each := max(1, limit.Per/time.Duration(limit.Requests))
	depth := each * time.Duration(limit.Burst)
	bucket := l.bucket(clientID)
	for {
		before := bucket.Load()
		ahead := max(0, time.Duration(before-now.UnixNano()))
		if ahead > depth {
			ahead = 0 // the clock was set back, or the limit was raised: start with a full bucket
		}
		if ahead+each > depth {
			wait := min(max(time.Second, ahead+each-depth), max(time.Second, limit.Per))
			return remaining(limit, ahead, each, depth), &api.Error{Code: api.RateLimited, RetryAfter: wait}
		}
		if bucket.CompareAndSwap(before, now.UnixNano()+int64(ahead+each)) {
			return remaining(limit, ahead+each, each, depth), nil
		}
	}
}

func remaining(limit account.Limit, ahead, each, depth time.Duration) Remaining {
	return Remaining{Limit: limit, Left: int((depth - ahead) / each), Full: ahead}
}

func (l *TokenBuckets) bucket(clientID string) *atomic.Int64 {
	if b, ok := l.buckets.Load(clientID); ok {
		return b.(*atomic.Int64)
	}
	b, _ := l.buckets.LoadOrStore(clientID, new(atomic.Int64))
	return b.(*atomic.Int64)
}

// SetHeaders writes the RateLimit header fields of the IETF draft
// (draft-ietf-httpapi-ratelimit-headers-06): the sustained quota, the rest of the
// burst, and the seconds until the burst is complete again.
func (r Remaining) SetHeaders(h http.Header) {
	if r.Limit.Requests == 0 {
		return
	}
	quota := strconv.Itoa(r.Limit.Requests)
	h.Set("RateLimit-Limit", quota)
	h.Set("RateLimit-Remaining", strconv.Itoa(r.Left))
	h.Set("RateLimit-Reset", strconv.FormatInt(api.WholeSeconds(r.Full), 10))
	h.Set("RateLimit-Policy", quota+";w="+strconv.FormatInt(api.WholeSeconds(r.Limit.Per), 10)+";burst="+strconv.Itoa(r.Limit.Burst))
}
