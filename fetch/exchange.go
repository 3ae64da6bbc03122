package fetch

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/internal/upstream"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
)

// exchange is the [provider.Exchange] of a run: every answer is archived before the
// adapter uses it.
type exchange struct {
	client      *upstream.Client
	archive     *raw.Writer
	now         func() time.Time
	progress    func(Progress)
	concurrency int
	bookmaker   string
	evidence    *evidence
	received    *raw.Received
	earlier     earlier
	unchanged   atomic.Int64            // JSON values and keys of answers that were not sent again
	abandon     context.CancelCauseFunc // ends the run

	mu       sync.Mutex
	accepted map[string]int   // answers by endpoint
	rejected map[string]int64 // answers by reason
	bytes    int64
	first    error // of an unanswered request
}

var _ provider.Exchange = (*exchange)(nil)

// Get implements provider.Exchange.
func (x *exchange) Get(ctx context.Context, r provider.Request) (provider.Payload, error) {
	var kept provider.Payload
	var known []byte
	r.Unless, known = x.earlier.of(r)
	_, err := x.client.Get(ctx, r, func(a upstream.Answer) error {
		if a.Status == http.StatusNotModified && a.Verdict.Kind == provider.Accepted {
			a.Body = known
			x.unchanged.Add(int64(strictjson.Count(known, strictjson.MaxValues)))
		}
		p, err := x.keep(r, a)
		kept = p
		return err
	})
	if err != nil {
		x.evidence.failed(r, err, x.now())
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.first == nil {
			x.first = err
		}
		return provider.Payload{}, err
	}
	return kept, nil
}

// keep archives one answer. It fails if the disk fails, which ends the run, and if the
// credential is in the answer.
func (x *exchange) keep(r provider.Request, a upstream.Answer) (provider.Payload, error) {
	entry := raw.Response{
		Endpoint: r.Endpoint, Path: r.Path, Query: r.Query, Attempt: a.Attempt,
		Status: a.Status, Header: keptHeader(a.Header), FetchedAt: a.At,
	}
	if a.Verdict.Kind != provider.Accepted {
		return provider.Payload{}, x.reject(entry, verdictWord(a.Verdict), a.Body)
	}
	archived, err := x.archive.Add(entry, a.Body)
	if errors.Is(err, raw.ErrSecret) {
		return provider.Payload{}, x.echoed(entry, a.Body)
	}
	if err != nil {
		return provider.Payload{}, x.fail(err)
	}
	payload := x.received.Keep(archived, provider.Payload{Number: archived.Number, Endpoint: r.Endpoint, Query: r.Query, FetchedAt: archived.FetchedAt, Body: a.Body,
		Document: a.Verdict.Document})
	x.evidence.accepted(r, provider.Answered{Payload: payload, Quota: a.Verdict.Quota})
	x.mu.Lock()
	defer x.mu.Unlock()
	x.accepted[r.Endpoint]++
	x.bytes += archived.Bytes
	return payload, nil
}

func (x *exchange) reject(entry raw.Response, why string, body []byte) error {
	if _, err := x.archive.Reject(entry, why, body); err != nil {
		return x.fail(err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rejected[why]++
	return nil
}

// codeEchoed is the reason to reject an answer with the credential of its request in it.
// Archived bytes are never edited, so it cannot be archived unchanged.
const codeEchoed = "CREDENTIAL_ECHOED"

func (x *exchange) echoed(entry raw.Response, body []byte) error {
	if err := x.reject(entry, codeEchoed, body); err != nil {
		return err
	}
	return &provider.AnswerError{Endpoint: entry.Endpoint, Status: entry.Status, Verdict: provider.Verdict{Kind: provider.Rejected, Code: codeEchoed}}
}

// fail ends the run: an answer that cannot be archived must not be used.
func (x *exchange) fail(err error) error {
	err = &storageError{err}
	x.abandon(err)
	return err
}

// Concurrency implements provider.Exchange.
func (x *exchange) Concurrency() int { return x.concurrency }

// Bookmaker implements provider.Exchange.
func (x *exchange) Bookmaker() string { return x.bookmaker }

// Quota implements provider.Exchange.
func (x *exchange) Quota() (provider.Quota, bool) { return x.client.Left() }

// Now implements provider.Exchange.
func (x *exchange) Now() time.Time { return x.now() }

// Progress implements provider.Exchange.
func (x *exchange) Progress(done, total int) {
	if x.progress == nil {
		return
	}
	p := Progress{Done: done, Total: total}
	if q, known := x.Quota(); known {
		p.Left = &q.Left
	}
	x.progress(p)
}

// totals counts the answers of an exchange.
type totals struct {
	accepted int   // answers
	details  int   // of them those that the product needs
	bytes    int64 // of accepted answers
	rejected map[string]int64
	first    error // of an unanswered request, nil if all were
}

func (x *exchange) totals(detail func(endpoint string) bool) totals {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := totals{bytes: x.bytes, rejected: maps.Clone(x.rejected), first: x.first}
	for endpoint, n := range x.accepted {
		t.accepted += n
		if detail(endpoint) {
			t.details += n
		}
	}
	return t
}

func (t totals) allRejected() (n int) {
	for _, of := range t.rejected {
		n += int(of)
	}
	return n
}

// kept are the archived headers.
var kept = []string{"Content-Type", "Date", headerTag, "Last-Modified", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
	"X-Requests-Remaining", "X-Requests-Used", "X-Requests-Last"}

// longestHeader bounds a kept header's value, bytes.
const longestHeader = 256

func keptHeader(h http.Header) map[string]string {
	var out map[string]string
	for _, name := range kept {
		value := h.Get(name)
		if value == "" || len(value) > longestHeader {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out
}

func verdictWord(v provider.Verdict) string {
	if v.Code != "" {
		return v.Code
	}
	return "REJECTED"
}
