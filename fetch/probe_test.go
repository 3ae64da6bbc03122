package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/publish/health"
)

// A probe sends one request, and another to confirm a finding against the connection, and
// leaves nothing.
func TestProbe(t *testing.T) {
	for _, c := range []struct {
		name     string
		status   int
		body     string
		code     health.Code
		err      error
		requests int
	}{
		{"fine", 200, `{"ids":["1","2"]}`, "", nil, 1},
		{"bad token", 200, `{"error":"token"}`, "CREDENTIAL_REJECTED", fetch.ErrCredential, 2},
		{"not bought", 200, `{"error":"buy"}`, "PERMISSION_DENIED", fetch.ErrPermission, 2},
		{"not what was asked for", 200, `<html>`, "PAYLOAD_REJECTED", fetch.ErrPayload, 2},
		{"fault", 500, `{"error":"fault"}`, "PROVIDER_UNREACHABLE", provider.ErrUnreachable, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			defer server.Close()
			b := newBench(t, server.URL, tiny())
			b.options.Limits.Tries = 2
			b.options.Root = nil
			p, err := fetch.Probe(t.Context(), b.options)
			b.texts = append(b.texts, fmt.Sprintf("%+v %v %#v", p, err, err))
			if !errors.Is(err, c.err) || p.Code != c.code || !slices.Equal(p.Endpoints, []string{"list"}) || p.Requests != c.requests || asked != c.requests {
				t.Errorf("%+v, asked %d times: %v", p, asked, err)
			}
			if left, _ := os.ReadDir(b.dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestProbeOfUnreachableProvider(t *testing.T) {
	b := newBench(t, "http://127.0.0.1:1", tiny())
	b.options.Limits.Tries = 1
	if p, err := fetch.Probe(t.Context(), b.options); !errors.Is(err, provider.ErrUnreachable) || p.Code != "PROVIDER_UNREACHABLE" {
		t.Errorf("nobody there: %+v, %v", p, err)
	}
	b.options.Open = func(string, string, string) (credential.Secret, error) {
		return credential.Secret{}, credential.ErrMoved
	}
	if p, err := fetch.Probe(t.Context(), b.options); !errors.Is(err, credential.ErrMoved) || p.Requests != 0 {
		t.Errorf("another's credential: %+v, %v", p, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fetch.Probe(ctx, newBench(t, "http://127.0.0.1:1", tiny()).options); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// With a real adapter: the first page of the listing.
func TestProbeBetsapi(t *testing.T) {
	url, sim := simulated(t, 200)
	b := newBench(t, url, betsapi.Provider())
	p, err := fetch.Probe(t.Context(), b.options)
	must(t, err)
	if times(sim) != 1 || p.Requests != 1 {
		t.Errorf("%+v, the simulator was asked %d times", p, times(sim))
	}
}
