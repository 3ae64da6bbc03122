package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"mkt/cmd/mkt/internal/cli/receipts"
	"mkt/internal/testing/check"
)

// More idle connections of one address than the witness takes keep nobody away: they give way to new ones.
func TestIdleConnectionsOfWitness(t *testing.T) {
	for name, config := range map[string]*tls.Config{"http": nil, "https": {Certificates: certificates(t)}} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			check.Must(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answered") })
			go func() { ended <- receipts.ServeWitness(ctx, l, config, answer, slog.New(slog.DiscardHandler)) }()
			ask := func() {
				c, err := net.Dial("tcp", l.Addr().String())
				check.Must(t, err)
				t.Cleanup(func() { c.Close() })
				if config != nil {
					c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
				}
				_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: witness\r\n\r\n")
				check.Must(t, err)
				a, err := http.ReadResponse(bufio.NewReader(c), nil)
				check.Must(t, err)
				body, err := io.ReadAll(a.Body)
				if err != nil || string(body) != "answered" {
					t.Fatalf("%q, %v", body, err)
				}
			}
			for range receipts.WitnessConnections + 10 {
				ask() // and the connection stays open
			}
			cancel()
			check.Must(t, <-ended)
		})
	}
}

func certificates(t *testing.T) []tls.Certificate {
	s := httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	return s.TLS.Certificates
}
