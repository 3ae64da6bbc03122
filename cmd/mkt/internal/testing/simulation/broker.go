package simulation

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Rates of the faults of one message over NATS.
const (
	messageLostRate  = 1.0 / 6_000
	answerLostRate   = 1.0 / 6_000
	messageTwiceRate = 1.0 / 6_000
	messageLateRate  = 1.0 / 10_000
	connectionRate   = 1.0 / 12_000 // the connection is cut
	messageKillRate  = 1.0 / 20_000
	newsLostRate     = 1.0 / 6 // one replica does not hear of a publication: it has it later than the others
)

// broker is a server of the part of the NATS protocol, and of JetStream, that package coordination
// uses: messages, requests, and streams with one message a subject that expires. The module cluster
// tests the same package against real servers.
type broker struct {
	w *world

	mu       sync.Mutex
	down     bool
	clients  map[*client]bool
	number   int
	streams  map[string]*stream
	requests map[string]string // their names by the inbox of the answer
}

type stream struct {
	config   json.RawMessage
	created  time.Time
	last     uint64
	subjects string // the prefix of its subjects
	age      time.Duration
	messages map[string]message // by subject
}

type message struct {
	seq     uint64
	header  []byte
	data    []byte
	at      time.Time
	expires time.Time
}

// client is a connection of a client.
type client struct {
	b      *broker
	number int
	life   *life
	conn   net.Conn
	subs   map[string]string // subject by id
	out    *queue[[]byte]
}

// frame is a message from a client.
type frame struct {
	subject, reply string
	header, data   []byte
}

func newBroker(w *world) *broker {
	return &broker{w: w, clients: map[*client]bool{}, streams: map[string]*stream{}, requests: map[string]string{}}
}

// restart cuts all connections, and forgets everything: the streams are in memory.
func (b *broker) restart(forget bool) {
	b.mu.Lock()
	clients := b.sortedClients()
	if forget {
		b.streams = map[string]*stream{}
	}
	b.mu.Unlock()
	for _, c := range clients {
		c.conn.Close()
	}
}

func (b *broker) stop(down bool) {
	b.mu.Lock()
	b.down = down
	b.mu.Unlock()
	if down {
		b.restart(false)
	}
}

func (b *broker) sortedClients() []*client {
	return slices.SortedFunc(maps.Keys(b.clients), func(x, y *client) int { return x.number - y.number })
}

// dialer connects a life of a machine; it implements nats.CustomDialer.
type dialer struct {
	b *broker
	l *life
}

func (d *dialer) Dial(string, string) (net.Conn, error) {
	d.b.mu.Lock()
	defer d.b.mu.Unlock()
	if d.b.down || d.l.machine.isCut() || d.l.dead.Load() || d.b.w.isStopped() {
		return nil, errors.New("connection refused")
	}
	near, far := net.Pipe()
	d.b.number++
	c := &client{b: d.b, number: d.b.number, life: d.l, conn: far, subs: map[string]string{}, out: newQueue[[]byte]()}
	d.b.clients[c] = true
	context.AfterFunc(d.l.ctx, func() { far.Close() })
	c.out.put([]byte(`INFO {"server_id":"simulation","server_name":"simulation","version":"2.15.2","proto":1,"headers":true,"jetstream":true,"max_payload":1048576}` + "\r\n"))
	d.b.w.Add(2)
	go c.read()
	go c.write()
	return near, nil
}

func (c *client) read() {
	defer c.b.w.Done()
	defer c.out.close()
	in := bufio.NewReader(c.conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch strings.ToUpper(words[0]) {
		case "PING":
			c.out.put([]byte("PONG\r\n"))
		case "SUB":
			c.b.mu.Lock()
			c.subs[words[len(words)-1]] = words[1]
			c.b.mu.Unlock()
		case "UNSUB":
			if len(words) == 2 {
				c.b.mu.Lock()
				delete(c.subs, words[1])
				c.b.mu.Unlock()
			}
		case "PUB", "HPUB":
			f, err := readFrame(in, words)
			if err != nil {
				return
			}
			if o, err := c.b.w.register(&c.life.actor, "message", c.b.about(f)); err == nil {
				c.b.w.Add(1)
				go c.take(f, o)
			}
		}
	}
	c.b.mu.Lock()
	delete(c.b.clients, c)
	c.b.mu.Unlock()
	c.conn.Close()
}

func readFrame(in io.Reader, words []string) (f frame, err error) {
	headers, sizes := 0, 1
	if strings.ToUpper(words[0]) == "HPUB" {
		sizes = 2
		if headers, err = strconv.Atoi(words[len(words)-2]); err != nil {
			return f, err
		}
	}
	f.subject = words[1]
	if len(words) == sizes+3 {
		f.reply = words[2]
	}
	size, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return f, err
	}
	body := make([]byte, size+2)
	if _, err := io.ReadFull(in, body); err != nil {
		return f, err
	}
	f.header, f.data = body[:headers], body[headers:size]
	return f, nil
}

func (c *client) write() {
	defer c.b.w.Done()
	for {
		data, ok := c.out.take()
		if !ok {
			return
		}
		if _, err := c.conn.Write(data); err != nil {
			c.conn.Close()
		}
	}
}

// take handles a message of a client. Messages of one instant may overtake each other: which of two
// goroutines of a client writes first is not decided by the seed.
func (c *client) take(f frame, o *operation) {
	defer c.b.w.Done()
	w, name := c.b.w, o.name
	if <-o.turn != nil {
		return
	}
	c.b.asked(f, name)
	if !sleep(c.life.ctx, w.span("latency", name, 100*time.Microsecond, 3*time.Millisecond)) {
		return
	}
	switch {
	case c.life.machine.isCut():
	case w.happens("killed", name, messageKillRate):
		if w.pick("when", name, 2) == 0 {
			c.b.handle(f, false)
		}
		c.life.kill(name)
	case w.happens("message lost", name, messageLostRate):
	case w.happens("answer lost", name, answerLostRate):
		c.b.handle(f, false)
	case w.happens("connection cut", name, connectionRate):
		c.conn.Close()
	case w.happens("message twice", name, messageTwiceRate):
		c.b.handle(f, true)
		c.b.handle(f, false)
	case w.happens("message late", name, messageLateRate):
		sleep(c.life.ctx, w.span("late", name, 100*time.Millisecond, 6*time.Second))
		c.b.handle(f, true)
	default:
		c.b.handle(f, true)
	}
}

// about returns what a message is about, without anything random: names of inboxes are.
func (b *broker) about(f frame) string {
	if !strings.HasPrefix(f.subject, "_INBOX.") {
		if strings.Contains(f.subject, ".MSG.GET.") {
			return f.subject + " " + string(f.data)
		}
		return f.subject
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return "answer to " + b.requests[f.subject]
}

// asked remembers the request that is answered to an inbox.
func (b *broker) asked(f frame, name string) {
	if strings.HasPrefix(f.reply, "_INBOX.") {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.requests[f.reply] = name
	}
}

// handle does what a message asks for. answered is false if the answer is lost.
func (b *broker) handle(f frame, answered bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if api, ok := strings.CutPrefix(f.subject, "$JS.API."); ok {
		if answer := b.api(api, f.data); answered && f.reply != "" {
			b.deliver(frame{subject: f.reply, data: answer})
		}
		return
	}
	for _, s := range b.streams {
		if strings.HasPrefix(f.subject, s.subjects) {
			if answer := s.store(f); answered && f.reply != "" {
				b.deliver(frame{subject: f.reply, data: answer})
			}
			return
		}
	}
	if !answered {
		return
	}
	if !b.deliver(f) && f.reply != "" {
		b.deliver(frame{subject: f.reply, header: []byte("NATS/1.0 503\r\n\r\n")})
	}
}

// deliver passes a message on, and reports whether somebody wants it.
func (b *broker) deliver(f frame) (wanted bool) {
	for _, c := range b.sortedClients() {
		for _, id := range sorted(c.subs) {
			if !fits(c.subs[id], f.subject) {
				continue
			}
			if strings.HasPrefix(f.subject, "mkt.news.") && b.w.happens("news lost", c.life.machine.name+" "+f.subject+" "+string(f.data), newsLostRate) {
				continue
			}
			wanted = true
			var out bytes.Buffer
			reply := f.reply
			if reply != "" {
				reply += " "
			}
			if len(f.header) > 0 {
				fmt.Fprintf(&out, "HMSG %s %s %s%d %d\r\n", f.subject, id, reply, len(f.header), len(f.header)+len(f.data))
			} else {
				fmt.Fprintf(&out, "MSG %s %s %s%d\r\n", f.subject, id, reply, len(f.data))
			}
			out.Write(f.header)
			out.Write(f.data)
			out.WriteString("\r\n")
			c.out.put(out.Bytes())
		}
	}
	return wanted
}

func fits(pattern, subject string) bool {
	p, s := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, word := range p {
		if word == ">" {
			return len(s) > i
		}
		if i >= len(s) || word != "*" && word != s[i] {
			return false
		}
	}
	return len(p) == len(s)
}

type apiError struct {
	Code        int    `json:"code"`
	ErrorCode   int    `json:"err_code"`
	Description string `json:"description"`
}

// The error codes of JetStream.
const (
	streamNotFound  = 10059
	streamInUse     = 10058
	messageNotFound = 10037
	wrongSequence   = 10071
)

func refusal(code int, text string) []byte {
	answer, _ := json.Marshal(map[string]any{"error": apiError{400, code, text}})
	return answer
}

// api answers a request to JetStream.
func (b *broker) api(subject string, data []byte) []byte {
	now := time.Now()
	if name, ok := strings.CutPrefix(subject, "STREAM.MSG.GET."); ok {
		var wanted struct {
			Last string `json:"last_by_subj"`
		}
		_ = json.Unmarshal(data, &wanted)
		s := b.streams[name]
		if s == nil {
			return refusal(streamNotFound, "stream not found")
		}
		m, ok := s.messages[wanted.Last]
		if !ok || now.After(m.expires) {
			return refusal(messageNotFound, "no message found")
		}
		answer, _ := json.Marshal(map[string]any{"message": map[string]any{"subject": wanted.Last, "seq": m.seq, "hdrs": m.header, "data": m.data, "time": m.at.UTC()}})
		return answer
	}
	verb, name := subject[:strings.LastIndex(subject, ".")], subject[strings.LastIndex(subject, ".")+1:]
	s := b.streams[name]
	switch {
	case verb == "STREAM.CREATE" && s != nil:
		return refusal(streamInUse, "stream name already in use")
	case verb == "STREAM.CREATE":
		var config struct {
			Subjects []string      `json:"subjects"`
			FirstSeq uint64        `json:"first_seq"`
			Age      time.Duration `json:"max_age"`
		}
		_ = json.Unmarshal(data, &config)
		s = &stream{config: bytes.Clone(data), created: now, last: max(config.FirstSeq, 1) - 1, subjects: strings.TrimSuffix(config.Subjects[0], ">"), age: config.Age, messages: map[string]message{}}
		b.streams[name] = s
	case s == nil:
		return refusal(streamNotFound, "stream not found")
	case verb == "STREAM.UPDATE":
		s.config = bytes.Clone(data)
	}
	answer, _ := json.Marshal(map[string]any{"config": s.config, "created": s.created.UTC(), "ts": now.UTC(), "state": map[string]any{"messages": len(s.messages), "last_seq": s.last}})
	return answer
}

// store stores a message if it comes after the expected one.
func (s *stream) store(f frame) []byte {
	now := time.Now()
	header := textproto.MIMEHeader{}
	if _, lines, ok := bytes.Cut(f.header, []byte("\r\n")); ok {
		header, _ = textproto.NewReader(bufio.NewReader(bytes.NewReader(lines))).ReadMIMEHeader()
	}
	before, there := s.messages[f.subject]
	if there && now.After(before.expires) {
		before = message{}
	}
	if text := header.Get("Nats-Expected-Last-Subject-Sequence"); text != "" {
		if expected, _ := strconv.ParseUint(text, 10, 64); expected != before.seq {
			return refusal(wrongSequence, fmt.Sprintf("wrong last sequence: %d", before.seq))
		}
	}
	age := s.age
	if ttl, err := time.ParseDuration(header.Get("Nats-TTL")); err == nil {
		age = min(age, ttl)
	}
	s.last++
	s.messages[f.subject] = message{seq: s.last, header: f.header, data: f.data, at: now, expires: now.Add(age)}
	answer, _ := json.Marshal(map[string]any{"stream": "leases", "seq": s.last})
	return answer
}

// queue is a channel without a bound. A client that does not read must not stop the broker.
type queue[T any] struct {
	mu     sync.Mutex
	list   []T
	closed bool
	some   chan struct{}
}

func newQueue[T any]() *queue[T] { return &queue[T]{some: make(chan struct{}, 1)} }

func (q *queue[T]) put(v T) {
	q.mu.Lock()
	q.list = append(q.list, v)
	q.mu.Unlock()
	q.wake()
}

func (q *queue[T]) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.wake()
}

func (q *queue[T]) wake() {
	select {
	case q.some <- struct{}{}:
	default:
	}
}

// take waits for the next value; false after the last.
func (q *queue[T]) take() (v T, ok bool) {
	for {
		q.mu.Lock()
		if len(q.list) > 0 {
			v, q.list = q.list[0], q.list[1:]
			q.mu.Unlock()
			return v, true
		}
		closed := q.closed
		q.mu.Unlock()
		if closed {
			return v, false
		}
		<-q.some
	}
}
