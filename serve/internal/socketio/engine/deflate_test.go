package engine_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"mkt/internal/testing/check"
	"mkt/internal/testing/socketiotest"
	"mkt/serve/internal/socketio/engine"
)

// accepted is the answer to an offer without a window for the server.
const accepted = "permessage-deflate;server_no_context_takeover;client_no_context_takeover"

// offers opens a websocket whose request has these offers, one header each, and returns the answer.
func (h *host) offers(query string, offers ...string) (socket, *http.Response) {
	h.t.Helper()
	request, err := http.NewRequest("GET", h.url+"/engine.io/?"+query, nil)
	must(h.t, err)
	request.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}}
	if offers != nil {
		request.Header["Sec-Websocket-Extensions"] = offers
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(h.t, err)
	h.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(check.Limit))
	must(h.t, request.Write(conn))
	r := bufio.NewReader(conn)
	response, err := http.ReadResponse(r, request)
	must(h.t, err)
	return socket{h.t, conn, r}, response
}

// deflating is a websocket with compression, as the official client opens it.
func (h *host) deflating() socket {
	h.t.Helper()
	s, response := h.offers("EIO=4&transport=websocket", "permessage-deflate; client_max_window_bits")
	if got := response.Header.Get("Sec-Websocket-Extensions"); got != accepted {
		h.t.Fatalf("extensions %q", got)
	}
	sid(h.t, s.next())
	return s
}

func TestOffers(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		offers []string
		want   string
	}{
		"none":                           {nil, ""},
		"the official client, browsers":  {[]string{"permessage-deflate; client_max_window_bits"}, accepted},
		"without parameters":             {[]string{"permessage-deflate"}, accepted},
		"no context of the server":       {[]string{"permessage-deflate; server_no_context_takeover"}, accepted},
		"no context at all":              {[]string{"permessage-deflate; client_no_context_takeover; server_no_context_takeover"}, accepted},
		"a smaller window of the client": {[]string{"permessage-deflate; client_max_window_bits=9"}, accepted},
		"the whole window":               {[]string{"permessage-deflate; server_max_window_bits=15"}, accepted + ";server_max_window_bits=15"},
		"a smaller window of the server": {[]string{"permessage-deflate; server_max_window_bits=12"}, ""},
		"the next offer then":            {[]string{"permessage-deflate; server_max_window_bits=12, permessage-deflate; client_max_window_bits"}, accepted},
		"the next header then":           {[]string{"permessage-deflate; server_max_window_bits=8", "permessage-deflate"}, accepted},
		"only the first of two":          {[]string{"permessage-deflate, permessage-deflate; server_max_window_bits=15"}, accepted},
		"a window without a size":        {[]string{"permessage-deflate; server_max_window_bits"}, ""},
		"a window too large":             {[]string{"permessage-deflate; server_max_window_bits=16"}, ""},
		"an unknown parameter":           {[]string{"permessage-deflate; level=9"}, ""},
		"a parameter that has no value":  {[]string{"permessage-deflate; server_no_context_takeover=1"}, ""},
		"another extension":              {[]string{"permessage-bzip2, x-webkit-deflate-frame"}, ""},
		"after another extension":        {[]string{"permessage-bzip2; a=1, permessage-deflate"}, accepted},
		"quoted":                         {[]string{`permessage-deflate; client_max_window_bits="15"`}, accepted},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t, engine.Options{})
			s, response := h.offers("EIO=4&transport=websocket", c.offers...)
			if got := response.Header.Get("Sec-Websocket-Extensions"); response.StatusCode != 101 || got != c.want {
				t.Fatalf("status %d, extensions %q, want %q", response.StatusCode, got, c.want)
			}
			sid(t, s.next())
			text := "4" + strings.Repeat("large ", 1000)
			s.send(text)
			if f := s.raw(); f.Header.Rsv1() != (c.want != "") || f.Header.Rsv1() && inflated(t, f.Payload) != text {
				t.Errorf("answered with %+v", f.Header)
			}
		})
	}
	t.Run("switched off", func(t *testing.T) {
		h := start(t, engine.Options{Uncompressed: true})
		_, response := h.offers("EIO=4&transport=websocket", "permessage-deflate")
		if got := response.Header["Sec-Websocket-Extensions"]; response.StatusCode != 101 || got != nil {
			t.Errorf("status %d, extensions %q", response.StatusCode, got)
		}
	})
	t.Run("malformed", func(t *testing.T) {
		h := start(t, engine.Options{})
		if _, response := h.offers("EIO=4&transport=websocket", "permessage-deflate; ="); response.StatusCode != 400 {
			t.Errorf("status %d", response.StatusCode)
		}
		h.wantSessions(0)
	})
}

// raw is the next frame but for pings of the server, which it answers.
func (s socket) raw() ws.Frame {
	s.t.Helper()
	for {
		f, err := socketiotest.ReadFrame(s.r)
		must(s.t, err)
		if string(f.Payload) != "2" {
			return f
		}
		s.send("3")
	}
}

// deflated compresses text as RFC 7692 says, with another library than the server.
func deflated(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	must(t, err)
	io.WriteString(w, text)
	must(t, w.Flush())
	return bytes.TrimSuffix(b.Bytes(), []byte("\x00\x00\xff\xff"))
}

func inflated(t testing.TB, data []byte) string {
	t.Helper()
	text, err := io.ReadAll(flate.NewReader(io.MultiReader(bytes.NewReader(data), strings.NewReader("\x00\x00\xff\xff\x01\x00\x00\xff\xff"))))
	must(t, err)
	return string(text)
}

// continued compresses text as if the other side still had the message before.
func continued(t testing.TB, before, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriterDict(&b, flate.BestCompression, []byte(before))
	must(t, err)
	io.WriteString(w, text)
	must(t, w.Flush())
	return b.Bytes()
}

// zipped is a frame with the bit of a compressed message.
func zipped(op ws.OpCode, fin bool, data []byte) ws.Frame {
	f := ws.NewFrame(op, fin, data)
	f.Header.Rsv = ws.Rsv(true, false, false)
	return f
}

func TestCompressedMessages(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{MaxPayload: 200_000})
	s := h.deflating()
	for _, n := range []int{0, 1, 1022, 1023, 1024, 70_000, 199_000} {
		text := "4" + strings.Repeat("é", n/2) + strings.Repeat("x", n%2)
		s.frame(zipped(ws.OpText, true, deflated(t, text)))
		f := s.raw()
		if f.Header.Rsv1() != (len(text) >= 1024) || f.Header.Rsv2() || f.Header.Rsv3() || !f.Header.Fin || f.Header.OpCode != ws.OpText {
			t.Errorf("%d bytes are answered with %+v", len(text), f.Header)
		}
		got := string(f.Payload)
		if f.Header.Rsv1() {
			if got = inflated(t, f.Payload); len(f.Payload) > len(text)/2 {
				t.Errorf("%d bytes became %d", len(text), len(f.Payload))
			}
		}
		if got != text {
			t.Fatalf("%d bytes came back as %.40q", len(text), got)
		}
	}
	s.send("4not compressed")
	s.want("4not compressed")
	s.frame(zipped(ws.OpBinary, true, deflated(t, "binary")))
	s.want("binary binary")
	random := "4" + unlike(5000) // does not become smaller
	s.send(random)
	s.want(random)
}

// unlike is a text that deflate does not make smaller.
func unlike(n int) string {
	var b strings.Builder
	for x := uint64(1); b.Len() < n; {
		for range 4 {
			x = x*6364136223846793005 + 1442695040888963407
			b.WriteRune(rune(0x4e00 + x>>49%0x5000)) // 14.3 of 24 bits
		}
	}
	return b.String()
}

func TestCompressedFragments(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{MaxPayload: 2000})
	s := h.deflating()
	data := deflated(t, "4"+strings.Repeat("one é two ", 50))
	s.frame(zipped(ws.OpText, false, data[:5]))
	s.frame(ws.NewPingFrame([]byte("between")))
	s.frame(ws.NewFrame(ws.OpContinuation, false, data[5:9]))
	s.frame(ws.NewFrame(ws.OpContinuation, false, nil))
	s.frame(ws.NewFrame(ws.OpContinuation, true, data[9:]))
	s.want("pong between", "4"+strings.Repeat("one é two ", 50))
	s.frame(ws.NewFrame(ws.OpText, false, []byte("4not "))) // the next is not compressed
	s.frame(ws.NewFrame(ws.OpContinuation, true, []byte("compressed")))
	s.want("4not compressed")
}

// A client on polling gets compression with its upgrade, and may compress the upgrade too.
func TestCompressionAfterUpgrade(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{})
	p := h.poll()
	s, _ := h.offers("EIO=4&transport=websocket&sid="+p.sid, "permessage-deflate")
	s.frame(zipped(ws.OpText, true, deflated(t, "2probe")))
	s.want("3probe")
	s.frame(zipped(ws.OpText, true, deflated(t, "5")))
	text := "4" + strings.Repeat("large ", 1000)
	s.send(text)
	if f := s.raw(); !f.Header.Rsv1() || inflated(t, f.Payload) != text {
		t.Errorf("%+v", f.Header)
	}
}

func TestCompressionViolations(t *testing.T) {
	t.Parallel()
	const protocol, text, large = "close 1002 protocol violation", "close 1007 protocol violation", "close 1009 protocol violation"
	bomb := deflated(t, "4"+strings.Repeat("x", 100<<20))[:2000] // its end is not needed
	cases := map[string]struct {
		frames []ws.Frame
		want   string
	}{
		"a bomb":                      {[]ws.Frame{zipped(ws.OpText, true, bomb)}, large},
		"one byte above the limit":    {[]ws.Frame{zipped(ws.OpText, true, deflated(t, "4"+strings.Repeat("x", 2000)))}, large},
		"above the limit on the wire": {[]ws.Frame{zipped(ws.OpText, true, make([]byte, 2001))}, large},
		"in fragments":                {[]ws.Frame{zipped(ws.OpText, false, bomb[:1500]), ws.NewFrame(ws.OpContinuation, true, bomb[1500:])}, large},
		"nothing that decompresses":   {[]ws.Frame{zipped(ws.OpText, true, []byte("4hello, this is no deflate"))}, text},
		"cut":                         {[]ws.Frame{zipped(ws.OpText, true, deflated(t, "4"+unlike(900))[:700])}, text},
		"a window that is not kept":   {[]ws.Frame{zipped(ws.OpText, true, deflated(t, "4a")), zipped(ws.OpText, true, continued(t, "4a", "4a4a4a"))}, text},
		"invalid UTF-8":               {[]ws.Frame{zipped(ws.OpText, true, deflated(t, "4\xff"))}, text},
		"empty":                       {[]ws.Frame{zipped(ws.OpText, true, deflated(t, ""))}, protocol},
		"a control frame":             {[]ws.Frame{zipped(ws.OpPing, true, []byte("x"))}, protocol},
		"a continuation": {[]ws.Frame{zipped(ws.OpText, false, deflated(t, "4a")), zipped(ws.OpContinuation, true, nil)},
			protocol},
		"another bit": {[]ws.Frame{{Header: ws.Header{Fin: true, Rsv: ws.Rsv(true, true, false), OpCode: ws.OpText, Length: 1}, Payload: []byte("4")}}, protocol},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t, engine.Options{MaxPayload: 2000})
			s := h.deflating()
			for _, f := range c.frames {
				s.frame(f)
			}
			got := s.next()
			for strings.HasPrefix(got, "4") { // what was sent before
				got = s.next()
			}
			if got != c.want {
				t.Errorf("got %.100q, want %q", got, c.want)
			}
			s.wantEnd()
			h.ended(engine.Protocol)
		})
	}
	for name, o := range map[string]engine.Options{"switched off": {Uncompressed: true}, "not offered": {}} {
		t.Run(name, func(t *testing.T) {
			h := start(t, o)
			s := h.websocket()
			s.frame(zipped(ws.OpText, true, deflated(t, "4a")))
			s.want(protocol)
			h.ended(engine.Protocol)
		})
	}
}

// Messages that take long to decompress and say little are bounded, as control frames are.
func TestFloodOfCompressed(t *testing.T) {
	t.Parallel()
	h := known(t, engine.Options{MaxPayload: 2000})
	s := h.deflating()
	pong := deflated(t, "3"+unlike(900))
	for range 50 {
		s.frame(zipped(ws.OpText, true, pong))
	}
	s.want("close 1008 message flood")
	h.ended(engine.Flood)
}

// Compressed messages of the usual size do not count: a burst of them is handled.
func TestBurstOfCompressed(t *testing.T) {
	t.Parallel()
	h := known(t, engine.Options{Burst: 1200})
	s := h.deflating()
	small := zipped(ws.OpText, true, deflated(t, "4small"))
	for range 1200 {
		s.frame(small)
	}
	for range 1200 {
		s.want("4small")
	}
}

// One message goes to clients with compression, without it, and on polling.
func TestOneMessageForAllClients(t *testing.T) {
	t.Parallel()
	h := start(t, engine.Options{})
	text := "live " + strings.Repeat("a fixture in play, ", 500)
	m := engine.NewMessage([]byte(text))
	var compressed []socket
	for range 8 {
		s := h.deflating()
		(<-h.opened).Send(m)
		compressed = append(compressed, s)
	}
	plain := h.websocket()
	(<-h.opened).Send(m)
	p := h.poll()
	(<-h.opened).Send(m)
	for i, s := range compressed {
		f := s.raw()
		if !f.Header.Rsv1() || inflated(t, f.Payload) != "4"+text {
			t.Errorf("client %d: %+v", i, f.Header)
		}
	}
	plain.want("4" + text)
	p.expect(p.get(), 200, "4"+text)
	attached := engine.NewMessage([]byte(text), []byte("attached"))
	s := h.deflating()
	(<-h.opened).Send(attached)
	s.want("4"+text, "binary attached")
}
