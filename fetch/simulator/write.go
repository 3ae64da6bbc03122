package simulator

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return z
}}

// write sends an answer, compressed if the client accepts it and it is large enough.
func write(w http.ResponseWriter, r *http.Request, a Answer) {
	h := w.Header()
	for k, v := range a.Header {
		h[k] = v
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if len(a.Body) < 1024 || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
		w.WriteHeader(a.Status)
		w.Write(a.Body)
		return
	}
	h.Set("Content-Encoding", "gzip")
	h.Set("Vary", "Accept-Encoding")
	w.WriteHeader(a.Status)
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(w)
	z.Write(a.Body)
	z.Close()
}
