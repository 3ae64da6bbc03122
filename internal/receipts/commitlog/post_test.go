package commitlog_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mkt/internal/receipts/commitlog"
)

// The error of a witness that is not reached says why, and has no address.
func TestPost(t *testing.T) {
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://elsewhere.example.org/", http.StatusTemporaryRedirect)
	})
	plain, secret, gone := httptest.NewServer(answers), httptest.NewTLSServer(answers), httptest.NewServer(answers)
	defer plain.Close()
	defer secret.Close()
	gone.Close()
	if status, _, err := commitlog.Post(t.Context(), plain.URL, nil); err != nil || status != http.StatusTemporaryRedirect {
		t.Errorf("a redirect was followed: status %d, %v", status, err)
	}
	for url, want := range map[string]string{
		secret.URL: "its certificate is not trusted here",
		gone.URL:   "it cannot be reached",
		"::":       "it cannot be reached",
	} {
		_, _, err := commitlog.Post(t.Context(), url, nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
}
