package simulator

import (
	"bytes"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// injectFault answers a request with a fault: here those of the network and of any web server,
// in distort those of the content.
func injectFault(w http.ResponseWriter, r *http.Request, d Dialect, kind FaultKind, pick func(int) int, answer func() Answer) {
	switch kind {
	case noFault:
		write(w, r, answer())
	case ServerError:
		write(w, r, d.Refuse(Broken))
	case Unavailable:
		write(w, r, d.Refuse(Maintenance))
	case BadCredential:
		write(w, r, d.Refuse(BadToken))
	case BadPermission:
		write(w, r, d.Refuse(NotBought))
	case Timeout:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case Reset:
		reset(w)
	case Slow:
		drip(w, r, answer())
	case Truncated:
		truncate(w, r, answer(), pick(2) == 0)
	case HTML:
		write(w, r, Answer{Header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}}, Body: []byte(page)})
	case Empty:
		write(w, r, Answer{})
	case Redirect:
		write(w, r, Answer{Status: http.StatusFound, Header: http.Header{"Location": {"http://169.254.169.254/latest/meta-data/"}}})
	case Huge:
		pad(w, answer())
	case Bomb:
		bomb(w)
	case Nested:
		write(w, r, Answer{Body: d.Wrap([][]byte{nested(depth - 1)}, nil)})
	default:
		write(w, r, distort(d, kind, answer(), pick))
	}
}

const (
	depth = 100_000
	page  = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>\n<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>\n"
)

func nested(depth int) []byte {
	return append(bytes.Repeat([]byte{'['}, depth), bytes.Repeat([]byte{']'}, depth)...)
}

// reset resets the connection if possible, else closes it.
func reset(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				tcp.SetLinger(0)
			}
			conn.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}

// drip sends a byte a second until the client stops reading.
func drip(w http.ResponseWriter, r *http.Request, a Answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	out := http.NewResponseController(w)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for i := range a.Body {
		w.Write(a.Body[i : i+1])
		out.Flush()
		select {
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		case <-tick.C:
		}
	}
}

// truncate sends half a body: the connection breaks off if breaks, else the transport is
// intact and the text incomplete.
func truncate(w http.ResponseWriter, r *http.Request, a Answer, breaks bool) {
	half := a.Body[:len(a.Body)/2]
	if !breaks {
		write(w, r, Answer{Status: a.Status, Body: half})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	w.Write(half)
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// blank is white space, which may follow any JSON document.
var blank = sync.OnceValue(func() []byte { return bytes.Repeat([]byte(" "), 1<<20) })

// pad sends a correct answer followed by white space, which makes it too large.
func pad(w http.ResponseWriter, a Answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(a.Body)
	blank := blank()
	for left := max(9*len(a.Body), 64<<20); left > 0; left -= len(blank) {
		if _, err := w.Write(blank[:min(left, len(blank))]); err != nil {
			return
		}
	}
}

// bomb sends a gigabyte of white space as about a megabyte.
func bomb(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	z.Write(blank())
	z.Close()
	for range 1024 {
		if _, err := w.Write(member.Bytes()); err != nil {
			return
		}
	}
}
