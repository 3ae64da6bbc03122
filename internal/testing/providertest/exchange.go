package providertest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
)

// Exchange sends an adapter's requests to a provider that is a handler, one after the
// other, and archives the answers. It takes no time: the clock is the test's.
type Exchange struct {
	Adapter provider.Provider
	Handler http.Handler
	Token   string
	Maker   string // the account's bookmaker
	Clock   func() time.Time
	Archive *raw.Writer // of the cycle; nil to archive nothing

	Kept []provider.Payload // the accepted answers, without an Archive

	quota *provider.Quota // as the newest answer says
}

var _ provider.Exchange = (*Exchange)(nil)

// Get implements provider.Exchange.
func (x *Exchange) Get(ctx context.Context, r provider.Request) (provider.Payload, error) {
	q := httptest.NewRequestWithContext(ctx, http.MethodGet, x.Adapter.BaseURL+r.Path+"?"+r.Query.Encode(), nil)
	x.Adapter.Authorize(q, x.Token)
	w := httptest.NewRecorder()
	x.Handler.ServeHTTP(w, q)
	v := x.Adapter.Classify(w.Code, w.Header(), w.Body.Bytes())
	if v.Quota != nil {
		x.quota = v.Quota
	}
	if v.Kind != provider.Accepted {
		return provider.Payload{}, &provider.AnswerError{Endpoint: r.Endpoint, Status: w.Code, Verdict: v}
	}
	p := provider.Payload{Number: len(x.Kept) + 1, Endpoint: r.Endpoint, Query: r.Query, FetchedAt: x.Clock(), Body: w.Body.Bytes()}
	if x.Archive == nil {
		x.Kept = append(x.Kept, p)
		return p, nil
	}
	entry, err := x.Archive.Add(raw.Response{Endpoint: r.Endpoint, Path: r.Path, Query: r.Query, Attempt: 1, Status: http.StatusOK, FetchedAt: p.FetchedAt}, p.Body)
	p.Number = entry.Number
	return p, err
}

// Concurrency, and the methods after it, implement [provider.Exchange].
func (x *Exchange) Concurrency() int  { return 1 }
func (x *Exchange) Now() time.Time    { return x.Clock() }
func (x *Exchange) Progress(int, int) {}

// Quota implements provider.Exchange.
func (x *Exchange) Quota() (provider.Quota, bool) {
	if x.quota == nil {
		return provider.Quota{}, false
	}
	return *x.quota, true
}

// Bookmaker implements provider.Exchange: the default if none was chosen.
func (x *Exchange) Bookmaker() string {
	if b := x.Adapter.Bookmakers; b != nil && x.Maker == "" {
		return b.Default
	}
	return x.Maker
}
