package providertest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
)

// Exchange has an adapter ask a provider that is a handler, one request after the
// other, and archives the answers. It takes no time: the clock is the test's.
type Exchange struct {
	Adapter provider.Provider
	Handler http.Handler
	Token   string
	Maker   string // the bookmaker that the account has chosen
	Clock   func() time.Time
	Archive *raw.Writer // of the cycle at hand
}

var _ provider.Exchange = (*Exchange)(nil)

// Get implements provider.Exchange.
func (x *Exchange) Get(ctx context.Context, r provider.Request) (provider.Payload, error) {
	q := httptest.NewRequestWithContext(ctx, http.MethodGet, x.Adapter.BaseURL+r.Path+"?"+r.Query.Encode(), nil)
	x.Adapter.Authorize(q, x.Token)
	w := httptest.NewRecorder()
	x.Handler.ServeHTTP(w, q)
	if w.Code != http.StatusOK {
		return provider.Payload{}, fmt.Errorf("%s: status %d: %w", r.Endpoint, w.Code, provider.ErrUnreachable)
	}
	at := x.Clock()
	entry, err := x.Archive.Add(raw.Response{Endpoint: r.Endpoint, Path: r.Path, Query: r.Query, Attempt: 1, Status: http.StatusOK, FetchedAt: at}, w.Body.Bytes())
	return provider.Payload{Number: entry.Number, Endpoint: r.Endpoint, Query: r.Query, FetchedAt: at, Body: w.Body.Bytes()}, err
}

// Concurrency, and what follows, implement provider.Exchange.
func (x *Exchange) Concurrency() int              { return 1 }
func (x *Exchange) Quota() (provider.Quota, bool) { return provider.Quota{}, false }
func (x *Exchange) Bookmaker() string             { return x.Maker }
func (x *Exchange) Now() time.Time                { return x.Clock() }
func (x *Exchange) Progress(int, int)             {}
