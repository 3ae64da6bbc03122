// Package response writes the answers of the HTTP API: pages, in the form that the client
// accepts, and refusals, also those of requests that net/http cannot parse. It does not know
// what is asked for, and keeps the facts about an answer for the log and the metrics.
package response

import (
	"bufio"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"mkt/internal/listen"
	"mkt/serve/internal/api"
	"mkt/serve/internal/gate"
)

// Shed is why a request was refused with SERVICE_UNAVAILABLE.
type Shed string

// The reasons, as the metrics name them; "" is none.
const (
	ShedDraining Shed = "draining"
	ShedCrowded  Shed = "in_flight"         // too many requests at once, over all accounts
	ShedAccount  Shed = "account_in_flight" // too many requests at once of this account
	ShedQueue    Shed = "line"              // too many uncached pages wait, or this one waited too long
	ShedLate     Shed = "late"              // the time for one answer was over
)

// Writer is a response while it is written, with the facts for log and metrics.
type Writer struct {
	http.ResponseWriter
	ID      string
	Began   time.Time     // as the service reports it: it stands still while the past is served
	Took    time.Duration // set at the end
	Method  string        // of a closed set
	Route   string        // the route's pattern; "" if there is none
	Tenant  string
	Code    api.Code
	Message string // that the client got with the code
	Cause   error  // of an internal error
	Shed    Shed
	Status  int // 0 until something is written
	Bytes   int64
	Aborted bool

	Limit  gate.Remaining // for its header fields; zero if there are none
	tag    string         // of a page; "" if it has none
	headed bool           // the fields of every answer are in the header
}

// appendFields appends the header fields of every answer, as lines.
func (w *Writer) appendFields(b []byte) []byte {
	b = append(append(b, "X-Request-Id: "...), w.ID...)
	b = append(b, "\r\nVary: Origin, Accept-Encoding\r\nX-Content-Type-Options: nosniff\r\n"...)
	return w.Limit.AppendFields(b)
}

// appendPageFields appends the header fields of a page, as lines.
func (w *Writer) appendPageFields(b []byte) []byte {
	b = append(b, "Cache-Control: private, no-cache\r\n"...)
	if w.tag != "" {
		b = append(append(append(b, "Etag: "...), w.tag...), "\r\n"...)
	}
	return b
}

// addLines adds header fields that are written as lines, before those with the same name.
func addLines(h http.Header, lines []byte) {
	for line := range strings.Lines(string(lines)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\r\n"), ": ")
		h[name] = append([]string{value}, h[name]...)
	}
}

// AddFields adds the header fields of every answer once.
func (w *Writer) AddFields() {
	if !w.headed {
		w.headed = true
		addLines(w.Header(), w.appendFields(nil))
	}
}

func (w *Writer) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
		w.AddFields()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *Writer) Write(p []byte) (int, error) {
	if w.Status == 0 {
		w.Status = http.StatusOK
		w.AddFields()
	}
	n, err := w.ResponseWriter.Write(p)
	w.Bytes += int64(n)
	return n, err
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *Writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack implements http.Hijacker. The answer of a websocket, and a refusal by the
// protocol, bypass this writer.
func (w *Writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.Status = http.StatusSwitchingProtocols
	}
	return conn, rw, err
}

func (w *Writer) ShareWith(origin string) {
	if origin == "" {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After, ETag, RateLimit, RateLimit-Policy")
}

func (w *Writer) Refuse(e *api.Error) {
	w.Code, w.Message = e.Code, e.Text()
	if e.Code == api.InternalError {
		w.Cause = e.Cause
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.FormatInt(e.Seconds(), 10))
	}
	if e.Code == api.InvalidAPIToken {
		h.Set("WWW-Authenticate", "Bearer")
	}
	body := api.AppendError(nil, e, w.ID)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(e.Code.Status())
	if w.Method != http.MethodHead {
		w.Write(body) // an error means that the client has gone
	}
}

// Values of header fields that are the same in every answer. They are shared, and must be replaced
// and not modified.
var (
	applicationJSON = []string{"application/json"}
	gzipEncoding    = []string{"gzip"}
)

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// Unchanged sets the answer's validator. If the client already has the page, it answers
// that and returns true.
func (w *Writer) Unchanged(r *http.Request, tag string) bool {
	w.tag = tag
	if !matches(r.Header["If-None-Match"], tag) {
		return false
	}
	addLines(w.Header(), w.appendPageFields(nil))
	w.WriteHeader(http.StatusNotModified)
	return true
}

// Page answers with a page. net/http sorts and copies the fields of a header, so those of every
// Page are not in it, but are inserted into what it writes.
func (w *Writer) Page(r *http.Request, p *api.Page, stale bool) {
	h := w.Header()
	h["Content-Type"] = applicationJSON // else net/http guesses it
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	b := p.AppendTail((*buf)[:0], w.Began, stale)
	head, tail := p.Head(), b
	if acceptsGzip(r.Header["Accept-Encoding"]) {
		h["Content-Encoding"] = gzipEncoding
		head = p.GzipHead()
		b = p.AppendGzipTail(b, tail)
		tail = b[len(tail):]
	}
	h["Content-Length"] = []string{strconv.Itoa(len(head) + len(tail))}
	from := len(b)
	b = w.appendPageFields(w.appendFields(b))
	*buf = b
	w.writeAll(r, b[from:], head, tail)
}

// writeAll writes the header fields in lines, and the body of an answer with status 200. An error
// means that the client has gone.
func (w *Writer) writeAll(r *http.Request, lines, head, tail []byte) {
	w.Status, w.headed = http.StatusOK, true
	write := func() {
		if _, err := w.Write(head); err == nil {
			w.Write(tail)
		}
	}
	conn := listen.FromContext(r.Context())
	if conn == nil {
		addLines(w.Header(), lines)
		write()
		return
	}
	conn.Gather(lines, head, func() {
		write()
		http.NewResponseController(w).Flush()
	})
}
