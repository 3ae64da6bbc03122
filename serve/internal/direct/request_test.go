package direct

import (
	"bufio"
	"bytes"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// requests are requests, and what the package must make of them: plain ones it answers, whole
// ones net/http answers, and after all others it leaves the connection to net/http.
var requests = []struct{ kind, text string }{
	{"plain", "GET /api/v1/fixtures HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"plain", "GET /api/v1/fixtures?limit=20&league=a%20b+c&x='\" HTTP/1.1\r\nHost: a.example:80\r\nAuthorization: Bearer t\r\naccept-encoding:gzip\t\r\nX_odd-1: a: b\r\n\r\n"},
	{"plain", "GET / HTTP/1.1\r\nhost: [::1]:80\r\nConnection: Keep-Alive\r\nEmpty:\r\n\r\n"},
	{"plain", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"},
	{"whole", "GET /%61 HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"whole", "GET /a(b HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"whole", "GET /? HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"whole", "GET /?a#b HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"whole", "GET /#b HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"whole", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"whole", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"},
	{"whole", "GET / HTTP/1.1\r\nHost: x y\r\n\r\n"},
	{"whole", "GET / HTTP/1.1\r\nHost:\r\n\r\n"},
	{"whole", "GET / HTTP/1.1\r\nA: b\r\n\r\n"},
	{"whole", "GET / HTTP/1.1\r\nHost: x\r\nAccept: a\r\naccept: b\r\n\r\n"},
	{"whole", "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, x\r\n\r\n"},
	{"whole", "GET / HTTP/1.1\r\nHost: x\r\nPragma: no-cache\r\n\r\n"},
	{"unknown", ""},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\n\r\n\r\n"},
	{"unknown", "\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\n\r\n\r\n"},
	{"whole", "GET / HTTP/1.1\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\nHost: x\n\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\n\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\n A: b\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\nA\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\nA: \xc3\xa4\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\ncontent-length: 4\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"},
	{"unknown", "GET / HTTP/1.0\r\nHost: x\r\n\r\n"},
	{"unknown", "GET /\r\nHost: x\r\n\r\n"},
	{"unknown", "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"unknown", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"unknown", "POST / HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"unknown", "get / HTTP/1.1\r\nHost: x\r\n\r\n"},
	{"unknown", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
	{"unknown", "GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: b\r\n", maxFields+1) + "\r\n"},
}

func kindOf(b []byte) string {
	q := request{header: http.Header{}}
	switch whole, plain := q.read(b); {
	case plain && whole:
		return "plain"
	case whole:
		return "whole"
	case plain:
		return "plain, and not whole"
	}
	return "unknown"
}

func TestRead(t *testing.T) {
	for _, r := range requests {
		if got := kindOf([]byte(r.text)); got != r.kind {
			t.Errorf("%q is %s, not %s", r.text, got, r.kind)
		}
	}
}

// What is read as a whole request, net/http reads as exactly that, without anything behind it; what
// is plain, it reads as the same request.
func FuzzRead(f *testing.F) {
	for _, r := range requests {
		f.Add([]byte(r.text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		q := request{header: http.Header{}}
		whole, plain := q.read(bytes.Clone(b))
		if !whole {
			return
		}
		in := bufio.NewReader(bytes.NewReader(b))
		want, err := http.ReadRequest(in)
		if err != nil {
			if plain {
				t.Fatalf("net/http refuses it: %v", err)
			}
			return
		}
		if rest := in.Buffered(); rest != 0 || want.ContentLength != 0 || want.Body != http.NoBody {
			t.Fatalf("net/http leaves %d bytes, of a body of %d", rest, want.ContentLength)
		}
		if !plain {
			return
		}
		if got := &q.http; !reflect.DeepEqual(got.Header, want.Header) || !reflect.DeepEqual(got.URL, want.URL) || got.Method != want.Method ||
			got.Host != want.Host || got.RequestURI != want.RequestURI || got.Close != want.Close || got.Proto != want.Proto ||
			got.ProtoMajor != want.ProtoMajor || got.ProtoMinor != want.ProtoMinor || got.Body != want.Body {
			t.Fatalf("read as\n%+v, not as\n%+v", got, want)
		}
	})
}
