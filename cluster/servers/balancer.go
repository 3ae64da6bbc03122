package servers

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A Balancer is a simple reverse proxy in front of replicas of mkt serve. Requests go to the
// replicas in turn. A session of long polling stays at its first replica. A request not taken by
// a replica goes to the next one.
type Balancer struct {
	Address string
	server  *http.Server
	forward *httputil.ReverseProxy

	mu       sync.Mutex
	replicas []string // host and port
	next     int
	sessions map[string]string // by the id of a session of the socket
}

// maxSessions bounds the remembered sessions.
const maxSessions = 10_000

// StartBalancer starts a balancer without replicas at an address; port 0 takes a free one.
func StartBalancer(address string) (*Balancer, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	b := &Balancer{Address: l.Addr().String(), sessions: map[string]string{}}
	b.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.Host = "http", r.In.Host
			r.SetXForwarded()
		},
		Transport:      b,
		ModifyResponse: b.remember,
		FlushInterval:  -1,
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	b.server = &http.Server{Handler: b.forward}
	go func() { _ = b.server.Serve(l) }()
	return b, nil
}

// Set replaces the replicas by those at the given base URLs.
func (b *Balancer) Set(baseURLs ...string) error {
	var replicas []string
	for _, base := range baseURLs {
		u, err := url.Parse(base)
		if err != nil {
			return err
		}
		replicas = append(replicas, u.Host)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas = replicas
	return nil
}

// URL returns the base URL of the balancer.
func (b *Balancer) URL() string { return "http://" + b.Address }

// Stop closes the balancer and all its connections.
func (b *Balancer) Stop() { _ = b.server.Close() }

// RoundTrip sends a request to a replica. It implements http.RoundTripper.
func (b *Balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	var failed error
	for _, replica := range b.order(r.URL.Query().Get("sid")) {
		r.URL.Host = replica
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			return answer, nil
		}
		failed = err
		if r.Body != nil && r.Body != http.NoBody || r.Context().Err() != nil {
			break // it cannot be sent again, or nobody waits for it
		}
	}
	if failed == nil {
		failed = http.ErrServerClosed // there is no replica
	}
	return nil, failed
}

// order returns the replicas in the order in which they are tried: only one for a session.
func (b *Balancer) order(session string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if replica, ok := b.sessions[session]; ok {
		return []string{replica}
	}
	if len(b.replicas) == 0 {
		return nil
	}
	b.next = (b.next + 1) % len(b.replicas)
	return slices.Concat(b.replicas[b.next:], b.replicas[:b.next])
}

// remember learns the id of a new session of long polling: 0{"sid":"…",…}.
func (b *Balancer) remember(answer *http.Response) error {
	query := answer.Request.URL.Query()
	if query.Get("transport") != "polling" || query.Get("sid") != "" || answer.StatusCode != http.StatusOK {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return err
	}
	rest := answer.Body
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), rest), rest}
	var opened struct{ SID string }
	text, ok := strings.CutPrefix(string(body), "0")
	if !ok || json.Unmarshal([]byte(text), &opened) != nil || opened.SID == "" {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.sessions) >= maxSessions {
		clear(b.sessions)
	}
	b.sessions[opened.SID] = answer.Request.URL.Host
	return nil
}
