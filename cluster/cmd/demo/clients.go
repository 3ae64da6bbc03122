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
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"mkt/cluster/system"
)

// watch are the clients of all accounts. Each account has one that polls /live, one that polls
// /changes, and one that follows the changes over the socket.
type watch struct {
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu   sync.Mutex
	of   map[string]*sighting // by account
	last time.Time            // of the previous report
}

// sighting has the observations of an account's clients since the last report.
type sighting struct {
	requests, failed int           // of both clients that poll
	published        time.Time     // of the newest live snapshot
	seen             time.Time     // when it was first seen
	gap              time.Duration // longest between two
	behind           int           // answers with an older snapshot than one before

	polled, pushed follower
	sessions       int           // connections of the socket
	offline        time.Duration // longest without a connection of the socket
}

// follower is the position of a client in the change log.
type follower struct {
	seq     uint64 // of the newest event
	events  int
	missing int // missing or repeated events since the start
	begun   int // times at which the position was refused, after which everything is read again
}

// take counts events, and the gaps before them.
func (f *follower) take(seqs []uint64) {
	for _, seq := range seqs {
		if seq != f.seq+1 {
			f.missing++
		}
		f.seq = seq
		f.events++
	}
}

func (d *demo) watch(ctx context.Context) *watch {
	d.Counter.Reset()
	ctx, cancel := context.WithCancel(ctx)
	w := &watch{cancel: cancel, of: map[string]*sighting{}, last: time.Now()}
	for _, a := range d.Accounts {
		s := new(sighting)
		w.of[a.ID] = s
		w.all.Go(func() { w.poll(ctx, d, a, s) })
		w.all.Go(func() { w.pollChanges(ctx, d, a, s) })
		w.all.Go(func() { w.follow(ctx, d, a, s) })
	}
	return w
}

func (w *watch) stop() {
	w.cancel()
	w.all.Wait()
}

// get requests a path. An unchanged answer has no body.
func (d *demo) get(ctx context.Context, a system.Account, path, tag string) (status int, answer *page, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.Balancer.URL()+path, nil)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+a.Token)
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
	if resp.StatusCode != http.StatusNotModified {
		err = json.Unmarshal(body, answer)
	}
	return resp.StatusCode, answer, err
}

// page has the parts of an answer that the clients read.
type page struct {
	tag  string
	Data []struct {
		Seq uint64 `json:"seq"`
	} `json:"data"`
	Pagination struct {
		NextCursor *string `json:"next_cursor"`
	} `json:"pagination"`
	Meta struct {
		PublishedAt   time.Time `json:"published_at"`
		ChangesSeq    uint64    `json:"changes_seq"`
		ChangesCursor string    `json:"changes_cursor"`
	} `json:"meta"`
	Error struct {
		Code string `json:"code"`
	} `json:"error"`
}

// poll requests the matches in play twice a second.
func (w *watch) poll(ctx context.Context, d *demo, a system.Account, s *sighting) {
	for tag := ""; sleep(ctx, 500*time.Millisecond) == nil; {
		status, answer, err := d.get(ctx, a, "/api/v1/live?limit=200", tag)
		if ctx.Err() != nil {
			return
		}
		w.mu.Lock()
		s.requests++
		now := time.Now()
		switch {
		case err != nil || status != http.StatusOK && status != http.StatusNotModified:
			s.failed++
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

// bootstrap returns the position of a client after it has read everything.
func (d *demo) bootstrap(ctx context.Context, a system.Account) (seq uint64, cursor string, err error) {
	status, answer, err := d.get(ctx, a, "/api/v1/fixtures?limit=1", "")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d", status)
	}
	if err != nil {
		return 0, "", err
	}
	return answer.Meta.ChangesSeq, answer.Meta.ChangesCursor, nil
}

// pollChanges requests the changes after the newest event twice a second.
func (w *watch) pollChanges(ctx context.Context, d *demo, a system.Account, s *sighting) {
	for cursor := ""; sleep(ctx, 500*time.Millisecond) == nil; {
		var answer *page
		var status int
		var seq uint64
		var err error
		if cursor == "" {
			seq, cursor, err = d.bootstrap(ctx, a)
			if err == nil {
				w.mu.Lock()
				s.polled.seq = seq
				w.mu.Unlock()
			}
			continue
		}
		status, answer, err = d.get(ctx, a, "/api/v1/changes?limit=200&cursor="+url.QueryEscape(cursor), "")
		if ctx.Err() != nil {
			return
		}
		w.mu.Lock()
		s.requests++
		switch {
		case err == nil && answer.Error.Code == "INVALID_CURSOR":
			s.polled.begun++
			cursor = ""
		case err != nil || status != http.StatusOK || answer.Pagination.NextCursor == nil:
			s.failed++
		default:
			var seqs []uint64
			for _, event := range answer.Data {
				seqs = append(seqs, event.Seq)
			}
			s.polled.take(seqs)
			cursor = *answer.Pagination.NextCursor
		}
		w.mu.Unlock()
	}
}

// follow keeps a connection of the socket open. When it is lost, it resumes after the last event.
func (w *watch) follow(ctx context.Context, d *demo, a system.Account, s *sighting) {
	begun := false
	lost := time.Now()
	joined := func() {
		if s.sessions++; s.sessions > 1 {
			s.offline = max(s.offline, time.Since(lost))
		}
	}
	for ctx.Err() == nil {
		if !begun {
			if seq, _, err := d.bootstrap(ctx, a); err == nil {
				w.mu.Lock()
				s.pushed.seq, begun = seq, true
				w.mu.Unlock()
			}
		}
		if begun && errors.Is(w.session(ctx, d, a, s, joined), errPosition) {
			w.mu.Lock()
			s.pushed.begun++
			w.mu.Unlock()
			begun = false
		}
		lost = time.Now()
		if sleep(ctx, 250*time.Millisecond) != nil {
			return
		}
	}
}

var errPosition = errors.New("the position is not in the log")

// reply is the service's answer to a subscription, or a push.
type reply struct {
	OK     *bool
	Cursor uint64
	Events []struct{ Seq uint64 }
	Error  struct{ Code string }
}

// session speaks Socket.IO v4 over a websocket until the connection ends. After it has
// subscribed, it calls joined with the lock held.
func (w *watch) session(ctx context.Context, d *demo, a system.Account, s *sighting, joined func()) error {
	conn, _, _, err := ws.Dial(ctx, strings.Replace(d.Balancer.URL(), "http", "ws", 1)+"/realtime/?EIO=4&transport=websocket")
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
			err = write(`40{"token":"` + a.Token + `"}`)
		case text == "2":
			err = write("3")
		case strings.HasPrefix(text, "44"):
			return errors.New(text)
		case strings.HasPrefix(text, `42["ready"`):
			w.mu.Lock()
			subscribe := fmt.Sprintf(`421["subscribe",{"channel":"changes","cursor":%d}]`, s.pushed.seq)
			w.mu.Unlock()
			err = write(subscribe)
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
			w.push(s, answers[0], joined)
		case strings.HasPrefix(text, `42["changes",`):
			var push reply
			body := strings.TrimSuffix(strings.TrimPrefix(text, `42["changes",`), "]")
			if err := json.Unmarshal([]byte(body), &push); err != nil {
				return fmt.Errorf("a push of changes: %w", err)
			}
			w.push(s, push, func() {})
		}
		if err != nil {
			return err
		}
	}
}

// push takes the events of a push or of the reply to a subscription.
func (w *watch) push(s *sighting, r reply, also func()) {
	var seqs []uint64
	for _, event := range r.Events {
		seqs = append(seqs, event.Seq)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	also()
	s.pushed.take(seqs)
	if r.Cursor != s.pushed.seq {
		s.pushed.missing++
	}
}

// report waits, and prints the observations of the clients since the report before.
func (d *demo) report(ctx context.Context, w *watch, what string) error {
	if err := sleep(ctx, d.look); err != nil {
		return err
	}
	cycles := d.cycles(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	d.say("%s: what clients saw in the last %.0f s", what, time.Since(w.last).Seconds())
	fmt.Printf("\n  %10s  polled:                                                        socket:\n", "")
	fmt.Printf("  %-10s  requests  failed  older  live waited  events  missing  again    events  missing  again  joined  offline\n", "")
	for _, id := range slices.Sorted(maps.Keys(w.of)) {
		s := w.of[id]
		fmt.Printf("  %-10s  %8d  %6d  %5d  %9.1f s  %6d  %7d  %5d    %6d  %7d  %5d  %6d  %5.1f s\n", id, s.requests, s.failed, s.behind,
			max(s.gap, time.Since(s.seen)).Seconds(), s.polled.events, s.polled.missing, s.polled.begun,
			s.pushed.events, s.pushed.missing, s.pushed.begun, max(s.sessions-1, 0), s.offline.Seconds())
		*s = sighting{published: s.published, seen: s.seen, sessions: min(s.sessions, 1),
			polled: follower{seq: s.polled.seq, missing: s.polled.missing}, pushed: follower{seq: s.pushed.seq, missing: s.pushed.missing}}
	}
	fmt.Printf("  cycles of the workers since they started: %s\n  the store was asked by all: %s\n\n", cycles, d.operations())
	w.last = time.Now()
	return nil
}

// operations describes the operations of the store since the last call.
func (d *demo) operations() string {
	var all []string
	counts := d.Counter.Counts()
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		n := counts[kind]
		all = append(all, fmt.Sprintf("%s %d (%.1f MB)", kind, n.Operations, float64(n.Sent+n.Received)/1e6))
	}
	d.Counter.Reset()
	return strings.Join(all, ", ")
}

// cycles describes how many cycles each worker has published since it started.
func (d *demo) cycles(ctx context.Context) string {
	var all []string
	for _, p := range d.Workers {
		n, err := p.Metric(ctx, "mkt_cycles_total", `outcome="published"`)
		if err != nil {
			all = append(all, p.Name+" does not answer")
			continue
		}
		all = append(all, fmt.Sprintf("%s %.0f", p.Name, n))
	}
	return strings.Join(all, ", ")
}

// verdict is an error if an event is missing, or nothing was received.
func (w *watch) verdict() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, s := range w.of {
		for name, f := range map[string]follower{"polling": s.polled, "the socket": s.pushed} {
			if f.missing > 0 || f.seq == 0 {
				return fmt.Errorf("%s: %s missed %d events; the newest has seq %d", id, name, f.missing, f.seq)
			}
		}
	}
	return nil
}
