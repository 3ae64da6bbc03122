package providertest

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"mkt/fetch/provider"
)

// Fake is the common part of the fake providers of the adapters' tests. Such a test embeds
// it in a type of its own, which adds Now and a Get that calls [Fake.Send]. This type is
// then a [provider.Exchange] that neither retries nor archives anything.
type Fake struct {
	Workers int             // 3 if it is 0
	Chosen  string          // the bookmaker
	Left    *provider.Quota // nil if it is not known

	Done, Total int                // the newest progress
	Requests    []provider.Request // in the order in which they were sent

	mu sync.Mutex
}

// Bookmaker implements provider.Exchange.
func (f *Fake) Bookmaker() string { return f.Chosen }

// Concurrency implements provider.Exchange.
func (f *Fake) Concurrency() int {
	if f.Workers == 0 {
		return 3
	}
	return f.Workers
}

// Quota implements provider.Exchange.
func (f *Fake) Quota() (provider.Quota, bool) {
	if f.Left == nil {
		return provider.Quota{}, false
	}
	return *f.Left, true
}

// Progress implements provider.Exchange. It must not go back.
func (f *Fake) Progress(done, total int) {
	if done > total || done < f.Done || total < f.Total {
		panic(fmt.Sprintf("progress %d of %d after %d of %d", done, total, f.Done, f.Total))
	}
	f.Done, f.Total = done, total
}

// Send records a request, calls reply for the answer and judges it as the transport
// does. A status 0 means the provider cannot be reached. Replies are made one at a
// time.
func (f *Fake) Send(ctx context.Context, p provider.Provider, r provider.Request, reply func() (body string, status int)) (provider.Payload, error) {
	if err := ctx.Err(); err != nil {
		return provider.Payload{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Requests = append(f.Requests, r)
	body, status := reply()
	if status == 0 {
		return provider.Payload{}, fmt.Errorf("%s: %w", r.Endpoint, provider.ErrUnreachable)
	}
	v := p.Classify(status, http.Header{}, []byte(body))
	if v.Kind == provider.Accepted {
		return provider.Payload{Number: len(f.Requests), Endpoint: r.Endpoint, Query: r.Query, Body: []byte(body)}, nil
	}
	var err error = &provider.AnswerError{Endpoint: r.Endpoint, Status: status, Verdict: v}
	if v.Kind == provider.Retryable {
		err = fmt.Errorf("%w: %w", provider.ErrUnreachable, err)
	}
	return provider.Payload{}, err
}
