package upstream

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"mkt/fetch/provider"
)

// counted listens on loopback and counts who connects.
func counted(t *testing.T) (address string, connections *atomic.Int64) {
	t.Helper()
	return tcp(t, func(conn *net.TCPConn) { conn.Close() })
}

// names is a real DNS server that answers every question with the addresses.
func names(t *testing.T, addresses ...string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		for buf := make([]byte, 1500); ; {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := resolve(buf[:n], addresses); answer != nil {
				server.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func resolve(query []byte, addresses []string) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	for _, text := range addresses {
		a := netip.MustParseAddr(text)
		header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: a.As4()}})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// A public name that leads to an address of ours is never connected to, with
// whichever form of the address. Nor is one that an account names, if its provider leaves that to it.
func TestNamesThatLeadInside(t *testing.T) {
	testNamesThatLeadInside(t, "https://tiny.example", false)
	testNamesThatLeadInside(t, "https://feeds.example/base", true)
	testNamesThatLeadInside(t, "https://feeds.example:8443", true)
}

func testNamesThatLeadInside(t *testing.T, base string, anyHost bool) {
	for _, addresses := range [][]string{
		{"127.0.0.1"}, {"::ffff:127.0.0.1"}, {"::1"}, {"169.254.169.254"}, {"10.0.0.1", "127.0.0.1"}, {"64:ff9b::7f00:1"}, {"2002:7f00:1::"}, {"0.0.0.0"},
	} {
		t.Run(base+" "+strings.Join(addresses, ","), func(t *testing.T) {
			address, connections := counted(t)
			_, port, _ := net.SplitHostPort(address)
			b := newBench(t, base, func(o *Options) {
				o.AllowPrivateAddress, o.Resolver, o.Provider.AnyHost = false, names(t, addresses...), anyHost
				// The real transport, but for the port: that of the trap.
				o.Transport = func(tr *http.Transport) {
					dial := tr.DialContext
					tr.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
						return dial(ctx, network, net.JoinHostPort("tiny.example", port))
					}
				}
			})
			_, err := b.ask(t.Context())
			if !errors.Is(err, ErrForbidden) || !errors.Is(err, provider.ErrUnreachable) {
				t.Errorf("%v", err)
			}
			if connections.Load() != 0 || b.Requests() != 0 {
				t.Errorf("%d connections, %d requests", connections.Load(), b.Requests())
			}
		})
	}
}

func TestNameThatDoesNotResolve(t *testing.T) {
	b := newBench(t, "https://tiny.example", func(o *Options) { o.Resolver = names(t) })
	if _, err := b.ask(t.Context()); !errors.Is(err, provider.ErrUnreachable) || !strings.Contains(err.Error(), "does not resolve") {
		t.Errorf("%v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	trap, connections := counted(t)
	for _, to := range []string{"http://" + trap + "/latest/meta-data", "http://169.254.169.254/latest/meta-data", "//" + trap, "https://other.example/", "/v2/list"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			url, asked := script(t, say(status, "{}", "Location", to), fine)
			b := newBench(t, url, nil)
			_, err := b.ask(t.Context())
			var refusal *provider.AnswerError
			if !errors.As(err, &refusal) || refusal.Verdict.Code != codeRedirect || asked.Load() != 1 || connections.Load() != 0 {
				t.Errorf("%d to %s: %v, asked %d, trapped %d", status, to, err, asked.Load(), connections.Load())
			}
		}
	}
}

func TestNoProxyOfTheEnvironment(t *testing.T) {
	trap, connections := counted(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, "http://"+trap)
	}
	// Loopback is never proxied: a name of one's own could be.
	s := serve(t, fine)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	b := newBench(t, "http://mine.example:"+port, func(o *Options) { o.Resolver = names(t, "127.0.0.1") })
	if _, err := b.ask(t.Context()); err != nil || connections.Load() != 0 {
		t.Errorf("%v, proxied %d times", err, connections.Load())
	}
}

// certificate makes a server certificate that the pool trusts, unless changed.
func certificate(t *testing.T, change func(*x509.Certificate)) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	caKey, caCert := sign(t, &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}, nil, nil)
	template := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	change(template)
	key, leaf := sign(t, template, caCert, caKey)
	pool := x509.NewCertPool()
	pool.AddCert(caCert)
	return tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key}, pool
}

func sign(t *testing.T, template, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if parent == nil {
		parent, parentKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return key, cert
}

func TestCertificatesAndVersions(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*x509.Certificate)
		trust  bool
		oldest uint16 // TLS versions of the server, 0 = all
		newest uint16
		want   *failure // nil = accepted
	}{
		{"good", func(*x509.Certificate) {}, true, 0, 0, nil},
		{"TLS 1.2", func(*x509.Certificate) {}, true, 0, tls.VersionTLS12, nil},
		{"expired", func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }, true, 0, 0, badCert},
		{"not yet valid", func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) }, true, 0, 0, badCert},
		{"of another host", func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = []string{"other.example"}, nil }, true, 0, 0, badCert},
		{"self-signed", func(*x509.Certificate) {}, false, 0, 0, badCert},
		{"TLS 1.1", func(*x509.Certificate) {}, true, tls.VersionTLS10, tls.VersionTLS11, badTLS},
		{"TLS 1.0", func(*x509.Certificate) {}, true, tls.VersionTLS10, tls.VersionTLS10, badTLS},
	} {
		t.Run(c.name, func(t *testing.T) {
			cert, pool := certificate(t, c.change)
			if !c.trust {
				pool = x509.NewCertPool()
			}
			var asked atomic.Int64
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				io.WriteString(w, "{}")
			}))
			s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: c.oldest, MaxVersion: c.newest}
			s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
			s.StartTLS()
			defer s.Close()
			b := newBench(t, s.URL, func(o *Options) { o.Transport = func(tr *http.Transport) { tr.TLSClientConfig.RootCAs = pool } })
			_, err := b.ask(t.Context())
			if c.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, provider.ErrUnreachable) || !strings.Contains(err.Error(), c.want.text) || asked.Load() != 0 || b.Stopped() == nil {
				t.Errorf("%v, asked %d", err, asked.Load())
			}
		})
	}
}

// Nothing that a host answers instead of HTTP gets into an error: clean checks
// each in ask.
func TestWhatIsNotHTTP(t *testing.T) {
	echo := "you asked for http://127.0.0.1/v1/list?token=" + canary
	for name, text := range map[string]string{
		"text":             echo + "\r\n\r\n",
		"status line":      "HTTP/1.1 " + echo + "\r\n\r\n",
		"version":          "HTTP/9.9 200 " + echo + "\r\n\r\n",
		"header":           "HTTP/1.1 200 OK\r\n" + echo + "\r\n\r\n",
		"length":           "HTTP/1.1 200 OK\r\nContent-Length: " + echo + "\r\n\r\n{}",
		"two lengths":      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
		"encoding":         "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + canary + "\r\n\r\n{}",
		"chunk size":       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + echo + "\r\n",
		"large header":     "HTTP/1.1 200 OK\r\nX-Big: " + strings.Repeat(canary, 10_000) + "\r\n\r\n{}",
		"nothing":          "",
		"other protocol":   "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		"endless continue": strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 100),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, speak(t, text, false), func(o *Options) { o.Limits.Tries = 1 })
			if _, err := b.ask(t.Context()); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestHTTPWhereHTTPSIsSpoken(t *testing.T) {
	b := newBench(t, strings.Replace(serve(t, fine).URL, "http:", "https:", 1), nil)
	if _, err := b.ask(t.Context()); !errors.Is(err, provider.ErrUnreachable) || !strings.Contains(err.Error(), badTLS.text) {
		t.Errorf("%v", err)
	}
}

// A word that the adapter took from the provider's text does not get out.
func TestCodesAreWords(t *testing.T) {
	url, _ := script(t, say(200, "x"))
	b := newBench(t, url, func(o *Options) {
		o.Provider.Classify = func(int, http.Header, []byte) provider.Verdict {
			return provider.Verdict{Kind: provider.Rejected, Code: "see https://x/?token=" + canary}
		}
	})
	_, err := b.ask(t.Context())
	var refusal *provider.AnswerError
	if !errors.As(err, &refusal) || refusal.Verdict.Code != codeOther {
		t.Errorf("%v", err)
	}
}

// An adapter cannot be led to another host.
func TestHostIsFixed(t *testing.T) {
	trap, connections := counted(t)
	url, asked := script(t, fine)
	b := newBench(t, url, func(o *Options) {
		o.Provider.Authorize = func(r *http.Request, _ string) { r.URL.Host = trap }
	})
	if _, err := b.ask(t.Context()); err == nil || connections.Load() != 0 || asked.Load() != 0 {
		t.Errorf("%v, trapped %d", err, connections.Load())
	}
	b = newBench(t, url, nil)
	for _, path := range []string{"", "v1/list", "@" + trap, "//" + trap + "/x", "/../admin", "http://" + trap} {
		if _, err := b.Get(t.Context(), provider.Request{Endpoint: "e", Path: path}, func(Answer) error { return nil }); connections.Load() != 0 {
			t.Errorf("path %q: %v, trapped", path, err)
		}
	}
}
