package engine

import (
	"bytes"
	standard "compress/flate"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
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

func readAll(r io.Reader, deflates bool) (list []string, err error) {
	c := &wire{conn: bytesConn{Reader: r}, session: &Session{server: New(Options{MaxPayload: 200})}, deflates: deflates}
	for {
		c.other = pace{} // which depends on the time
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
	compressed := deflate(bytes.Repeat([]byte("4 a fixture"), 15))[2:]
	zipped := func(fin bool, data []byte) []byte {
		b := frame(ws.OpText, fin, string(data))
		b[0] |= compressedBit
		return b
	}
	f.Add(zipped(true, compressed))
	f.Add(slices.Concat(zipped(false, compressed[:5]), frame(ws.OpPing, true, "x"), frame(ws.OpContinuation, true, string(compressed[5:]))))
	f.Add(zipped(true, deflate(bytes.Repeat([]byte("4"), 5000))[2:]))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, deflates := range []bool{false, true} {
			whole, err := readAll(bytes.NewReader(b), deflates)
			cut, errIncomplete := readAll(iotest.OneByteReader(bytes.NewReader(b)), deflates)
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
		}
	})
}

// A message is decompressed as another library does it, or its beginning is above the limit.
func FuzzInflate(f *testing.F) {
	f.Add(deflate(bytes.Repeat([]byte("4 a fixture"), 15))[2:])
	f.Add(deflate(bytes.Repeat([]byte("4"), 5000))[2:])
	f.Add([]byte("\x00\x02\x00\xfd\xff4a"))           // a stored block
	f.Add([]byte("\xf3\x48\xcd\xc9\xc9\x07\x00\x00")) // RFC 7692, 7.2.3.4: a last block
	f.Add([]byte("4hello"))
	f.Add([]byte{})
	const limit = 200
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := inflate(bytes.Clone(data), limit)
		want, errOther := io.ReadAll(io.LimitReader(standard.NewReader(bytes.NewReader(append(bytes.Clone(data), flushed+lastBlock...))), limit+1))
		agree := false
		switch err {
		case nil:
			agree = errOther == nil && len(want) <= limit && bytes.Equal(got, want)
		case errTooLarge:
			agree = len(want) > limit
		case errInflate: // the other one may see the error behind the limit, and not read as far
			agree = errOther != nil || len(want) > limit
		}
		if !agree {
			t.Errorf("%q and %v, want %q and %v", got, err, want, errOther)
		}
	})
}

func TestDeflatedOnce(t *testing.T) {
	m := NewMessage(bytes.Repeat([]byte("a fixture"), 1000))
	var all [16]*byte
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { all[i] = &m.deflatedFrames()[0] })
	}
	wait.Wait()
	for _, first := range all {
		if first != all[0] {
			t.Fatal("compressed more than once")
		}
	}
	if first := &(&wire{deflates: true}).framesOf(m)[0]; first != all[0] || first == &m.frames[0] {
		t.Error("not the compressed frame")
	}
	if first := &(&wire{}).framesOf(m)[0]; first != &m.frames[0] {
		t.Error("compressed without an offer")
	}
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
