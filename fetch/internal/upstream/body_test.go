package upstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"mkt/fetch/provider"
	"mkt/internal/testing/check"
)

func packed(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(data)
	w.Close()
	return out.Bytes()
}

func TestPackedAnswers(t *testing.T) {
	body := []byte(`{"results":[` + strings.Repeat(`"odds",`, 5000) + `0]}`)
	zipped := packed(body)
	for _, c := range []struct {
		name, encoding string
		sent           []byte
		code           string // "" = accepted
	}{
		{"plain", "", body, ""},
		{"identity", "identity", body, ""},
		{"gzip", "gzip", zipped, ""},
		{"GZIP", "GZIP", zipped, ""},
		{"empty", "", nil, "NOT_JSON"},
		{"empty gzip", "gzip", packed(nil), "NOT_JSON"},
		{"nothing where gzip was said", "gzip", nil, "BODY_TRUNCATED"},
		{"two members", "gzip", append(packed([]byte("{")), packed(body)...), ""},
		{"gzip cut", "gzip", zipped[:len(zipped)/2], "BODY_TRUNCATED"},
		{"gzip cut in its last bytes", "gzip", zipped[:len(zipped)-2], "BODY_TRUNCATED"},
		{"gzip damaged", "gzip", append(append([]byte{}, zipped[:60]...), append([]byte("damage"), zipped[66:]...)...), "BODY_ENCODING"},
		{"gzip with more behind", "gzip", append(append([]byte{}, zipped...), "trailing data"...), "BODY_ENCODING"},
		{"not gzip", "gzip", body, "BODY_ENCODING"},
		{"brotli", "br", body, "BODY_ENCODING"},
		{"gzip twice", "gzip, gzip", packed(zipped), "BODY_ENCODING"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if c.encoding != "" {
					w.Header().Set("Content-Encoding", c.encoding)
				}
				w.Header().Set("Content-Length", fmt.Sprint(len(c.sent)))
				w.Write(c.sent)
			})
			b := newBench(t, s.URL, nil)
			a, err := b.ask(t.Context())
			if c.code == "" {
				if err != nil || !bytes.HasSuffix(a.Body, body) {
					t.Errorf("%d bytes, %v", len(a.Body), err)
				}
				return
			}
			if err == nil || b.kept[0].Verdict.Code != c.code {
				t.Errorf("%v, archived as %q, want %q", err, b.kept[0].Verdict.Code, c.code)
			}
		})
	}
}

// An answer that ends before its announced end is never accepted, wherever the
// cut is.
func TestTruncatedAnswers(t *testing.T) {
	body := `{"success":1,"results":[` + strings.Repeat("1,", 6000) + `2]}`
	for cut := 0; cut < len(body); cut += 1024 {
		for name, head := range map[string]string{
			"length": fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:cut]),
			"chunks": fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s", len(body), body[:cut]),
		} {
			b := newBench(t, speak(t, head, false), func(o *Options) { o.Limits.Tries = 2 })
			_, err := b.ask(t.Context())
			if !errors.Is(err, provider.ErrUnreachable) || len(b.kept) != 2 || b.kept[0].Verdict.Code != "BODY_TRUNCATED" || string(b.kept[0].Body) != body[:cut] {
				t.Fatalf("%s cut at %d: %v, kept %d", name, cut, err, len(b.kept))
			}
		}
	}
}

// zeros streams a gzip of so many zeros, a thousandth of them on the wire.
func zeros(w http.ResponseWriter, n int) {
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	for block := make([]byte, 1<<20); n > 0; n -= len(block) {
		if _, err := z.Write(block); err != nil {
			return
		}
	}
	z.Close()
}

func TestTooMuchIsCutOff(t *testing.T) {
	const limit = 16 << 20
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   string
	}{
		"bomb":             {func(w http.ResponseWriter, _ *http.Request) { zeros(w, 1<<30) }, "BODY_BOMB"},
		"announced length": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "999999999999") }, "BODY_TOO_LARGE"},
		"without end": {func(w http.ResponseWriter, _ *http.Request) {
			for block := make([]byte, 1<<16); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, "BODY_TOO_LARGE"},
		"ten times, packed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			block := make([]byte, 64<<10) // longer than the window of gzip
			rand.NewChaCha8([32]byte{}).Read(block)
			for range 10 * limit / len(block) {
				if _, err := z.Write(block); err != nil {
					return
				}
			}
		}, "BODY_TOO_LARGE"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.answer)
			b := newBench(t, s.URL, func(o *Options) {
				o.Provider.Budget.MaxBody, o.Limits.MinRate = limit, 1
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := b.ask(t.Context())
			runtime.ReadMemStats(&after)
			var refusal *provider.AnswerError
			if !errors.As(err, &refusal) || refusal.Verdict.Kind != provider.Rejected || refusal.Verdict.Code != c.code {
				t.Errorf("%v, want %s", err, c.code)
			}
			if len(b.kept) != 1 {
				t.Errorf("asked %d times", len(b.kept))
			}
			if grown := after.HeapSys - before.HeapSys; after.HeapSys > before.HeapSys && grown > limit+64<<20 {
				t.Errorf("took %d MiB", grown>>20)
			}
		})
	}
}

func TestSlowAnswersAreCutOff(t *testing.T) {
	t.Parallel()
	endless := func(part string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, part)
				w.(http.Flusher).Flush()
				time.Sleep(30 * time.Millisecond)
			}
		}
	}
	impatient := func(o *Options) {
		o.Limits.Header, o.Limits.Window = 300*time.Millisecond, 100*time.Millisecond
	}
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		whole  time.Duration // the limit of the body
		asked  int
	}{
		"trickling body":        {endless("{"), time.Minute, 1},
		"fast enough, too long": {endless(strings.Repeat("{", 1<<10)), time.Second, 1},
		"no header":             {hang, time.Minute, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, serve(t, c.answer).URL, func(o *Options) { impatient(o); o.Limits.Body = c.whole })
			began := time.Now()
			_, err := b.ask(t.Context())
			if took := time.Since(began); !errors.Is(err, provider.ErrUnreachable) || took > check.Limit || b.Requests() != c.asked {
				t.Errorf("%v after %v and %d requests", err, took, b.Requests())
			}
		})
	}
	t.Run("trickling header", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, speak(t, "HTTP/1.1 200 OK\r\nX-Slow: ", true), func(o *Options) { impatient(o); o.Limits.Tries = 1 })
		if _, err := b.ask(t.Context()); !errors.Is(err, provider.ErrUnreachable) || !strings.Contains(err.Error(), "no answer in time") {
			t.Errorf("%v", err)
		}
	})
}
