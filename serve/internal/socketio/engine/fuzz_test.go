package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"mkt/internal/testing/socketiotest"
)

func encode(list []packet) []byte {
	var b []byte
	for i, p := range list {
		if i > 0 {
			b = append(b, separator)
		}
		if p.kind == typeBinary {
			b = appendPolled(b, p.data)
			continue
		}
		b = append(append(b, p.kind), p.data...)
	}
	return b
}

// A body is read completely or not at all, and its packets do not change if they are written
// and read again.
func FuzzReadPayload(f *testing.F) {
	for _, s := range []string{"4hello", "4a\x1e4b\x1e3", "bAQIDBA==", "bAQIDBA", "4a\x1e", "", "4\xff", "b=", "b====", "1", "2probe", "7", "4\x1eb\x1e4"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := readPayload(bytes.Clone(body), 1<<20)
		if err != nil {
			if list != nil {
				t.Errorf("%d packets together with an error", len(list))
			}
			return
		}
		if len(list) != bytes.Count(body, []byte{separator})+1 {
			t.Errorf("%d packets of %q", len(list), body)
		}
		for _, p := range list {
			if p.kind != typeBinary && !utf8.Valid(p.data) {
				t.Errorf("invalid text %q", p.data)
			}
		}
		again, err := readPayload(encode(list), 1<<20)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(list) {
			t.Errorf("%v became %v, %v", list, again, err)
		}
	})
}

type bytesConn struct {
	net.Conn
	io.Reader
}

func (c bytesConn) Read(p []byte) (int, error)    { return c.Reader.Read(p) }
func (bytesConn) SetReadDeadline(time.Time) error { return nil }

func readAll(r io.Reader) (list []string, err error) {
	c := &wire{conn: bytesConn{Reader: r}, session: &Session{server: New(Options{MaxPayload: 200})}}
	for {
		op, data, err := c.next()
		if err != nil {
			return list, err
		}
		list = append(list, fmt.Sprintf("%d %q", op, data))
	}
}

// Frames mean the same however the bytes are divided, no message is above the limit, and no
// text is invalid.
func FuzzFrames(f *testing.F) {
	frame := func(op ws.OpCode, fin bool, text string) []byte {
		return ws.MustCompileFrame(ws.MaskFrameWith(ws.NewFrame(op, fin, []byte(text)), [4]byte{1, 2, 3, 4}))
	}
	f.Add(frame(ws.OpText, true, "4hello"))
	f.Add(append(frame(ws.OpText, false, "4one"), frame(ws.OpContinuation, true, "two")...))
	f.Add(append(frame(ws.OpPing, true, "x"), frame(ws.OpBinary, true, "\x00\xff")...))
	f.Add(append(frame(ws.OpText, true, "3"), frame(ws.OpClose, true, "\x03\xe8")...))
	f.Add(frame(ws.OpText, true, string(bytes.Repeat([]byte("x"), 190))))
	f.Add([]byte{0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	f.Add([]byte{0x81, 0xfe, 0xff, 0xff, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, err := readAll(bytes.NewReader(b))
		cut, errIncomplete := readAll(iotest.OneByteReader(bytes.NewReader(b)))
		if fmt.Sprint(whole) != fmt.Sprint(cut) || closeCode(err) != closeCode(errIncomplete) {
			t.Errorf("%v, %v; byte by byte %v, %v", whole, err, cut, errIncomplete)
		}
		if code := closeCode(err); code == 0 && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("error %v", err)
		}
		for _, m := range whole {
			if len(m) > 4*200+5 {
				t.Errorf("a message of %d bytes", len(m))
			}
		}
	})
}

// A message has the same content on both transports.
func FuzzMessage(f *testing.F) {
	f.Add([]byte("text"), []byte{1, 2, 3})
	f.Add(bytes.Repeat([]byte("x"), 200), []byte{})
	f.Fuzz(func(t *testing.T, text, attached []byte) {
		if bytes.IndexByte(text, separator) >= 0 || !utf8.Valid(text) {
			return // JSON has neither
		}
		m := NewMessage(text, attached)
		if !bytes.Equal(m.Text(), text) {
			t.Errorf("text %q", m.Text())
		}
		list, err := readPayload(bytes.Clone(m.polled), 1<<20)
		if err != nil || len(list) != 2 || !bytes.Equal(list[0].data, text) || !bytes.Equal(list[1].data, attached) {
			t.Errorf("polled %v, %v", list, err)
		}
		r := bytes.NewReader(m.frames)
		one, err1 := socketiotest.ReadFrame(r)
		two, err2 := socketiotest.ReadFrame(r)
		if err1 != nil || err2 != nil || string(one.Payload) != "4"+string(text) || !bytes.Equal(two.Payload, attached) || r.Len() != 0 {
			t.Errorf("frames %q", m.frames)
		}
		if alone := NewMessage(text); string(alone.polled) != "4"+string(text) || !bytes.HasSuffix(alone.frames, alone.polled) {
			t.Errorf("alone %q", alone.polled)
		}
	})
}
