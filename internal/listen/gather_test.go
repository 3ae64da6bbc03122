package listen_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"mkt/internal/listen"
)

// written counts the writes of the connections that it accepts, and fails them on demand.
type written struct {
	net.Listener
	plain bool // hides the connection of the operating system
	n     atomic.Int64
	fail  atomic.Bool
}

type writtenConn struct {
	net.Conn
	l *written
}

func (l *written) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil || l.plain {
		return c, err
	}
	return &writtenConn{c, l}, nil
}

func (c *writtenConn) Write(p []byte) (int, error) {
	c.l.n.Add(1)
	if c.l.fail.Load() {
		return 0, errors.New("the client has gone")
	}
	return c.Conn.Write(p)
}

// A gathered answer has the bytes of any other, whatever its size. Nothing of it is sent
// before it is complete.
func TestGather(t *testing.T) {
	for _, plain := range []bool{true, false} {
		inner, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		w := &written{Listener: inner, plain: plain}
		l := listen.New(w, listen.Options{})
		server := &http.Server{ConnState: l.ConnState, ConnContext: l.ConnContext, Handler: http.HandlerFunc(func(a http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("n"))
			body := bytes.Repeat([]byte("0123456789"), n/10+1)[:n]
			a.Header().Set("Content-Length", strconv.Itoa(2*n+5))
			before := w.n.Load()
			listen.FromContext(r.Context()).Gather([]byte("X-Inserted: yes\r\n"), body, func() {
				a.Write(body)
				io.WriteString(a, "<end>")
				a.Write(body) // the same bytes once more are not those of the first time
				http.NewResponseController(a).Flush()
				if w.n.Load() != before {
					t.Errorf("%d bytes: something was sent before the end", n)
				}
			})
		})}
		go server.Serve(l)
		t.Cleanup(func() { server.Close() })
		client := &http.Client{Transport: new(http.Transport)}
		t.Cleanup(client.CloseIdleConnections)
		for _, n := range []int{0, 1, 5, 100, 2000, 2048, 4000, 4096, 5000, 80_000, 1 << 20, 7} {
			r, err := client.Get("http://" + inner.Addr().String() + "/?n=" + strconv.Itoa(n))
			must(t, err)
			got, err := io.ReadAll(r.Body)
			must(t, err)
			r.Body.Close()
			if got := r.Header["X-Inserted"]; len(got) != 1 || got[0] != "yes" {
				t.Errorf("%d bytes: the header has %v", n, r.Header)
			}
			body := bytes.Repeat([]byte("0123456789"), n/10+1)[:n]
			if !bytes.Equal(got, bytes.Join([][]byte{body, body}, []byte("<end>"))) {
				t.Errorf("%d bytes: %d of another content", n, len(got))
			}
		}
		if plain {
			continue
		}
		w.fail.Store(true) // the connection must not serve another request: an answer is missing
		if r, err := client.Post("http://"+inner.Addr().String()+"/?n=100", "", nil); err == nil {
			t.Errorf("an answer that could not be sent: %v", r.Status)
		}
		if n := l.Stats().Open; n > 1 {
			t.Errorf("%d connections are open", n)
		}
	}
}
