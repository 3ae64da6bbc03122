package servers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"sync"
)

// A door forwards the connections of other NATS nodes to one node, and can refuse those of
// some of them.
type door struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	refused map[string]bool     // by the id of the node that connects
	open    map[net.Conn]string // the connections, by the same id, empty until it is known
	done    bool
}

func openDoor(target string) (*door, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &door{listener: l, target: target, refused: map[string]bool{}, open: map[net.Conn]string{}}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go d.forward(conn)
		}
	}()
	return d, nil
}

func (d *door) address() string { return d.listener.Addr().String() }

func (d *door) forward(from net.Conn) {
	defer from.Close()
	if !d.pass(from, "") {
		return
	}
	defer func() {
		d.mu.Lock()
		delete(d.open, from)
		d.mu.Unlock()
	}()
	to, err := net.Dial("tcp", d.target)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		defer from.Close()
		_, _ = io.Copy(from, to)
	}()
	// The first line says who connects: CONNECT {"name":"NDRA…",...}.
	r := bufio.NewReader(from)
	line, err := r.ReadSlice('\n')
	if err != nil {
		return
	}
	var connect struct{ Name string }
	if _, object, ok := bytes.Cut(line, []byte(" ")); !ok || json.Unmarshal(object, &connect) != nil || !d.pass(from, connect.Name) {
		return
	}
	if _, err := to.Write(line); err == nil {
		_, _ = io.Copy(to, r)
	}
}

// pass notes who is behind a connection and reports whether it may continue.
func (d *door) pass(conn net.Conn, id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[conn] = id
	return !d.done && !d.refused[id]
}

// shut closes the connections of a node and refuses new ones.
func (d *door) shut(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused[id] = true
	for conn, of := range d.open {
		if of == id {
			conn.Close()
		}
	}
}

func (d *door) reopen() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.refused)
}

func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = true
	d.listener.Close()
	for conn := range d.open {
		conn.Close()
	}
}
