package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/servetest"
	"mkt/internal/testing/socketiotest"
)

var (
	followed    = flag.Uint64("follow", 4, "random histories that clients follow over a real server")
	followSteps = flag.Int("follow-steps", 80, "steps of each")
)

// Whatever happens (cut connections, restarts of the server, swaps of the snapshot, a window
// that moves on, pages of any size, either transport), a client that reconnects with its last
// cursor gets every event once and in order, and the same events as GET /changes; if that is
// impossible, it is told INVALID_CURSOR. Two clients in seven use HTTP. (-follow 20
// -follow-steps 80 is the long run.)
func TestSocketNothingIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	seeds, steps := *followed, *followSteps
	if testing.Short() {
		seeds, steps = 1, 10
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { follow(t, seed, steps) })
	}
}

func follow(t *testing.T, seed uint64, steps int) {
	w := published(t, 20, 1).start()
	h := &history{w: w, events: map[uint64]string{}}
	h.learn()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var list []*follower
	var wait sync.WaitGroup
	for i := range 5 {
		f := &follower{history: h, random: rand.New(rand.NewPCG(seed, uint64(i)))}
		list = append(list, f)
		wait.Go(func() { f.run(ctx) })
	}
	var pollers []*poller
	for i := range 2 {
		p := &poller{history: h, random: rand.New(rand.NewPCG(seed, uint64(100+i)))}
		pollers = append(pollers, p)
		wait.Go(func() { p.run(ctx) })
	}
	random := rand.New(rand.NewPCG(seed, 1000))
	for step := range steps {
		switch n := random.IntN(10); {
		case n == 0:
			h.restart()
		case n <= 2:
			for _, f := range list {
				f.cut.Store(random.IntN(2) == 0)
			}
		default:
			drop := 0
			if random.IntN(8) == 0 {
				drop = 1 + random.IntN(20)
			}
			h.publish(1+random.IntN(500), step+2, drop)
		}
		time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
	}
	last := h.last()
	for i, f := range list {
		eventually(t, fmt.Sprint("follower ", i, " is at the end"), func() bool { return f.at.Load() == last })
	}
	for i, p := range pollers {
		eventually(t, fmt.Sprint("poller ", i, " is at the end"), func() bool { return p.at.Load() == last })
	}
	cancel()
	wait.Wait()
	invalid := 0
	for _, p := range pollers {
		invalid += p.invalid
	}
	for _, f := range list {
		invalid += f.invalid
	}
	t.Logf("%d events, %d connections, %d positions lost to the window", last, h.connections.Load(), invalid)
}

// history is the list of the account's publications, according to GET /changes.
type history struct {
	w           *world
	connections atomic.Int64

	mu     sync.Mutex // also keeps the server up while it is held
	events map[uint64]string
	newest uint64
	first  uint64
}

func (h *history) publish(events, version, drop int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := servetest.Samples("acme", events, 1, version)
	c := h.w.root("acme").Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list), DropLog: drop})
	h.first, h.newest = c.FirstSeq, c.LastSeq
	h.learnLocked()
}

func (h *history) learn() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.learnLocked()
}

// learnLocked waits for the newest publication and reads its events over HTTP. An event must
// never change.
func (h *history) learnLocked() {
	eventually(h.w.t, "the publication is served", func() bool {
		var last uint64
		for _, e := range h.w.overHTTP("acme", 0) {
			last = seqOf(h.w.t, json.RawMessage(e))
			if before, known := h.events[last]; known && before != e {
				h.w.t.Errorf("seq %d was %s and is %s", last, before, e)
			}
			h.events[last] = e
		}
		return last >= h.newest
	})
}

func (h *history) restart() {
	h.mu.Lock()
	defer h.mu.Unlock()
	must(h.w.t, h.w.stop())
	h.w.start()
}

func (h *history) last() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.newest
}

// follower is a client as docs/clients.md describes it.
type follower struct {
	history *history
	random  *rand.Rand
	cut     atomic.Bool
	at      atomic.Uint64 // the last seq seen
	invalid int
}

func (f *follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		f.history.mu.Lock()
		s, err := f.history.w.dial("acme", transport(f.random.IntN(3) == 0))
		f.history.mu.Unlock()
		if err != nil { // a place may not be free yet
			time.Sleep(5 * time.Millisecond)
			continue
		}
		f.history.connections.Add(1)
		f.follow(ctx, s)
		s.Close()
	}
}

// follow resumes at its position and receives events until the connection ends or is to be
// cut.
func (f *follower) follow(ctx context.Context, s *socket) {
	for subscribed := false; !f.cut.Swap(false); {
		if f.random.IntN(30) == 0 {
			time.Sleep(time.Duration(f.random.IntN(500)) * time.Millisecond) // it is busy
		}
		if !subscribed || f.random.IntN(20) == 0 {
			if subscribed = f.subscribe(ctx, s); !subscribed {
				return
			}
		}
		wait, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		e, err := s.Next(wait)
		cancel()
		switch {
		case errors.Is(err, context.DeadlineExceeded):
		case err != nil:
			return
		case e.Name == "changes":
			var p push
			must(s.t, json.Unmarshal(checked(s.t, "changes", e.Args), &p))
			f.take(p.Events, p.Cursor)
		case e.Name != "ready":
			s.t.Errorf("%s came", e.Name)
		}
	}
}

func (f *follower) subscribe(ctx context.Context, s *socket) bool {
	// Pushes of the old subscription may arrive before the answer.
	_, err := s.Call(ctx, "unsubscribe", map[string]any{"channel": "changes"})
	for err == nil {
		now, cancel := context.WithCancel(ctx)
		cancel()
		var e socketiotest.Event
		if e, err = s.Next(now); err == nil && e.Name == "changes" {
			var p push
			must(s.t, json.Unmarshal(e.Args[0], &p))
			f.take(p.Events, p.Cursor)
		}
	}
	if !errors.Is(err, context.Canceled) || ctx.Err() != nil {
		return false
	}
	payload := map[string]any{"channel": "changes", "cursor": f.at.Load()}
	if f.random.IntN(2) == 0 {
		payload["backlog"] = 1 + f.random.IntN(200)
	}
	args, err := s.Call(ctx, "subscribe", payload)
	if err != nil {
		return false
	}
	var a answer
	must(s.t, json.Unmarshal(checked(s.t, "subscribed", args), &a))
	switch {
	case a.OK:
		f.take(a.Events, a.Cursor)
	case a.Error.Code == "INVALID_CURSOR":
		f.history.mu.Lock()
		if f.at.Load()+1 >= f.history.first {
			s.t.Errorf("INVALID_CURSOR at %d, and the window begins at %d", f.at.Load(), f.history.first)
		}
		f.at.Store(f.history.first - 1) // it would page the fixtures now
		f.history.mu.Unlock()
		f.invalid++
		return false
	default:
		s.t.Errorf("subscribe: %+v", a)
	}
	return a.OK
}

// take checks that the received events are the next ones according to HTTP.
func (f *follower) take(events []json.RawMessage, cursor uint64) {
	t := f.history.w.t
	for _, e := range events {
		seq := seqOf(t, e)
		if seq != f.at.Load()+1 {
			t.Errorf("seq %d after %d", seq, f.at.Load())
		}
		f.history.mu.Lock()
		if want := f.history.events[seq]; want != "" && want != string(e) {
			t.Errorf("seq %d is %s over the socket, %s over HTTP", seq, e, want)
		}
		f.history.mu.Unlock()
		f.at.Store(seq)
	}
	if cursor != f.at.Load() {
		t.Errorf("cursor %d, and the last event is %d", cursor, f.at.Load())
	}
}
