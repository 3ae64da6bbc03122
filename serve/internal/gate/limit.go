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

// Bucket is the bucket of tokens that a limit describes, measured in time: a bucket is
// ahead of now by the time that it still needs to be full again. A request adds the time
// of one token, and is refused if the bucket would then be further ahead than its depth
// (the generic cell rate algorithm).
type Bucket struct {
	Limit account.Limit
	Each  time.Duration // one token
	Depth time.Duration // the whole bucket, which is never less than one token
}

// maxDepth bounds the depth of a bucket, so that no limit overflows, here or in the
// floating-point numbers of a Redis script: a bucket is full after at most this time.
const maxDepth = 100 * 24 * time.Hour

// BucketOf returns the bucket of a limit, or that of account.DefaultLimit if the limit is
// not a valid one.
func BucketOf(limit account.Limit) Bucket {
	if limit.Requests <= 0 || limit.Per <= 0 || limit.Burst <= 0 {
		limit = account.DefaultLimit
	}
	each := min(max(1, limit.Per/time.Duration(limit.Requests)), maxDepth)
	return Bucket{Limit: limit, Each: each, Depth: each * min(time.Duration(limit.Burst), maxDepth/each)}
}

// Share returns the bucket of one of n processes that divide a limit among themselves. Each
// may answer at least one request.
func (b Bucket) Share(n int) Bucket {
	b.Each = min(b.Each*time.Duration(max(1, n)), maxDepth)
	b.Depth = max(b.Depth/b.Each, 1) * b.Each
	return b
}

// Empty reports whether no token is left in a bucket that is ahead by the given time.
func (b Bucket) Empty(ahead time.Duration) bool { return ahead+b.Each > b.Depth }

// Wait returns the time until an empty bucket has a token again.
func (b Bucket) Wait(ahead time.Duration) time.Duration { return ahead + b.Each - b.Depth }

// Taken is the result of a request that took a token.
func (b Bucket) Taken(ahead time.Duration) Remaining {
	return Remaining{Limit: b.Limit, Left: int((b.Depth - ahead) / b.Each), Full: ahead}
}

// Refused is the result of a request that found the bucket empty.
func (b Bucket) Refused(ahead time.Duration) (Remaining, error) {
	wait := min(max(time.Second, b.Wait(ahead)), max(time.Second, b.Limit.Per))
	return b.Taken(ahead), &api.Error{Code: api.RateLimited, RetryAfter: wait}
}

// TokenBuckets is the Limiter of a single process. Its zero value has full buckets.
//
// A bucket is one number: the time at which it would be full again. One compare-and-swap
// decides, so two requests never take the same token.
type TokenBuckets struct{ buckets sync.Map } // client id → *atomic.Int64, Unix nanoseconds

// anonymousLimit is the limit of all requests without a known token together.
var anonymousLimit = account.DefaultLimit

// Remaining is the state of a bucket after a request.
type Remaining struct {
	Limit account.Limit
	Left  int           // further requests that are possible immediately
	Full  time.Duration // until the bucket is full again
}

// Take implements Limiter.
func (l *TokenBuckets) Take(_ context.Context, clientID string, limit account.Limit, now time.Time) (Remaining, error) {
	return l.TakeFrom(clientID, BucketOf(limit), now)
}

// TakeFrom is Take for a given bucket.
func (l *TokenBuckets) TakeFrom(clientID string, b Bucket, now time.Time) (Remaining, error) {
	bucket := l.bucket(clientID)
	for {
		before := bucket.Load()
		ahead := max(0, time.Duration(before-now.UnixNano()))
		if ahead > b.Depth+reordered {
			ahead = 0 // the clock was set back, or the limit was lowered: start with a full bucket
		}
		ahead = min(ahead, b.Depth)
		if b.Empty(ahead) {
			return b.Refused(ahead)
		}
		if bucket.CompareAndSwap(before, now.UnixNano()+int64(ahead+b.Each)) {
			return b.Taken(ahead + b.Each), nil
		}
	}
}

// reordered is by how much requests may arrive in another order than that of their times.
const reordered = time.Second

// Set sets a bucket to what is known of it from elsewhere.
func (l *TokenBuckets) Set(clientID string, ahead time.Duration, now time.Time) {
	l.bucket(clientID).Store(now.UnixNano() + int64(ahead))
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
