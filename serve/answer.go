package serve

import (
	"bufio"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"mkt/serve/internal/api"
	"mkt/serve/internal/listen"
)

// answer is a response while it is written, with the facts for the log.
type answer struct {
	http.ResponseWriter
	id      string
	began   time.Time     // as the service reports it: it stands still while the past is served
	took    time.Duration // set at the end
	method  string        // of a closed set
	route   string        // the route's pattern; "" if there is none
	tenant  string
	code    api.Code
	cause   error // of an internal error
	shed    shedding
	status  int // 0 until something is written
	bytes   int64
	aborted bool
	body    body
	call    call
	headers int // of the values that are used
	values  [6]string
}

// setHeader sets a header field, whose name must be in the form that net/http uses. It allocates
// nothing, unlike http.Header.Set.
func (a *answer) setHeader(h http.Header, name, value string) {
	if a.headers == len(a.values) {
		h[name] = []string{value}
		return
	}
	at := a.headers
	a.values[at] = value
	h[name] = a.values[at : at+1 : at+1]
	a.headers++
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(p)
	a.bytes += int64(n)
	return n, err
}

// Unwrap returns the writer below, for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Hijack implements http.Hijacker. The answer of a websocket, and a refusal by the
// protocol, bypass this answer.
func (a *answer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(a.ResponseWriter).Hijack()
	if err == nil {
		a.status = http.StatusSwitchingProtocols
	}
	return conn, rw, err
}

func (a *answer) shareWith(origin string) {
	if origin == "" {
		return
	}
	h := a.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy")
}

func (a *answer) refuse(e *api.Error) {
	a.code = e.Code
	if e.Code == api.InternalError {
		a.cause = e.Cause
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
	body := api.AppendError(nil, e, a.id)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	a.WriteHeader(e.Code.Status())
	if a.method != http.MethodHead {
		a.Write(body) // an error means that the client has gone
	}
}

// Values of header fields that are the same in every answer. They are shared, and must be replaced
// and not modified.
var (
	privateNoCache  = []string{"private, no-cache"}
	applicationJSON = []string{"application/json"}
	gzipEncoding    = []string{"gzip"}
	varyOrigin      = []string{"Origin, Accept-Encoding"}
	noSniff         = []string{"nosniff"}
)

var tails = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// unchanged sets the answer's validator. If the client already has the page, it answers
// that and returns true.
func (a *answer) unchanged(r *http.Request, tag string) bool {
	h := a.Header()
	h["Cache-Control"] = privateNoCache
	a.setHeader(h, "Etag", tag)
	if !matches(r.Header["If-None-Match"], tag) {
		return false
	}
	a.WriteHeader(http.StatusNotModified)
	return true
}

func (a *answer) page(r *http.Request, p *api.Page, stale bool) {
	h := a.Header()
	h["Cache-Control"] = privateNoCache
	h["Content-Type"] = applicationJSON
	buf := tails.Get().(*[]byte)
	defer func() { tails.Put(buf) }()
	tail := p.AppendTail((*buf)[:0], a.began, stale)
	head := p.Head()
	if acceptsGzip(r.Header["Accept-Encoding"]) {
		h["Content-Encoding"] = gzipEncoding
		head = p.GzipHead()
		from := len(tail)
		tail = p.AppendGzipTail(tail, tail)
		*buf = tail
		tail = tail[from:]
	} else {
		*buf = tail
	}
	a.writeAll(r, head, tail)
}

// smallBody is a size of bodies that net/http sends with the header in one write.
const smallBody = 2 << 10

// writeAll writes the body of an answer with status 200. An error means that the client has gone.
func (a *answer) writeAll(r *http.Request, head, tail []byte) {
	size := len(head) + len(tail)
	a.setHeader(a.Header(), "Content-Length", strconv.Itoa(size))
	write := func() {
		if _, err := a.Write(head); err == nil {
			a.Write(tail)
		}
	}
	if size <= smallBody {
		write()
		return
	}
	listen.FromContext(r.Context()).Gather(head, func() {
		write()
		http.NewResponseController(a).Flush()
	})
}
