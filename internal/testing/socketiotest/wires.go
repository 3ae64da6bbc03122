package socketiotest

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gobwas/httphead"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"
	"github.com/gobwas/ws/wsutil"
)

type websocket struct {
	conn    net.Conn
	reader  wsutil.Reader
	message wsflate.MessageState // the one that is read
	control wsutil.FrameHandlerFunc
	sending sync.Mutex
}

// DialWebsocket opens a websocket and reads nothing from it. The caller must use from for
// reading, not conn, because from has the bytes that arrived together with the answer.
func DialWebsocket(ctx context.Context, url string, header http.Header) (conn net.Conn, from io.Reader, err error) {
	return dial(ctx, ws.Dialer{Header: ws.HandshakeHeaderHTTP(header)}, url)
}

func dial(ctx context.Context, d ws.Dialer, url string) (conn net.Conn, from io.Reader, err error) {
	conn, early, _, err := d.Dial(ctx, strings.Replace(url, "http", "ws", 1))
	if err != nil || early == nil {
		return conn, conn, err
	}
	defer ws.PutReader(early)
	rest, err := io.ReadAll(io.LimitReader(early, int64(early.Buffered())))
	return conn, io.MultiReader(bytes.NewReader(rest), conn), err
}

func openWebsocket(ctx context.Context, o Options) (wire, error) {
	d := ws.Dialer{Header: ws.HandshakeHeaderHTTP(o.Header)}
	if o.Deflate { // as the official client does
		d.Extensions = []httphead.Option{wsflate.Parameters{ClientMaxWindowBits: 1}.Option()}
	}
	conn, from, err := dial(ctx, d, o.URL+"?EIO=4&transport=websocket")
	if err != nil {
		return nil, err
	}
	if o.Read != nil {
		from = counting{from, o.Read}
	}
	w := &websocket{conn: conn}
	w.control = wsutil.ControlFrameHandler(conn, ws.StateClientSide)
	w.reader = wsutil.Reader{Source: from, State: ws.StateClientSide | ws.StateExtended,
		Extensions: []wsutil.RecvExtension{&w.message}, OnIntermediate: w.control}
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

type counting struct {
	io.Reader
	n *atomic.Int64
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func (w *websocket) send(packet string) error {
	w.sending.Lock()
	defer w.sending.Unlock()
	return wsutil.WriteClientText(w.conn, []byte(packet))
}

func (w *websocket) receive() ([]string, error) {
	for {
		h, err := w.reader.NextFrame()
		switch {
		case err != nil:
		case h.OpCode.IsControl():
			err = w.control(h, &w.reader)
		default:
			data, err := w.read()
			if err != nil || len(data) == 0 {
				return nil, fmt.Errorf("websocket: %w", err)
			}
			return []string{string(data)}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("websocket: %w", err)
		}
	}
}

// read reads a message. Its compression is RFC 7692 without context takeover.
func (w *websocket) read() ([]byte, error) {
	data, err := io.ReadAll(&w.reader)
	if err != nil || !w.message.IsCompressed() {
		return data, err
	}
	return io.ReadAll(flate.NewReader(io.MultiReader(bytes.NewReader(data), strings.NewReader("\x00\x00\xff\xff\x01\x00\x00\xff\xff"))))
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
