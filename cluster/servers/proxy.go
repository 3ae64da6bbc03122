package servers

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A Kind is the kind of a request to an object store.
type Kind string

// The kinds of requests, as an invoice of S3 distinguishes them.
const (
	Get    Kind = "get"
	Head   Kind = "head"
	List   Kind = "list"
	Put    Kind = "put"
	Create Kind = "create" // a put on condition of a free name
	Part   Kind = "part"   // the steps of a multipart upload
	Delete Kind = "delete"
	Other  Kind = "other"
)

// An Operation is one request to a store.
type Operation struct {
	N    int // 1 for the first request to the proxy
	Kind Kind
	Key  string // without the bucket
	Size int64  // of the request's body, -1 if unknown
}

// A Fault is a fault injected into an operation. The zero value is none.
type Fault struct {
	Before, After func()        // called before the store is asked, and when it has answered
	Delay         time.Duration // before the store is asked
	Refuse        *Refusal      // answered in place of the store, which is not asked
	DropRequest   bool          // the connection is closed, and the store is not asked
	DropAnswer    bool          // the connection is closed when the store has done the work
	Truncate      int           // if positive, the connection is closed after so many bytes of the answer's body
}

// A Refusal is an error of a store.
type Refusal struct {
	Status        int
	Code, Message string
}

// Refusals by stores.
var (
	SlowDown = &Refusal{http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate."}
	Conflict = &Refusal{http.StatusConflict, "ConditionalRequestConflict", "A conflicting conditional operation is currently in progress against this resource."}
	Denied   = &Refusal{http.StatusForbidden, "AccessDenied", "Access Denied"}
	BadKey   = &Refusal{http.StatusForbidden, "InvalidAccessKeyId", "The access key does not exist in our records."}
	NoBucket = &Refusal{http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist"}
	Full     = &Refusal{http.StatusInsufficientStorage, "InsufficientStorage", "There is not enough space for the object."}
	Broken   = &Refusal{http.StatusInternalServerError, "InternalError", "We encountered an internal error. Please try again."}
)

// A Proxy is an HTTP proxy in front of a store. It counts operations and injects faults.
type Proxy struct {
	Address string
	target  *url.URL
	forward *httputil.ReverseProxy
	server  *http.Server

	mu     sync.Mutex
	n      int
	counts map[Kind]Count
	rule   func(Operation) Fault
}

// A Count has the number of operations of a kind, including those refused by the proxy, and the
// bytes of their bodies in both directions.
type Count struct {
	Operations     int
	Sent, Received int64 // by the client
}

// StartProxy starts a proxy in front of the store at an address.
func StartProxy(address string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		Address: l.Addr().String(),
		target:  &url.URL{Scheme: "http", Host: address},
		counts:  map[Kind]Count{},
		rule:    func(Operation) Fault { return Fault{} },
	}
	p.forward = &httputil.ReverseProxy{
		// Clients sign the header Host, so it stays as it is.
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(p.target); r.Out.Host = r.In.Host },
		Transport:      &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 100},
		ModifyResponse: p.answer,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:       log.New(io.Discard, "", 0), // a truncated answer is meant to be one
		FlushInterval:  -1,
	}
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve)}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

// Stop closes the proxy and all its connections.
func (p *Proxy) Stop() { _ = p.server.Close() }

// URL returns the value of the setting store for a prefix of the bucket, through the proxy.
func (p *Proxy) URL(prefix string) string { return StoreURL(p.Address, prefix) }

// Inject makes the proxy call rule before every operation, possibly for several requests at a
// time.
func (p *Proxy) Inject(rule func(Operation) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule = rule
}

// Heal ends all faults.
func (p *Proxy) Heal() { p.Inject(func(Operation) Fault { return Fault{} }) }

// Counts returns the operations of each kind since the start or the last Reset.
func (p *Proxy) Counts() map[Kind]Count {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

func (p *Proxy) count(kind Kind, more Count) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.counts[kind]
	c.Operations, c.Sent, c.Received = c.Operations+more.Operations, c.Sent+more.Sent, c.Received+more.Received
	p.counts[kind] = c
}

// Reset sets all counts to zero. The next operation has the number 1.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n = 0
	clear(p.counts)
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	op := Operation{Size: r.ContentLength}
	op.Kind, op.Key = classify(r)
	p.count(op.Kind, Count{Operations: 1, Sent: max(op.Size, 0)})
	p.mu.Lock()
	p.n++
	op.N = p.n
	rule := p.rule
	p.mu.Unlock()

	fault := rule(op)
	if fault.Before != nil {
		fault.Before()
	}
	if fault.Delay > 0 {
		select {
		case <-time.After(fault.Delay):
		case <-r.Context().Done():
			return
		}
	}
	switch {
	case fault.DropRequest:
		panic(http.ErrAbortHandler)
	case fault.Refuse != nil:
		refuse(w, r, fault.Refuse)
	default:
		p.forward.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), underWayKey{}, underWay{op.Kind, fault})))
	}
}

// classify returns the kind of a request and its key.
func classify(r *http.Request) (Kind, string) {
	_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	query := r.URL.Query()
	switch {
	case query.Has("uploadId") || query.Has("uploads"):
		return Part, key
	case r.Method == http.MethodPost && query.Has("delete") || r.Method == http.MethodDelete:
		return Delete, key
	case r.Method == http.MethodGet && key == "":
		return List, query.Get("prefix")
	case r.Method == http.MethodGet:
		return Get, key
	case r.Method == http.MethodHead:
		return Head, key
	case r.Method == http.MethodPut && r.Header.Get("If-None-Match") != "":
		return Create, key
	case r.Method == http.MethodPut:
		return Put, key
	}
	return Other, key
}

// refuse answers as a store refuses a request.
func refuse(w http.ResponseWriter, r *http.Request, why *Refusal) {
	_, _ = io.Copy(io.Discard, r.Body) // so that the client reads the answer
	body, err := xml.Marshal(struct {
		XMLName       xml.Name `xml:"Error"`
		Code, Message string
	}{Code: why.Code, Message: why.Message})
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(why.Status)
	_, _ = w.Write(body)
}

type underWayKey struct{}

// underWay is an operation whose answer is awaited.
type underWay struct {
	kind  Kind
	fault Fault
}

// answer injects the faults of an answer, and counts its bytes.
func (p *Proxy) answer(answer *http.Response) error {
	op, _ := answer.Request.Context().Value(underWayKey{}).(underWay)
	if op.fault.After != nil {
		op.fault.After()
	}
	if op.fault.DropAnswer {
		return http.ErrAbortHandler // ErrorHandler closes the connection
	}
	if op.fault.Truncate > 0 {
		answer.Body = &truncated{answer.Body, op.fault.Truncate}
	}
	answer.Body = &counted{answer.Body, func(n int) { p.count(op.kind, Count{Received: int64(n)}) }}
	return nil
}

// counted counts the bytes read.
type counted struct {
	io.ReadCloser
	count func(int)
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.count(n)
	return n, err
}

// truncated ends with an error: the connection is closed before the announced length of the
// answer.
type truncated struct {
	io.ReadCloser
	left int
}

func (t *truncated) Read(p []byte) (int, error) {
	if t.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := t.ReadCloser.Read(p[:min(len(p), t.left)])
	t.left -= n
	return n, err
}
