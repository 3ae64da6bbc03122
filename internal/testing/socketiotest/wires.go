package socketiotest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

type websocket struct {
	conn    net.Conn
	source  source
	sending sync.Mutex
}

// DialWebsocket opens a websocket and reads nothing from it. The caller must use from for
// reading, not conn, because from has the bytes that arrived together with the answer.
func DialWebsocket(ctx context.Context, url string, header http.Header) (conn net.Conn, from io.Reader, err error) {
	d := ws.Dialer{Header: ws.HandshakeHeaderHTTP(header)}
	conn, early, _, err := d.Dial(ctx, strings.Replace(url, "http", "ws", 1))
	if err != nil || early == nil {
		return conn, conn, err
	}
	defer ws.PutReader(early)
	rest, err := io.ReadAll(io.LimitReader(early, int64(early.Buffered())))
	return conn, io.MultiReader(bytes.NewReader(rest), conn), err
}

func openWebsocket(ctx context.Context, o Options) (wire, error) {
	conn, from, err := DialWebsocket(ctx, o.URL+"?EIO=4&transport=websocket", o.Header)
	if err != nil {
		return nil, err
	}
	w := &websocket{conn: conn, source: source{from, conn}}
	packets, err := w.receive()
	if err == nil && packets[0][0] != '0' {
		err = fmt.Errorf("%q instead of the open packet", packets[0])
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return w, nil
}

// source reads what has arrived, and answers control frames over the connection.
type source struct {
	io.Reader
	io.Writer
}

func (w *websocket) send(packet string) error {
	w.sending.Lock()
	defer w.sending.Unlock()
	return wsutil.WriteClientText(w.conn, []byte(packet))
}

func (w *websocket) receive() ([]string, error) {
	data, err := wsutil.ReadServerText(w.source)
	if err != nil || len(data) == 0 {
		return nil, fmt.Errorf("websocket: %w", err)
	}
	return []string{string(data)}, nil
}

func (w *websocket) close() { w.conn.Close() }

type polling struct {
	url    string
	header http.Header
	client *http.Client
	ctx    context.Context
	cancel func()
}

const separator = "\x1e"

func openPolling(ctx context.Context, o Options) (wire, error) {
	p := &polling{url: o.URL + "?EIO=4&transport=polling", header: o.Header, client: &http.Client{Transport: &http.Transport{}}}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	packets, err := p.receive()
	if err != nil {
		p.close()
		return nil, err
	}
	var open struct{ SID string }
	if err := json.Unmarshal([]byte(packets[0][1:]), &open); err != nil || packets[0][0] != '0' {
		p.close()
		return nil, fmt.Errorf("%q instead of the open packet: %w", packets[0], err)
	}
	p.url += "&sid=" + open.SID
	return p, nil
}

func (p *polling) send(packet string) error {
	_, err := p.do(http.MethodPost, strings.NewReader(packet))
	return err
}

func (p *polling) receive() ([]string, error) {
	body, err := p.do(http.MethodGet, nil)
	if err != nil {
		return nil, err
	}
	return strings.Split(body, separator), nil
}

func (p *polling) do(method string, body io.Reader) (string, error) {
	r, err := http.NewRequestWithContext(p.ctx, method, p.url, body)
	if err != nil {
		return "", err
	}
	for name, values := range p.header {
		r.Header[name] = values
	}
	if body != nil {
		r.Header.Set("Content-Type", "text/plain;charset=UTF-8")
	}
	a, err := p.client.Do(r)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err == nil && (a.StatusCode != http.StatusOK || len(data) == 0) {
		err = fmt.Errorf("%s: status %d: %s", method, a.StatusCode, data)
	}
	return string(data), err
}

func (p *polling) close() {
	p.cancel()
	p.client.CloseIdleConnections()
}
