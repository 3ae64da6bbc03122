package transform_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
)

// asker sends requests to a simulator without a network.
type asker struct {
	testing.TB
	sim   http.Handler
	token string
	now   time.Time
}

func (a asker) get(endpoint, path string) provider.Payload {
	w := httptest.NewRecorder()
	a.sim.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path+"&token="+a.token, nil))
	if w.Code != http.StatusOK {
		a.Fatalf("%s: status %d", endpoint, w.Code)
	}
	_, query, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(query)
	must(a, err)
	return provider.Payload{Endpoint: endpoint, Query: values, FetchedAt: a.now, Body: w.Body.Bytes()}
}
