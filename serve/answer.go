package serve

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

// shedding is why a request was refused with SERVICE_UNAVAILABLE.
type shedding string

const (
	notShed     shedding = ""
	shedDrain   shedding = "draining"
	shedCrowd   shedding = "in_flight"         // too many requests at once, over all accounts
	shedOwn     shedding = "account_in_flight" // too many requests at once of this account
	shedWaiting shedding = "line"              // too many uncached pages wait, or this one waited too long
	shedLate    shedding = "late"              // the time for one answer was over
)

// answer is a response while it is written, with the facts for the log.
type answer struct {
	http.ResponseWriter
	ID      string
	Began   time.Time     // as the service reports it: it stands still while the past is served
	Took    time.Duration // set at the end
	Method  string        // of a closed set
	Route   string        // the route's pattern; "" if there is none
	Tenant  string
	Code    api.Code
	Cause   error // of an internal error
	Shed    shedding
	Status  int // 0 until something is written
	Bytes   int64
	Aborted bool

	Limit  gate.Remaining // for its header fields; zero if there are none
	tag    string         // of a page; "" if it has none
	headed bool           // the fields of every answer are in the header
}

// appendFields appends the header fields of every answer, as lines.
func (a *answer) appendFields(b []byte) []byte {
	b = append(append(b, "X-Request-Id: "...), a.ID...)
	b = append(b, "\r\nVary: Origin, Accept-Encoding\r\nX-Content-Type-Options: nosniff\r\n"...)
	return a.Limit.AppendFields(b)
}

// appendPageFields appends the header fields of a page, as lines.
func (a *answer) appendPageFields(b []byte) []byte {
	b = append(b, "Cache-Control: private, no-cache\r\n"...)
	if a.tag != "" {
		b = append(append(append(b, "Etag: "...), a.tag...), "\r\n"...)
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
func (a *answer) AddFields() {
	if !a.headed {
		a.headed = true
		addLines(a.Header(), a.appendFields(nil))
	}
}

func (a *answer) WriteHeader(status int) {
	if a.Status == 0 {
		a.Status = status
		a.AddFields()
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.Status == 0 {
		a.Status = http.StatusOK
		a.AddFields()
	}
	n, err := a.ResponseWriter.Write(p)
	a.Bytes += int64(n)
	return n, err
}

// Unwrap returns the writer below, for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Hijack implements http.Hijacker. The answer of a websocket, and a refusal by the
// protocol, bypass this answer.
func (a *answer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(a.ResponseWriter).Hijack()
	if err == nil {
		a.Status = http.StatusSwitchingProtocols
	}
	return conn, rw, err
}

func (a *answer) ShareWith(origin string) {
	if origin == "" {
		return
	}
	h := a.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After, ETag, RateLimit, RateLimit-Policy")
}

func (a *answer) Refuse(e *api.Error) {
	a.Code = e.Code
	if e.Code == api.InternalError {
		a.Cause = e.Cause
	}
	h := a.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.FormatInt(e.Seconds(), 10))
	}
	if e.Code == api.InvalidAPIToken {
		h.Set("WWW-Authenticate", "Bearer")
	}
	body := api.AppendError(nil, e, a.ID)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	a.WriteHeader(e.Code.Status())
	if a.Method != http.MethodHead {
		a.Write(body) // an error means that the client has gone
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
func (a *answer) Unchanged(r *http.Request, tag string) bool {
	a.tag = tag
	if !matches(r.Header["If-None-Match"], tag) {
		return false
	}
	addLines(a.Header(), a.appendPageFields(nil))
	a.WriteHeader(http.StatusNotModified)
	return true
}

// Page answers with a page. net/http sorts and copies the fields of a header, so those of every
// Page are not in it, but are inserted into what it writes.
func (a *answer) Page(r *http.Request, p *api.Page, stale bool) {
	h := a.Header()
	h["Content-Type"] = applicationJSON // else net/http guesses it
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	b := p.AppendTail((*buf)[:0], a.Began, stale)
	head, tail := p.Head(), b
	if acceptsGzip(r.Header["Accept-Encoding"]) {
		h["Content-Encoding"] = gzipEncoding
		head = p.GzipHead()
		b = p.AppendGzipTail(b, tail)
		tail = b[len(tail):]
	}
	h["Content-Length"] = []string{strconv.Itoa(len(head) + len(tail))}
	from := len(b)
	b = a.appendPageFields(a.appendFields(b))
	*buf = b
	a.writeAll(r, b[from:], head, tail)
}

// writeAll writes the header fields in lines, and the body of an answer with status 200. An error
// means that the client has gone.
func (a *answer) writeAll(r *http.Request, lines, head, tail []byte) {
	a.Status, a.headed = http.StatusOK, true
	write := func() {
		if _, err := a.Write(head); err == nil {
			a.Write(tail)
		}
	}
	conn := listen.FromContext(r.Context())
	if conn == nil {
		addLines(a.Header(), lines)
		write()
		return
	}
	conn.Gather(lines, head, func() {
		write()
		http.NewResponseController(a).Flush()
	})
}
