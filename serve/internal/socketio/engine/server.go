package engine

import (
	"container/list"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"mkt/internal/deadline"
)

// Server is an http.Handler for one path. Safe for concurrent use.
type Server struct {
	o       Options
	writers writers
	live    sync.WaitGroup // sessions whose Closed has not been called yet

	mu       sync.Mutex
	draining bool
	sessions map[string]*Session // by id
	endings  list.List           // of *Session: those that have ended but whose client does not know yet, oldest first
	opened   uint64
	refused  uint64
	closed   map[string]uint64 // by reason
}

// New returns a server. o.Open is required.
func New(o Options) *Server {
	o.setDefaults()
	return &Server{o: o, sessions: map[string]*Session{}, closed: map[string]uint64{}}
}

// maxSilence returns how long a working client may send nothing, with a margin.
func (v *Server) maxSilence() time.Duration {
	return v.o.PingInterval + (maxAsking+1)*v.o.PingTimeout + 5*time.Second
}

// writeTimeout returns the write timeout for clients that have not been sent anything yet.
func (v *Server) writeTimeout() time.Duration { return v.o.WriteTimeout }

// begin creates a session. It returns nil if there are too many, or if the server is
// closing.
func (v *Server) begin(r *http.Request) *Session {
	s := &Session{server: v, id: newID(), header: v.keep(r.Header), peer: strings.Clone(v.o.Peer(r))}
	s.receiving.Lock() // the session may end before it has its receiver
	defer s.receiving.Unlock()
	s.mu.Lock()
	s.beat.lastPing = deadline.Elapsed()
	s.due = s.beat.lastPing + v.o.PingInterval
	s.timer = time.AfterFunc(v.o.PingInterval, s.tick)
	s.mu.Unlock()
	if !v.admit(s) {
		s.timer.Stop()
		return nil
	}
	if s.receiver = v.o.Open(s); s.receiver == nil {
		s.receiver = noReceiver{}
		s.discard()
		return nil
	}
	return s
}

func (s *Session) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == open {
		s.state = closed
		s.timer.Stop()
		s.server.undoAdmit(s)
	}
}

type noReceiver struct{}

func (noReceiver) Message([]byte, bool) error { return nil }
func (noReceiver) Closed(string)              {}

func (v *Server) admit(s *Session) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.draining || len(v.sessions)-v.endings.Len() >= v.o.MaxSessions {
		v.refused++
		return false
	}
	v.sessions[s.id] = s
	v.opened++
	v.live.Add(1)
	return true
}

func newID() string {
	var b [18]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// keep copies the headers of KeepHeaders, so that the others can be freed.
func (v *Server) keep(h http.Header) []headerLine {
	var kept []headerLine
	for _, name := range v.o.KeepHeaders {
		if values := h[name]; len(values) > 0 {
			line := headerLine{name, make([]string, len(values))}
			for i, value := range values {
				line.values[i] = strings.Clone(value)
			}
			kept = append(kept, line)
		}
	}
	return kept
}

func (v *Server) openPacket(s *Session) *Message {
	upgrades := []string{"websocket"}
	if s.ws != nil {
		upgrades = []string{}
	}
	data, err := json.Marshal(struct {
		Sid          string   `json:"sid"`
		Upgrades     []string `json:"upgrades"`
		PingInterval int64    `json:"pingInterval"`
		PingTimeout  int64    `json:"pingTimeout"`
		MaxPayload   int      `json:"maxPayload"`
	}{s.id, upgrades, v.o.PingInterval.Milliseconds(), v.o.PingTimeout.Milliseconds(), v.o.MaxPayload})
	if err != nil {
		panic(err) // strings and numbers
	}
	return newPacket(typeOpen, data, 0)
}

func (v *Server) find(id string) *Session {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.sessions[id]
}

func (v *Server) forget(s *Session) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.sessions, s.id)
	if s.unfetched != nil {
		v.endings.Remove(s.unfetched)
		s.unfetched = nil
	}
}

// maxEndings is the maximum number of ended sessions whose client does not know yet.
const maxEndings = 1000

// keepEnding keeps a session that has ended until its client has fetched the end. If there
// are too many, the oldest is dropped.
func (v *Server) keepEnding(s *Session) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s.unfetched = v.endings.PushBack(s)
	if v.endings.Len() > maxEndings {
		oldest := v.endings.Remove(v.endings.Front()).(*Session)
		oldest.unfetched = nil
		delete(v.sessions, oldest.id) // immediately, because Abort runs later and admit counts the sessions
		go oldest.Abort("")
	}
}

func (v *Server) undoAdmit(s *Session) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.sessions, s.id)
	v.opened--
	v.refused++
	v.live.Done()
}

func (v *Server) count(reason string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed[reason]++
}

func (v *Server) all() []*Session {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Collect(maps.Values(v.sessions))
}
