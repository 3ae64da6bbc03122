// Package socketiotest is a small Socket.IO v4 client for tests and benchmarks: one
// namespace, text packets, either transport and no upgrade. It shares no code with the
// server, so that an error in the server is not hidden by the same error in the client.
package socketiotest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Options of Dial.
type Options struct {
	URL     string      // of the server: http://host:port/path/
	Polling bool        // instead of websocket
	Header  http.Header // of every request; may be nil
	Auth    any         // the auth object; nil sends none

	// Of a websocket:
	Deflate bool          // offer compression
	Read    *atomic.Int64 // is increased by the bytes read after the handshake; may be nil
}

// Event is an event from the server.
type Event struct {
	Name string
	Args []json.RawMessage
}

// ConnectError is a refusal.
type ConnectError struct {
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// Error implements error.
func (e *ConnectError) Error() string { return "refused: " + e.Message + " " + string(e.Data) }

// ErrClosed reports that the connection has ended.
var ErrClosed = errors.New("the connection is closed")

// Client is one connection. Safe for concurrent use.
type Client struct {
	ID string // socket.id

	wire wire

	mu     sync.Mutex
	came   chan struct{} // closed and replaced when an event arrives
	events []Event
	acks   map[int]chan []json.RawMessage
	nextID int
	ended  error
}

type wire interface {
	send(packet string) error
	receive() ([]string, error)
	close()
}

// Dial connects and joins the main namespace. A refusal is a *ConnectError. ctx limits only
// the dialling.
func Dial(ctx context.Context, o Options) (*Client, error) {
	open := openWebsocket
	if o.Polling {
		open = openPolling
	}
	w, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, w.close)
	defer stop()
	c := &Client{wire: w, came: make(chan struct{}), acks: map[int]chan []json.RawMessage{}}
	rest, err := c.join(o.Auth)
	if err != nil {
		w.close()
		return nil, err
	}
	go c.read(rest)
	return c, nil
}

// join sends CONNECT and waits for its answer. rest contains the packets after it.
func (c *Client) join(auth any) (rest []string, err error) {
	payload := ""
	if auth != nil {
		b, err := json.Marshal(auth)
		if err != nil {
			return nil, err
		}
		payload = string(b)
	}
	if err := c.wire.send("40" + payload); err != nil {
		return nil, err
	}
	for {
		packets, err := c.wire.receive()
		if err != nil {
			return nil, err
		}
		for i, p := range packets {
			switch {
			case p == "2":
				c.wire.send("3")
			case strings.HasPrefix(p, "40"):
				var accepted struct{ SID string }
				err := json.Unmarshal([]byte(p[2:]), &accepted)
				c.ID = accepted.SID
				return packets[i+1:], err
			case strings.HasPrefix(p, "44"):
				refusal := new(ConnectError)
				if err := json.Unmarshal([]byte(p[2:]), refusal); err != nil {
					return nil, err
				}
				return nil, refusal
			default:
				return nil, fmt.Errorf("%q before the answer to CONNECT", p)
			}
		}
	}
}

func (c *Client) read(packets []string) {
	for {
		for _, p := range packets {
			if err := c.take(p); err != nil {
				c.end(err)
				return
			}
		}
		var err error
		if packets, err = c.wire.receive(); err != nil {
			c.end(fmt.Errorf("%w: %w", ErrClosed, err))
			return
		}
	}
}

func (c *Client) take(p string) error {
	switch {
	case p == "2":
		if err := c.wire.send("3"); err != nil {
			return fmt.Errorf("%w: %w", ErrClosed, err)
		}
		return nil
	case p == "6":
		return nil
	case p == "1", p == "41":
		return ErrClosed
	case strings.HasPrefix(p, "42"):
		var args []json.RawMessage
		var e Event
		if err := json.Unmarshal([]byte(p[2:]), &args); err != nil || len(args) == 0 {
			return fmt.Errorf("event %q: %w", p, err)
		}
		if err := json.Unmarshal(args[0], &e.Name); err != nil {
			return err
		}
		e.Args = args[1:]
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.ended != nil {
			return c.ended
		}
		c.events = append(c.events, e)
		close(c.came)
		c.came = make(chan struct{})
		return nil
	case strings.HasPrefix(p, "43"):
		return c.takeAck(p[2:])
	}
	return fmt.Errorf("unexpected packet %q", p)
}

func (c *Client) takeAck(p string) error {
	cut := strings.IndexByte(p, '[')
	if cut < 0 {
		return fmt.Errorf("ack %q", p)
	}
	id, err := strconv.Atoi(p[:cut])
	var args []json.RawMessage
	if err = errors.Join(err, json.Unmarshal([]byte(p[cut:]), &args)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return c.ended
	}
	waiting, ok := c.acks[id]
	if !ok {
		return fmt.Errorf("ack %d that nobody waits for", id)
	}
	delete(c.acks, id)
	waiting <- args
	return nil
}

func (c *Client) end(err error) {
	c.wire.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		c.ended = err
		close(c.came)
		for _, waiting := range c.acks {
			close(waiting)
		}
	}
}

// Next waits for the next event. The error is [ErrClosed] if the connection has ended and all
// events have been returned, or that of ctx.
func (c *Client) Next(ctx context.Context) (Event, error) {
	for {
		c.mu.Lock()
		if len(c.events) > 0 {
			e := c.events[0]
			c.events = c.events[1:]
			c.mu.Unlock()
			return e, nil
		}
		came, ended := c.came, c.ended
		c.mu.Unlock()
		if ended != nil {
			return Event{}, ended
		}
		select {
		case <-came:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// Emit sends an event without asking for an acknowledgement.
func (c *Client) Emit(name string, args ...any) error {
	b, err := json.Marshal(append([]any{name}, args...))
	if err != nil {
		return err
	}
	return c.wire.send("42" + string(b))
}

// Call sends an event and returns the arguments of its acknowledgement.
func (c *Client) Call(ctx context.Context, name string, args ...any) ([]json.RawMessage, error) {
	b, err := json.Marshal(append([]any{name}, args...))
	if err != nil {
		return nil, err
	}
	waiting := make(chan []json.RawMessage, 1)
	c.mu.Lock()
	if c.ended != nil {
		defer c.mu.Unlock()
		return nil, c.ended
	}
	id := c.nextID
	c.nextID++
	c.acks[id] = waiting
	c.mu.Unlock()
	if err := c.wire.send("42" + strconv.Itoa(id) + string(b)); err != nil {
		return nil, err
	}
	select {
	case answer, ok := <-waiting:
		if !ok {
			return nil, ErrClosed
		}
		return answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Send sends a raw Engine.IO packet.
func (c *Client) Send(packet string) error { return c.wire.send(packet) }

// Close closes the connection without a packet, as a network failure does.
func (c *Client) Close() { c.end(ErrClosed) }
