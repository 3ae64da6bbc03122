package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"mkt/internal/testing/check"
)

// get requests a URL with an account's token, "" for none.
func get(ctx context.Context, client *http.Client, url, token string) (status int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// mustGet is get for a server that must answer.
func mustGet(t testing.TB, url, token string) (status int, body string) {
	t.Helper()
	status, body, err := get(t.Context(), http.DefaultClient, url, token)
	check.Must(t, err)
	return status, body
}

// mustDecode is mustGet for an answer with a document.
func mustDecode(t testing.TB, url, token string, into any) (status int) {
	t.Helper()
	status, body := mustGet(t, url, token)
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatalf("%s: status %d, %v: %s", url, status, err, body)
	}
	return status
}

// altered is a provider whose answers a function may change.
func altered(provider http.Handler, change func(r *http.Request, body []byte) []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		provider.ServeHTTP(answer, r)
		body := change(r, answer.Body.Bytes())
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		w.Write(body)
	})
}
