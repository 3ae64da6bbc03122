package coordination

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrLost is the cause of the end of a run whose lease could not be kept.
var ErrLost = errors.New("the lease was lost: NATS did not answer in time, or lost it; nothing more is written, and the next run does the work")

// Taken is the error of [Conn.Take] if somebody else holds the lease.
type Taken struct {
	Holder  string // for people: who
	Purpose string // for people: what runs, such as "mkt schedule"
	Since   time.Time
	// Gone is the latest time, by this clock, at which the lease of a dead holder becomes free.
	// It is zero if the holder is alive, or nobody knows.
	Gone time.Time
}

func (t *Taken) Error() string {
	return fmt.Sprintf("%s on %s runs it since %s", t.Purpose, t.Holder, t.Since.UTC().Format(time.TimeOnly))
}

// holder is the value of a lease.
type holder struct {
	Format   int       `json:"format"`
	Instance string    `json:"instance"`
	Nonce    string    `json:"nonce"` // of this lease
	Name     string    `json:"name"`
	Purpose  string    `json:"purpose"`
	Since    time.Time `json:"since"`
	Short    bool      `json:"short,omitempty"`
	Worker   bool      `json:"worker"` // it sends beats: the others notice its death
}

// Lease is the right to run the cycles of one product of one account.
type Lease struct {
	c     *Conn
	key   string
	value []byte
	own   holder
	terms terms

	ctx    context.Context // ends when the lease is lost or released
	cancel context.CancelCauseFunc
	kept   chan struct{} // closed when the renewals have ended

	revision uint64    // of the newest value; only the keeper uses it
	certain  time.Time // when the last successful renewal was sent
}

// Run describes the run that needs a lease.
type Run struct {
	Client, Product string
	Purpose         string // for people: what runs, such as "mkt schedule"
	// Short is for runs of about a second that are due again soon. If their worker dies, the
	// lease is free after 8 s instead of 13 s.
	Short bool
}

// Take takes the lease of a run. The error is a [*Taken] if somebody else holds it, and a
// [*Trouble] if NATS cannot say.
func (c *Conn) Take(ctx context.Context, run Run) (*Lease, error) {
	if trouble := c.Trouble(); trouble != nil {
		c.count(func(s *Stats) { s.Failed++ })
		return nil, trouble
	}
	var nonce [6]byte
	rand.Read(nonce[:])
	l := &Lease{c: c, key: c.o.Address.key(run.Client, run.Product), terms: longTerms, kept: make(chan struct{}),
		own: holder{Format: Format, Instance: c.instance, Nonce: hex.EncodeToString(nonce[:]), Name: c.o.Name, Purpose: run.Purpose, Short: run.Short, Since: c.o.Now().UTC()}}
	if run.Short {
		l.terms = shortTerms
	}
	var err error
	c.mu.Lock()
	l.own.Worker = c.member != nil
	c.held[l.own.Nonce] = true
	c.mu.Unlock()
	if l.value, err = json.Marshal(l.own); err != nil {
		return nil, err
	}
	err = l.take(ctx)
	if err != nil {
		var taken *Taken
		busy := errors.As(err, &taken)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.held, l.own.Nonce)
		if busy {
			c.stats.Busy++
		} else {
			c.stats.Failed++
		}
		return nil, err
	}
	c.count(func(s *Stats) { s.Taken++; s.Held++ })
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	go l.keep()
	return l, nil
}

func (c *Conn) count(add func(*Stats)) {
	c.mu.Lock()
	add(&c.stats)
	c.mu.Unlock()
}

// take writes the lease if the key is free, or has only the mark of a release. Its first attempt
// guesses the mark of this process's last release. A worker that runs one account again and again
// so needs one message.
func (l *Lease) take(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	expected := l.c.guess(l.key)
	for {
		asked := l.c.o.Now()
		revision, err := l.put(ctx, expected)
		switch {
		case err == nil && !l.c.sameBucket(revision):
			l.revision = revision
			l.erase()
			l.c.checkNow()
			return &Trouble{Code: Starting, Until: l.c.o.Now().Add(leaseFor), What: fmt.Sprintf("work %s: the leases in NATS are new", l.c.o.Address)}
		case err == nil:
			l.revision, l.certain = revision, asked
			return nil
		case ctx.Err() != nil || !isConflict(err) && !isTimeout(err):
			l.c.checkNow()
			return l.c.ofJetStream(err)
		}
		now, err := l.newest(ctx)
		switch {
		case err != nil:
			l.c.checkNow()
			return l.c.ofJetStream(err)
		case now.free, l.c.isLeft(now.holder, l.own.Nonce):
			if expected == now.revision {
				pause(ctx)
			}
			expected = now.revision
		default:
			return l.c.taken(now)
		}
	}
}

// pause waits before an attempt is repeated. NATS may refuse the attempt although nothing is
// stored: an earlier one then waits for the other servers, perhaps as long as they are cut off.
func pause(ctx context.Context) {
	select {
	case <-time.After(50 * time.Millisecond):
	case <-ctx.Done():
	}
}

// mark is the revision of a release, and its time.
type mark struct {
	revision uint64
	at       time.Time
}

// guess returns the revision that the next lease of a key probably replaces.
func (c *Conn) guess(key string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.marks[key]
	delete(c.marks, key)
	if c.o.Now().Sub(m.at) > leaseFor-time.Second {
		return 0 // the server has deleted it
	}
	return m.revision
}

// isLeft reports whether a lease is of this process but nothing renews it: the answer to an
// attempt was lost.
func (c *Conn) isLeft(h holder, nonce string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return h.Nonce == nonce || h.Instance == c.instance && !c.held[h.Nonce]
}

// taken describes the lease of somebody else.
func (c *Conn) taken(now found) *Taken {
	c.mu.Lock()
	member, difference := c.member, c.bucket.difference
	c.mu.Unlock()
	t := &Taken{Holder: now.holder.Name, Purpose: now.holder.Purpose, Since: now.holder.Since}
	if member != nil && now.holder.Worker && !member.isThere(now.holder.Instance) {
		of := longTerms
		if now.holder.Short {
			of = shortTerms
		}
		t.Gone = now.at.Add(of.free - difference)
	}
	return t
}

// found is the newest value of a lease.
type found struct {
	revision uint64 // 0 if there is none
	free     bool
	holder   holder
	at       time.Time // by the server
}

func (l *Lease) newest(ctx context.Context) (found, error) {
	l.c.mu.Lock()
	stream := l.c.bucket.stream
	l.c.mu.Unlock()
	message, err := stream.GetLastMsgForSubject(ctx, l.key)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return found{free: true}, nil
	}
	if err != nil {
		return found{}, err
	}
	f := found{revision: message.Sequence, at: message.Time, free: message.Header.Get("KV-Operation") != ""}
	if err := json.Unmarshal(message.Data, &f.holder); err != nil && !f.free {
		f.holder = holder{Name: "an unknown machine", Purpose: "an unknown program", Since: message.Time}
	}
	return f, nil
}

// put writes the value over a revision, 0 for none, and returns the new one.
func (l *Lease) put(ctx context.Context, over uint64) (uint64, error) {
	ack, err := l.c.js.PublishMsg(ctx, &nats.Msg{Subject: l.key, Data: l.value}, jetstream.WithExpectLastSequencePerSubject(over), jetstream.WithMsgTTL(l.terms.free))
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

func isConflict(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

func isTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
}

// Bind returns a context that ends with ctx, or when the lease is lost. Its cause is then
// [ErrLost].
func (l *Lease) Bind(ctx context.Context) (context.Context, context.CancelFunc) {
	bound, cancel := context.WithCancelCause(ctx)
	end := context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })
	return bound, func() { end(); cancel(context.Canceled) }
}

// keep renews the lease until it is released or lost.
func (l *Lease) keep() {
	defer close(l.kept)
	wait := l.terms.keep
	for {
		over := time.NewTimer(min(wait, l.certain.Add(l.terms.giveUp).Sub(l.c.o.Now())))
		select {
		case <-l.ctx.Done():
			over.Stop()
			return
		case <-over.C:
		}
		if !l.c.o.Now().Before(l.certain.Add(l.terms.giveUp)) {
			l.lose()
			return
		}
		switch err := l.renew(); {
		case err == nil:
			wait = l.terms.keep
		case errors.Is(err, ErrLost):
			l.lose()
			return
		default:
			wait = askAgain
		}
	}
}

func (l *Lease) lose() {
	if l.ctx.Err() == nil {
		l.c.count(func(s *Stats) { s.Lost++ })
		l.cancel(ErrLost)
	}
}

// renew renews the lease once. If NATS has lost it, it is written again: nobody else takes a
// lease from a new bucket.
func (l *Lease) renew() error {
	ctx, cancel := context.WithTimeout(l.ctx, min(renewFor, l.certain.Add(l.terms.giveUp).Sub(l.c.o.Now())))
	defer cancel()
	for {
		asked := l.c.o.Now()
		revision, err := l.put(ctx, l.revision)
		if err == nil {
			l.revision, l.certain = revision, asked
			return nil
		}
		if !isConflict(err) {
			return err
		}
		now, err := l.newest(ctx)
		switch {
		case err != nil:
			return err
		case now.revision == 0, now.holder.Nonce == l.own.Nonce:
			if l.revision == now.revision {
				pause(ctx)
			}
			l.revision = now.revision
		default:
			return ErrLost
		}
	}
}

// Release gives the lease back: another worker can take it at once. It may be called after the
// lease was lost. It does not wait for an unreachable NATS.
func (l *Lease) Release() {
	l.cancel(context.Canceled)
	<-l.kept
	l.c.mu.Lock()
	l.c.stats.Held--
	delete(l.c.held, l.own.Nonce)
	l.c.mu.Unlock()
	if l.c.nc.IsConnected() && !errors.Is(context.Cause(l.ctx), ErrLost) {
		l.erase()
	}
}

// erase leaves the mark of a release.
func (l *Lease) erase() {
	ctx, cancel := context.WithTimeout(context.Background(), checkEvery)
	defer cancel()
	for range 2 {
		deleted := &nats.Msg{Subject: l.key, Header: nats.Header{"KV-Operation": {"DEL"}}}
		ack, err := l.c.js.PublishMsg(ctx, deleted, jetstream.WithExpectLastSequencePerSubject(l.revision))
		if err == nil {
			l.c.mu.Lock()
			l.c.marks[l.key] = mark{ack.Sequence, l.c.o.Now()}
			l.c.mu.Unlock()
			return
		}
		if !isConflict(err) {
			return // it ends by itself
		}
		now, err := l.newest(ctx) // a renewal may be stored although its answer was lost
		if err != nil || now.free || now.holder.Nonce != l.own.Nonce {
			return
		}
		l.revision = now.revision
	}
}
