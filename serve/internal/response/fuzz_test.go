package response

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func FuzzHeaders(f *testing.F) {
	f.Add("gzip;q=0.5, *", `W/"x", "y"`, "abc")
	f.Add("*;q=0,gzip", "*", "\x00")
	f.Fuzz(func(t *testing.T, encoding, tags, id string) {
		if acceptsGzip([]string{encoding}) && !strings.ContainsAny(encoding, "gG*") {
			t.Errorf("%q accepts gzip", encoding)
		}
		if matches([]string{tags}, `W/"secret"`) && !strings.Contains(tags, "secret") && !strings.Contains(tags, "*") {
			t.Errorf("%q matches", tags)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.Header = http.Header{"X-Request-Id": {id}}
		if got := RequestID(r); !isRequestID(got) {
			t.Errorf("%q is no id", got)
		}
	})
}
