package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// watch are the clients of all accounts: for each one that polls /live, and one that follows
// the changes over the socket.
type watch struct {
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu   sync.Mutex
	of   map[string]*sighting // by account
	last time.Time            // of the previous report
}

// sighting is what the clients of an account saw.
type sighting struct {
	requests, refused int           // of the client that polls
	published         time.Time     // of the newest live snapshot
	seen              time.Time     // when it was first seen
	gap               time.Duration // longest between two since the last report
	behind            int           // answers with an older snapshot than one before

	seq      uint64 // of the newest event of the socket
	events   int
	missing  int           // events that did not come
	sessions int           // connections of the socket
	offline  time.Duration // longest without a connection since the last report
	begun    int           // times at which the position was refused, so that everything was read again
}

func (c *cluster) watch(ctx context.Context) *watch {
	c.counter.Reset()
	ctx, cancel := context.WithCancel(ctx)
	w := &watch{cancel: cancel, of: map[string]*sighting{}, last: time.Now()}
	for _, a := range c.accounts {
		s := new(sighting)
		w.of[a.id] = s
		w.all.Go(func() { w.poll(ctx, c, a, s) })
		w.all.Go(func() { w.follow(ctx, c, a, s) })
	}
	return w
}

func (w *watch) stop() {
	w.cancel()
	w.all.Wait()
}

// get requests a path. An unchanged answer has no body.
func (c *cluster) get(ctx context.Context, a account, path, tag string) (status int, answer *page, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.balancer.URL()+path, nil)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return 0, nil, err
	}
	answer = &page{tag: cmp.Or(resp.Header.Get("ETag"), tag)}
	if resp.StatusCode == http.StatusOK {
		err = json.Unmarshal(body, answer)
	}
	return resp.StatusCode, answer, err
}

type page struct {
	tag  string
	Meta struct {
		PublishedAt time.Time `json:"published_at"`
		ChangesSeq  *uint64   `json:"changes_seq"`
	} `json:"meta"`
}

// poll requests the matches in play twice a second.
func (w *watch) poll(ctx context.Context, c *cluster, a account, s *sighting) {
	for tag := ""; sleep(ctx, 500*time.Millisecond) == nil; {
		status, answer, err := c.get(ctx, a, "/api/v1/live?limit=200", tag)
		if ctx.Err() != nil {
			return
		}
		w.mu.Lock()
		s.requests++
		now := time.Now()
		switch {
		case err != nil || status != http.StatusOK && status != http.StatusNotModified:
			s.refused++
		case status == http.StatusNotModified:
		case answer.Meta.PublishedAt.After(s.published):
			if !s.seen.IsZero() {
				s.gap = max(s.gap, now.Sub(s.seen))
			}
			s.published, s.seen = answer.Meta.PublishedAt, now
		case answer.Meta.PublishedAt.Before(s.published):
			s.behind++
		}
		if err == nil {
			tag = answer.tag
		}
		w.mu.Unlock()
	}
}

// follow keeps a connection of the socket open, and resumes after the last event when it is
// lost.
func (w *watch) follow(ctx context.Context, c *cluster, a account, s *sighting) {
	var cursor *uint64
	lost := time.Now()
	for ctx.Err() == nil {
		joined := func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			if s.sessions++; s.sessions > 1 {
				s.offline = max(s.offline, time.Since(lost))
			}
		}
		err := w.session(ctx, c, a, s, &cursor, joined)
		lost = time.Now()
		if errors.Is(err, errPosition) {
			w.mu.Lock()
			s.begun++
			w.mu.Unlock()
			cursor = nil
		}
		if sleep(ctx, 250*time.Millisecond) != nil {
			return
		}
	}
}

var errPosition = errors.New("the position is not in the log")

// reply is what the service says to a subscription, and what it pushes.
type reply struct {
	OK     *bool
	Cursor uint64
	Events []struct{ Seq uint64 }
	Error  struct{ Code string }
}

// session speaks Socket.IO v4 over a websocket until the connection ends.
func (w *watch) session(ctx context.Context, c *cluster, a account, s *sighting, cursor **uint64, joined func()) error {
	if *cursor == nil {
		status, answer, err := c.get(ctx, a, "/api/v1/fixtures?limit=1", "")
		if err != nil || status != http.StatusOK || answer.Meta.ChangesSeq == nil {
			return fmt.Errorf("status %d: %w", status, err)
		}
		*cursor = answer.Meta.ChangesSeq
	}
	conn, _, _, err := ws.Dial(ctx, strings.Replace(c.balancer.URL(), "http", "ws", 1)+"/realtime/?EIO=4&transport=websocket")
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	write := func(text string) error { return wsutil.WriteClientText(conn, []byte(text)) }
	for {
		// The service sends a ping every ten seconds.
		if err := conn.SetReadDeadline(time.Now().Add(25 * time.Second)); err != nil {
			return err
		}
		packet, err := wsutil.ReadServerText(conn)
		if err != nil {
			return err
		}
		text := string(packet)
		switch {
		case strings.HasPrefix(text, "0"):
			err = write(`40{"token":"` + a.token + `"}`)
		case text == "2":
			err = write("3")
		case strings.HasPrefix(text, "44"):
			return errors.New(text)
		case strings.HasPrefix(text, `42["ready"`):
			err = write(fmt.Sprintf(`421["subscribe",{"channel":"changes","cursor":%d}]`, **cursor))
		case strings.HasPrefix(text, "431"):
			var answers []reply
			if err := json.Unmarshal([]byte(text[len("431"):]), &answers); err != nil || len(answers) != 1 {
				return fmt.Errorf("the reply to subscribe: %w", err)
			}
			if answers[0].OK == nil || !*answers[0].OK {
				if answers[0].Error.Code == "INVALID_CURSOR" {
					return errPosition
				}
				return errors.New(answers[0].Error.Code)
			}
			joined()
			w.take(s, cursor, answers[0])
		case strings.HasPrefix(text, `42["changes",`):
			var push reply
			body := strings.TrimSuffix(strings.TrimPrefix(text, `42["changes",`), "]")
			if err := json.Unmarshal([]byte(body), &push); err != nil {
				return fmt.Errorf("a push of changes: %w", err)
			}
			w.take(s, cursor, push)
		}
		if err != nil {
			return err
		}
	}
}

// take counts events, and those that are missing before them.
func (w *watch) take(s *sighting, cursor **uint64, r reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := **cursor
	for _, event := range r.Events {
		if event.Seq != at+1 {
			s.missing++
		}
		at = event.Seq
		s.events++
	}
	if len(r.Events) > 0 && r.Cursor != at {
		s.missing++
	}
	s.seq, *cursor = at, &at
}

// report waits, and prints what the clients saw since the report before.
func (c *cluster) report(ctx context.Context, w *watch, what string) error {
	if err := sleep(ctx, c.look); err != nil {
		return err
	}
	cycles := c.cycles(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	c.say("%s: what clients saw in the last %.0f s", what, time.Since(w.last).Seconds())
	fmt.Printf("\n  %-10s  %8s  %6s  %5s  %11s  %6s  %7s  %9s  %7s\n", "", "requests", "failed", "older", "live waited", "events", "missing", "reconnect", "offline")
	for _, id := range slices.Sorted(maps.Keys(w.of)) {
		s := w.of[id]
		fmt.Printf("  %-10s  %8d  %6d  %5d  %9.1f s  %6d  %7d  %9d  %5.1f s\n", id, s.requests, s.refused, s.behind,
			max(s.gap, time.Since(s.seen)).Seconds(), s.events, s.missing, max(s.sessions-1, 0)+s.begun, s.offline.Seconds())
		*s = sighting{published: s.published, seen: s.seen, seq: s.seq, sessions: min(s.sessions, 1), missing: s.missing}
	}
	fmt.Printf("  cycles of the workers since they started: %s\n  the store was asked by all: %s\n\n", cycles, c.operations())
	w.last = time.Now()
	return nil
}

// operations says what was asked of the store since the last call.
func (c *cluster) operations() string {
	var all []string
	counts := c.counter.Counts()
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		n := counts[kind]
		all = append(all, fmt.Sprintf("%s %d (%.1f MB)", kind, n.Operations, float64(n.Sent+n.Received)/1e6))
	}
	c.counter.Reset()
	return strings.Join(all, ", ")
}

// cycles says how many cycles each worker has published since it started.
func (c *cluster) cycles(ctx context.Context) string {
	var all []string
	for _, p := range c.workers {
		n, err := p.published(ctx)
		if err != nil {
			all = append(all, p.name+" does not answer")
			continue
		}
		all = append(all, fmt.Sprintf("%s %.0f", p.name, n))
	}
	return strings.Join(all, ", ")
}

// verdict is an error if an event is missing.
func (w *watch) verdict() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, s := range w.of {
		if s.missing > 0 || s.seq == 0 {
			return fmt.Errorf("%s: %d events are missing, the newest is %d", id, s.missing, s.seq)
		}
	}
	return nil
}
