package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/servetest"
	"mkt/internal/testing/socketiotest"
	"mkt/publish/layout"
	"mkt/serve"
	"mkt/serve/asof"
	"mkt/serve/replay"
)

// recording is what clients of a running server got, by the time at which it was published.
type recording struct {
	times  []time.Time
	bodies map[time.Time]map[string]string
	pushes map[time.Time][]string // to a socket that was subscribed to everything from the first time on
}

// recorded publishes markets for some hours and live matches for some seconds, and records the answers
// and pushes of a server after each publication.
func recorded(t *testing.T) (*world, *recording) {
	w := published(t, 5, 3)
	w.realtime.Tick = 10 * time.Millisecond
	w.live("acme").Publish(servetest.LiveSamples("acme", 5, 1, servetest.Start.Add(-time.Second)))
	w.setClock(servetest.Start)
	w.start()
	r := &recording{[]time.Time{servetest.Start}, map[time.Time]map[string]string{servetest.Start: answersOf(w)}, map[time.Time][]string{}}
	s := subscribed(w)
	publish := func(at time.Time, do func(), pushes int) {
		w.setClock(at)
		do()
		r.pushes[at] = s.pushed(pushes)
		r.times, r.bodies[at] = append(r.times, at), answersOf(w)
	}
	for n := 2; n < 5; n++ {
		at := servetest.Start.Add(time.Duration(n-1) * servetest.LiveTick)
		publish(at, func() { w.live("acme").Publish(servetest.LiveSamples("acme", 5, n, at.Add(-time.Second))) }, 1)
	}
	for n := 2; n < 6; n++ {
		pushes := 1
		if n == 2 {
			pushes++ // the live feed became stale
		}
		publish(servetest.Start.Add(time.Duration(n-1)*time.Hour), func() { w.publish("acme", 4+n%3, 2, n) }, pushes)
	}
	must(t, w.stop())
	return w, r
}

// answersOf returns the bodies that a client gets, without those that describe the account as it is today.
func answersOf(w *world) map[string]string {
	return w.record(slices.DeleteFunc(askedThen(w), func(p string) bool { return slices.Contains([]string{"/account", "/status", "/account/provider"}, p) }))
}

func subscribed(w *world) *socket {
	s, _ := w.connect("acme")
	for _, channel := range []string{"changes", "live"} {
		if a := s.ask("subscribe", map[string]any{"channel": channel}); !a.OK {
			w.t.Fatalf("subscribe to %s: %+v", channel, a.Error)
		}
	}
	return s
}

// pushed returns the next n events by name, which may come in any order.
func (s *socket) pushed(n int) (list []string) {
	s.t.Helper()
	for range n {
		ctx, cancel := context.WithTimeout(context.Background(), check.Limit)
		e, err := s.Next(ctx)
		cancel()
		must(s.t, err)
		list = append(list, e.Name+" "+string(checked(s.t, e.Name, e.Args)))
	}
	slices.Sort(list)
	return list
}

// dropped waits for the end of the connection; live snapshots may precede it.
func (s *socket) dropped() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), check.Limit)
	defer cancel()
	for {
		e, err := s.Next(ctx)
		if errors.Is(err, socketiotest.ErrClosed) {
			return
		}
		if must(s.t, err); e.Name != "live" {
			s.t.Fatalf("%s came, and not the end of the connection", e.Name)
		}
	}
}

// replayed starts a server of the past on the data of another.
func (w *world) replayed(c *asof.Clock, r replay.Options) *world {
	w.t.Helper()
	past := &world{t: w.t, dataDir: w.dataDir, registry: w.registry, log: w.log, realtime: w.realtime, mu: w.mu,
		accounts: w.accounts, tokens: w.tokens, roots: w.roots, lives: w.lives, listen: "127.0.0.1:0", past: c, replay: r, edit: w.edit}
	past.setClock(w.now())
	return past.start()
}

func (r *recording) compare(t *testing.T, w *world, at time.Time) {
	t.Helper()
	got := answersOf(w)
	for p, want := range r.bodies[at] {
		if got[p] != want {
			t.Errorf("at %v, %s:\n%s\nwas\n%s", at, p, got[p], want)
		}
	}
}

// TestReplayByHand: each step gives the bodies and the pushes of the next publication, byte for byte, and
// after the end the replay begins again: connections end as after a restored backup. The commit
// records were read at opening and are not needed again.
func TestReplayByHand(t *testing.T) {
	t.Parallel()
	w, r := recorded(t)
	type event struct {
		what replay.Event
		at   time.Time
	}
	step, events := make(chan struct{}), make(chan event, 9)
	from, to := r.times[0], r.times[len(r.times)-1].Add(time.Minute)
	then := w.replayed(asof.Replay(from, to, 0, time.Now), replay.Options{Loop: true, Step: step, Moved: func(what replay.Event, at time.Time) { events <- event{what, at} }})
	for _, dir := range []string{w.root("acme").Dir, w.live("acme").Dir} {
		records, err := filepath.Glob(filepath.Join(dir, layout.CommitsDir, "*"))
		must(t, err)
		if len(records) == 0 {
			t.Fatal("no commit records in ", dir)
		}
		for _, name := range records {
			must(t, os.Remove(name))
		}
	}
	expect := func(what replay.Event, at time.Time) {
		t.Helper()
		select {
		case e := <-events:
			if e.what != what || !e.at.Equal(at) {
				t.Fatalf("%s at %v, want %s at %v", e.what, e.at, what, at)
			}
		case <-time.After(check.Limit):
			t.Fatalf("no event %s", what)
		}
	}
	for round := range 2 {
		r.compare(t, then, from)
		s := subscribed(then)
		for _, at := range r.times[1:] {
			step <- struct{}{}
			expect(replay.Stepped, at)
			r.compare(t, then, at)
			if got := s.pushed(len(r.pushes[at])); !slices.Equal(got, r.pushes[at]) {
				t.Errorf("round %d, pushed at %v:\n%s\nwas\n%s", round, at, got, r.pushes[at])
			}
		}
		step <- struct{}{}
		expect(replay.Ended, to)
		expect(replay.Rewound, from)
		s.dropped()
	}
	if r := then.get("/changes?cursor="+laterCursor(t, r), "acme"); r.code() != "INVALID_CURSOR" {
		t.Errorf("a cursor of the end of the replay, at its beginning: %d %s", r.status, r.body)
	}
	must(t, then.stop())
}

// TestReplayWithADamagedRecord: the publication is left out, and all others are served as they were.
func TestReplayWithADamagedRecord(t *testing.T) {
	t.Parallel()
	w, r := recorded(t)
	damaged := servetest.Start.Add(2 * time.Hour) // of version 3, which a search looks at first
	name := filepath.Join(w.root("acme").Dir, filepath.FromSlash(layout.Commit(3)))
	text, err := os.ReadFile(name)
	must(t, err)
	must(t, os.WriteFile(name, text[:len(text)/2], 0o600))
	step, steps := make(chan struct{}), make(chan time.Time, 9)
	from, to := r.times[0], r.times[len(r.times)-1].Add(time.Minute)
	then := w.replayed(asof.Replay(from, to, 0, time.Now), replay.Options{Step: step, Moved: func(_ replay.Event, at time.Time) { steps <- at }})
	r.compare(t, then, from)
	for _, at := range r.times[1:] {
		if at.Equal(damaged) {
			continue
		}
		step <- struct{}{}
		select {
		case got := <-steps:
			if !got.Equal(at) {
				t.Fatalf("a step to %v, want %v", got, at)
			}
		case <-time.After(check.Limit):
			t.Fatalf("no step to %v", at)
		}
		r.compare(t, then, at)
	}
	must(t, then.stop())
}

// laterCursor is the cursor of changes that clients had at the end of a recording.
func laterCursor(t *testing.T, r *recording) string {
	var body struct {
		Meta struct {
			ChangesCursor string `json:"changes_cursor"`
		}
	}
	_, text, _ := strings.Cut(r.bodies[r.times[len(r.times)-1]]["/fixtures"], " ") // after the status
	must(t, json.Unmarshal([]byte(text), &body))
	return body.Meta.ChangesCursor
}

// TestReplayRuns: at any speed a socket gets every event in order, and after the end the last
// publications are served.
func TestReplayRuns(t *testing.T) {
	t.Parallel()
	w, r := recorded(t)
	var want []string
	for _, at := range r.times {
		for _, p := range r.pushes[at] {
			if text, ok := strings.CutPrefix(p, "changes "); ok {
				var body push
				must(t, json.Unmarshal([]byte(text), &body))
				want = append(want, texts(body.Events)...)
			}
		}
	}
	from, to := r.times[0], r.times[len(r.times)-1]
	for _, speed := range []float64{3600, 36000, 1e7} {
		var began atomic.Pointer[time.Time] // the clock stands until the socket is subscribed
		real := func() time.Time {
			if at := began.Load(); at != nil {
				return to.Add(time.Since(*at))
			}
			return to
		}
		ended := make(chan struct{})
		then := w.replayed(asof.Replay(from, to, speed, real), replay.Options{Moved: func(replay.Event, time.Time) { close(ended) }})
		s, _ := then.connect("acme")
		if a := s.ask("subscribe", map[string]any{"channel": "changes"}); !a.OK {
			t.Fatalf("subscribe: %+v", a.Error)
		}
		now := time.Now()
		began.Store(&now)
		var got []string
		seen := uint64(0)
		for len(got) < len(want) {
			p := s.changes()
			for _, e := range p.Events {
				if seqOf(t, e) <= seen {
					t.Fatalf("seq %d follows %d", seqOf(t, e), seen)
				}
				seen = seqOf(t, e)
			}
			got = append(got, texts(p.Events)...)
		}
		<-ended
		if fmt.Sprint(got[len(got)-len(want):]) != fmt.Sprint(want) {
			t.Errorf("at %v: other events, or in another order", speed)
		}
		r.compare(t, then, to)
		must(t, then.stop())
	}
}

// TestReplayTooFast: a speed that loading cannot follow is refused, with one that it can.
func TestReplayTooFast(t *testing.T) {
	t.Parallel()
	w := published(t, 40, 20)
	for n := 2; n < 30; n++ {
		w.publish("acme", 40, 20, n)
	}
	err := serve.Run(context.Background(), serve.Options{Listen: "127.0.0.1:0", DataDir: w.dataDir, CacheDir: t.TempDir(), Accounts: w.registry,
		Clock: asof.Replay(servetest.Start, servetest.Start.Add(30*time.Hour), 1e9, time.Now), Ready: func(string) { t.Error("it is ready") }})
	if !errors.Is(err, replay.ErrTooFast) {
		t.Errorf("a day and more in a tenth of a millisecond: %v", err)
	}
}

// TestReplayOfTheConnection: a test of the connection that came later is not told at the beginning,
// although the end is loaded first.
func TestReplayOfTheConnection(t *testing.T) {
	t.Parallel()
	w := published(t, 2, 1)
	from, to := servetest.Start, servetest.Start.Add(time.Hour)
	w.tested("acme", "", fingerprint, from)
	before := w.replayed(asof.Standing(from), replay.Options{})
	want := before.provider("acme")
	must(t, before.stop())
	w.tested("acme", "CREDENTIAL_REJECTED", fingerprint, from.Add(30*time.Minute))
	then := w.replayed(asof.Replay(from, to, 1, w.now), replay.Options{})
	if got := then.provider("acme"); got != want {
		t.Errorf("at the beginning: %s, want %s", got, want)
	}
	must(t, then.stop())
	if after := w.replayed(asof.Standing(to), replay.Options{}).provider("acme"); after == want {
		t.Errorf("at the end, too: %s", after)
	}
}
