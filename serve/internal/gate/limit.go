package gate

import (
	"context"
	"strconv"
	"sync"
	"time"

	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// Limiter limits the rate of each account's requests, over HTTP and sockets together.
// It must be safe for concurrent use.
type Limiter interface {
	// Take takes one token of an account, whose limit is passed, at the time now. If none
	// is left, the error is a RATE_LIMITED refusal with the time until the next try: at
	// least a second and at most the limit's window. An empty client id stands for all
	// requests without a known token.
	Take(ctx context.Context, clientID string, limit account.Limit, now time.Time) (Remaining, error)
}

// Bucket is the bucket of tokens of a limit, measured in time (the generic cell rate
// algorithm). A bucket is ahead of now by the time until it is full again. A request adds
// the time of one token. It is refused if the bucket would then be further ahead than its
// depth.
type Bucket struct {
	Limit account.Limit
	Each  time.Duration // one token
	Depth time.Duration // the whole bucket, which is never less than one token
}

// maxDepth bounds the depth of a bucket, so that no limit overflows, here or in the
// floating-point numbers of a Redis script: a bucket is full after at most this time.
const maxDepth = 100 * 24 * time.Hour

// BucketOf returns the bucket of a limit, or of [account.DefaultLimit] if the limit is
// invalid.
func BucketOf(limit account.Limit) Bucket {
	if limit.Requests <= 0 || limit.Per <= 0 || limit.Burst <= 0 {
		limit = account.DefaultLimit
	}
	each := min(max(1, limit.Per/time.Duration(limit.Requests)), maxDepth)
	return Bucket{Limit: limit, Each: each, Depth: each * min(time.Duration(limit.Burst), maxDepth/each)}
}

// Share returns the bucket of one of n processes, which divide a limit among themselves. Each
// may answer at least one request.
func (b Bucket) Share(n int) Bucket {
	b.Each = min(b.Each*time.Duration(max(1, n)), maxDepth)
	b.Depth = max(b.Depth/b.Each, 1) * b.Each
	return b
}

// Empty reports whether a bucket, ahead by the given time, has no token left.
func (b Bucket) Empty(ahead time.Duration) bool { return ahead+b.Each > b.Depth }

// Wait returns the time until an empty bucket has a token again.
func (b Bucket) Wait(ahead time.Duration) time.Duration { return ahead + b.Each - b.Depth }

// Taken is the result of a request with a token.
func (b Bucket) Taken(ahead time.Duration) Remaining {
	return Remaining{Quota: int(b.Depth / b.Each), Window: b.Depth, Left: int((b.Depth - ahead) / b.Each), Full: ahead}
}

// Refused is the result of a request at an empty bucket.
func (b Bucket) Refused(ahead time.Duration) (Remaining, error) {
	wait := min(max(time.Second, b.Wait(ahead)), max(time.Second, b.Limit.Per))
	return b.Taken(ahead), &api.Error{Code: api.RateLimited, RetryAfter: wait}
}

// TokenBuckets is the Limiter of a single process. Its zero value has full buckets.
type TokenBuckets struct{ buckets sync.Map } // client id → *bucket

// bucket is the state of a bucket: by how much it was ahead, and when.
type bucket struct {
	mu    sync.Mutex
	ahead time.Duration
	at    time.Time
}

// setBack is how far a clock may go back before it counts as set back. A smaller step is normal,
// because requests may arrive out of the order of their times.
const setBack = 10 * time.Second

// advance lets the time since the last request pass. Time that has passed already does not
// pass again; if the clock was set back, time goes on from there.
func (b *bucket) advance(now time.Time) {
	passed := now.Sub(b.at)
	if passed >= 0 || passed < -setBack {
		b.at = now
	}
	b.ahead = max(0, b.ahead-max(0, passed))
}

// anonymousLimit is the limit of all requests without a known token together.
var anonymousLimit = account.DefaultLimit

// Remaining is the state of a bucket after a request.
type Remaining struct {
	Quota  int           // requests possible immediately while the bucket is full
	Window time.Duration // in which an empty bucket becomes full
	Left   int           // further requests possible immediately
	Full   time.Duration // until the bucket is full again
}

// Take implements Limiter.
func (l *TokenBuckets) Take(_ context.Context, clientID string, limit account.Limit, now time.Time) (Remaining, error) {
	return l.TakeFrom(clientID, BucketOf(limit), now)
}

// TakeFrom is Take for a given bucket.
func (l *TokenBuckets) TakeFrom(clientID string, b Bucket, now time.Time) (Remaining, error) {
	own := l.bucket(clientID)
	own.mu.Lock()
	defer own.mu.Unlock()
	own.advance(now)
	own.ahead = min(own.ahead, b.Depth) // the limit may have been changed
	if b.Empty(own.ahead) {
		return b.Refused(own.ahead)
	}
	own.ahead += b.Each
	return b.Taken(own.ahead), nil
}

// Set sets a bucket to its state elsewhere, as of now.
func (l *TokenBuckets) Set(clientID string, ahead time.Duration, now time.Time) {
	own := l.bucket(clientID)
	own.mu.Lock()
	defer own.mu.Unlock()
	own.ahead, own.at = ahead, now
}

func (l *TokenBuckets) bucket(clientID string) *bucket {
	if b, ok := l.buckets.Load(clientID); ok {
		return b.(*bucket)
	}
	b, _ := l.buckets.LoadOrStore(clientID, new(bucket))
	return b.(*bucket)
}

// AppendFields appends the RateLimit header fields of the IETF draft
// (draft-ietf-httpapi-ratelimit-headers-10, September 2025), as lines. Both describe the bucket: the quota
// minus the remaining requests is the number used. It appends nothing for the zero Remaining.
func (r Remaining) AppendFields(b []byte) []byte {
	if r.Quota == 0 {
		return b
	}
	add := func(text string, n int64) { b = strconv.AppendInt(append(b, text...), n, 10) }
	add("Ratelimit: \"default\";r=", int64(r.Left)) // the names have the form that net/http uses
	add(";t=", api.WholeSeconds(r.Full))
	add("\r\nRatelimit-Policy: \"default\";q=", int64(r.Quota))
	add(";w=", api.WholeSeconds(r.Window))
	return append(b, "\r\n"...)
}
