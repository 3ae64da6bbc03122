package socketiotest

import (
	"fmt"
	"io"

	"github.com/gobwas/ws"
)

const maxFrame = 16 << 20

// ReadFrame reads one websocket frame as it is on the wire.
func ReadFrame(r io.Reader) (ws.Frame, error) {
	h, err := ws.ReadHeader(r)
	if err != nil {
		return ws.Frame{}, err
	}
	if h.Length > maxFrame {
		return ws.Frame{}, fmt.Errorf("a frame of %d bytes", h.Length)
	}
	f := ws.Frame{Header: h, Payload: make([]byte, h.Length)}
	_, err = io.ReadFull(r, f.Payload)
	return f, err
}
