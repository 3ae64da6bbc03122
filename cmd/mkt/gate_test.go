package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mkt/internal/testing/check"
)

// gate is a proxy in front of a provider, over HTTPS, on which every phase of a request can fail.
// Each account has its own path, /account-07, so that its requests can be told apart.
type gate struct {
	*testing.T
	address string
	trusted string // certificate file of the signing authority
	sign    signer

	mu        sync.Mutex
	listener  net.Listener
	served    handed
	connFault func(*gate, *net.TCPConn)                                  // the fault of a connection; nil lets it through
	answers   func(w http.ResponseWriter, r *http.Request, of turn) bool // answers instead of the provider; false lets the request through
	tls       *tls.Config
	asked     map[string][]time.Time // times of the requests, by account
}

// turn is the n-th request of an account since the last forget, from 1.
type turn struct {
	account string
	n       int
}

func newGate(t *testing.T, provider http.Handler) *gate {
	t.Helper()
	g := &gate{T: t, served: newHanded(), asked: map[string][]time.Time{}, sign: newSigner(t), trusted: filepath.Join(t.TempDir(), "trusted.pem")}
	check.Must(t, os.WriteFile(g.trusted, g.sign.pem(), 0o600))
	g.repair()
	g.open("127.0.0.1:0")
	g.address = g.listener.Addr().String()
	server := &http.Server{ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), Handler: g.relay(provider),
		TLSConfig: &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return g.secrets(), nil }}}
	go server.ServeTLS(g.served, "", "")
	t.Cleanup(func() {
		g.shut()
		server.Close()
	})
	return g
}

// url is the base URL of an account.
func (g *gate) url(account string) string { return "https://" + g.address + "/" + account }

// relay counts a request and has it answered by g.answers or the provider.
func (g *gate) relay(provider http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		g.mu.Lock()
		g.asked[account] = append(g.asked[account], time.Now())
		asked, answers := turn{account, len(g.asked[account])}, g.answers
		g.mu.Unlock()
		if answers != nil && answers(w, r, asked) {
			return
		}
		r.URL.Path = "/" + path
		provider.ServeHTTP(w, r)
	})
}

// open listens, and hands each connection on or to its fault.
func (g *gate) open(address string) {
	g.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		g.Fatal(err)
	}
	g.mu.Lock()
	g.listener = l
	g.mu.Unlock()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			g.mu.Lock()
			connFault := g.connFault
			g.mu.Unlock()
			if connFault == nil {
				g.served.on(conn)
				continue
			}
			go connFault(g, conn.(*net.TCPConn))
		}
	}()
}

// shut stops listening: new connections are refused.
func (g *gate) shut() { g.listener.Close() }

// repair removes all faults and installs a good certificate.
func (g *gate) repair() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.connFault, g.answers = nil, nil
	g.tls = &tls.Config{Certificates: []tls.Certificate{g.sign.certificate(g.T, func(*x509.Certificate) {})}}
}

// setFaults sets the faults of connections, requests and handshakes from now on.
func (g *gate) setFaults(connFault func(*gate, *net.TCPConn), answers func(http.ResponseWriter, *http.Request, turn) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.connFault, g.answers = connFault, answers
}

func (g *gate) secrets() *tls.Config {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tls
}

// forget resets the counts.
func (g *gate) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = map[string][]time.Time{}
}

func (g *gate) times(account string) []time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked[account]
}

// request completes the handshake and reads a request; nil if there is none.
func (g *gate) request(conn *net.TCPConn) *tls.Conn {
	secure := tls.Server(conn, g.secrets())
	if _, err := secure.Read(make([]byte, 4096)); err != nil {
		conn.Close()
		return nil
	}
	return secure
}

// Faults of a connection, by phase.
func resetHandshake(_ *gate, conn *net.TCPConn) {
	conn.Read(make([]byte, 1))
	breakOff(conn)
}

func refuseHandshake(_ *gate, conn *net.TCPConn) {
	conn.Read(make([]byte, 4096))
	conn.Write([]byte{21, 3, 3, 0, 2, 2, 40}) // alert, fatal, handshake failure
	conn.Close()
}

func holdHandshake(_ *gate, conn *net.TCPConn) { hold(conn, conn) }

func resetHeader(g *gate, conn *net.TCPConn) {
	g.saysThen(conn, "HTTP/1.1 200 OK\r\nContent-Ty", breakOff)
}
func holdHeader(g *gate, conn *net.TCPConn) { g.saysThen(conn, "", nil) }
func resetBody(g *gate, conn *net.TCPConn)  { g.saysThen(conn, halfAnswer, breakOff) }
func holdBody(g *gate, conn *net.TCPConn)   { g.saysThen(conn, halfAnswer, nil) }

const halfAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"success\":1,\"results\":["

// saysThen answers a request with the beginning of an answer and then calls then; if that is nil,
// it keeps the connection and sends nothing more.
func (g *gate) saysThen(conn *net.TCPConn, text string, then func(*net.TCPConn)) {
	secure := g.request(conn)
	if secure == nil {
		return
	}
	io.WriteString(secure, text)
	if then == nil {
		hold(conn, secure)
		return
	}
	time.Sleep(20 * time.Millisecond) // time for the client to read the text first
	then(conn)
}

// hold keeps a connection until the other side closes it.
func hold(conn *net.TCPConn, from io.Reader) {
	io.Copy(io.Discard, from)
	conn.Close()
}

// breakOff ends a connection with a reset.
func breakOff(conn *net.TCPConn) {
	conn.SetLinger(0)
	conn.Close()
}

// fill replaces the listener with one whose queue is full: new connections wait. The result ends
// that.
func (g *gate) fill() (free func()) {
	g.Helper()
	g.shut()
	to, err := net.ResolveTCPAddr("tcp4", g.address)
	if err != nil {
		g.Fatal(err)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		g.Fatal(err)
	}
	at := &syscall.SockaddrInet4{Port: to.Port, Addr: [4]byte{127, 0, 0, 1}}
	for _, err := range []error{syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1), syscall.Bind(fd, at), syscall.Listen(fd, 0)} {
		if err != nil {
			g.Fatal(err)
		}
	}
	var waiting []net.Conn
	for {
		conn, err := net.DialTimeout("tcp", g.address, 300*time.Millisecond)
		if err != nil {
			break
		}
		if waiting = append(waiting, conn); len(waiting) > 100 {
			g.Fatal("there is always room for one more connection")
		}
	}
	return func() {
		for _, conn := range waiting {
			conn.Close()
		}
		syscall.Close(fd)
	}
}

// handed is a listener of connections that were accepted elsewhere.
type handed struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newHanded() handed {
	h := handed{conns: make(chan net.Conn), closed: make(chan struct{})}
	h.close = sync.OnceFunc(func() { close(h.closed) })
	return h
}

func (h handed) on(conn net.Conn) {
	select {
	case h.conns <- conn:
	case <-h.closed:
		conn.Close()
	}
}

func (h handed) Accept() (net.Conn, error) {
	select {
	case conn := <-h.conns:
		return conn, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

func (h handed) Close() error { h.close(); return nil }

func (h handed) Addr() net.Addr { return &net.TCPAddr{} }

// signer is a certificate authority.
type signer struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newSigner(t *testing.T) signer {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check.Must(t, err)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	check.Must(t, err)
	cert, err := x509.ParseCertificate(der)
	check.Must(t, err)
	return signer{key, cert}
}

func (s signer) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.cert.Raw})
}

// certificate returns one for loopback, after change.
func (s signer) certificate(t *testing.T, change func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	change(template)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check.Must(t, err)
	der, err := x509.CreateCertificate(rand.Reader, template, s.cert, &key.PublicKey, s.key)
	check.Must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
