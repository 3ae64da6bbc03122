package socketiotest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/gobwas/ws"
)

// DialWebsocket opens a websocket and reads nothing from it. from is to be read in
// place of conn: what came in one piece with the answer to the request is in it.
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

// mostFrame is more than any server in a test may send as one frame.
const mostFrame = 16 << 20

// ReadFrame reads one websocket frame as it is on the wire.
func ReadFrame(r io.Reader) (ws.Frame, error) {
	h, err := ws.ReadHeader(r)
	if err != nil {
		return ws.Frame{}, err
	}
	if h.Length > mostFrame {
		return ws.Frame{}, fmt.Errorf("a frame of %d bytes", h.Length)
	}
	f := ws.Frame{Header: h, Payload: make([]byte, h.Length)}
	_, err = io.ReadFull(r, f.Payload)
	return f, err
}
