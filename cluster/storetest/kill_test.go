package storetest

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mkt/cluster/servers"
	"mkt/publish"
	"mkt/publish/durable/durabletest"
	"mkt/publish/football"
	"mkt/publish/store"
)

var (
	histories = flag.Int("histories", 20, "histories of workers that are killed")
	cycles    = flag.Int("cycles", 2, "cycles of each history, each killed at every operation of the store")
)

// C1: a worker is killed at every operation of the store, before the store has it and after,
// and its disk is lost; another worker goes on with an empty disk. What was acknowledged is
// there, and consumers that read all the time receive every event once, in order and
// without a gap, and end at the dataset.
func TestWorkersAreKilledAtEveryOperation(t *testing.T) {
	n, each := *histories, *cycles
	if testing.Short() {
		n, each = 1, 1
	}
	t.Parallel()
	for seed := range n {
		for _, product := range []football.Product{football.MarketEngine, football.LiveIntelligence} {
			t.Run(fmt.Sprintf("%s %d", product, seed), func(t *testing.T) {
				t.Parallel()
				p := startProxy(t)
				prefix := fmt.Sprintf("history-%d-%s", seed, product)
				h := &history{t: t, random: rand.New(rand.NewPCG(uint64(seed), 16)), product: product, proxy: p, url: p.URL(prefix),
					reader: newWorker(t, "reader", gateway.URL(prefix), product), received: map[int64]string{}}
				for range each {
					h.cycle()
				}
				h.finish()
			})
		}
	}
}

type history struct {
	t       *testing.T
	random  *rand.Rand
	product football.Product
	proxy   *servers.Proxy
	url     string
	reader  *worker
	number  int

	now      edition  // what was read last
	next     *edition // what may be published by now
	acked    uint64   // the newest version that a worker reported
	received map[int64]string
	seq      uint64         // of the consumer
	follower map[string]int // what the consumer built from the events

	kills, survived int
}

type edition struct {
	version  uint64
	fixtures map[string]int
}

// cycle publishes a cycle with workers that are killed at operation 1, 2, 3 … until one
// is not.
func (h *history) cycle() {
	w := newWorker(h.t, "worker-0", h.url, h.product)
	for _, after := range []bool{false, true} {
		for n := 1; !h.attempt(w, n, after); n++ {
			if n > 200 {
				h.t.Fatal("a worker asks the store more than 200 times")
			}
			w = newWorker(h.t, fmt.Sprintf("worker-%d", n), h.url, h.product)
		}
	}
}

// attempt lets a worker copy what the store has, and publish a cycle of its own. It is
// killed at operation n, and reports whether it ended before.
func (h *history) attempt(w *worker, n int, after bool) (ended bool) {
	c := h.newCycle()
	ctx, kill := context.WithCancel(h.t.Context())
	defer kill()
	var dead atomic.Bool
	die := func() { dead.Store(true); kill() }
	h.proxy.Reset()
	h.proxy.Inject(func(op servers.Operation) servers.Fault {
		switch {
		case dead.Load():
			return servers.Fault{Refuse: servers.Denied} // at once; it does not matter what a dead process is told
		case op.N == n && after:
			return servers.Fault{DropAnswer: true, After: die}
		case op.N == n:
			die()
			return servers.Fault{DropRequest: true}
		}
		return servers.Fault{}
	})
	w.f = durabletest.Wrap(w.f, func(durabletest.Op) error {
		if dead.Load() {
			return durabletest.ErrKilled
		}
		return nil
	})
	err := w.work(ctx, c)
	h.proxy.Heal()
	if err == nil && !dead.Load() {
		h.acked = h.now.version + 1
		h.read()
		return true
	}
	if !dead.Load() {
		h.t.Fatalf("a worker that was not killed: %v", err)
	}
	h.kills++
	before := h.now.version
	h.read()
	if h.now.version > before {
		h.survived++
	}
	return false
}

func (w *worker) work(ctx context.Context, c cycle) error {
	if _, err := w.d.Sync(ctx, w.f); err != nil {
		return err
	}
	if err := c.transform(w.f); err != nil {
		return err
	}
	if _, err := publish.Run(ctx, w.options(c)); err != nil {
		return err
	}
	return w.d.ShipStates(ctx, w.f, w.f)
}

func (h *history) newCycle() cycle {
	h.number++
	c := cycle{product: h.product, number: h.number}
	for n := range 8 {
		switch h.random.IntN(5) {
		case 0, 1:
			c.refreshed = append(c.refreshed, n)
		case 2, 3:
			c.kept = append(c.kept, n)
		}
	}
	if h.product == football.LiveIntelligence {
		c.kept = nil
	}
	h.next = &edition{h.now.version + 1, c.after(h.now.fixtures)}
	return c
}

// read follows the store as a replica does, and checks what it finds.
func (h *history) read() {
	h.t.Helper()
	if _, err := h.reader.d.Follow(h.t.Context(), h.reader.f); err != nil {
		h.t.Fatalf("a reader: %v", err)
	}
	v, err := look(h.reader.f)
	if err != nil {
		h.t.Fatalf("a reader at version %d: %v", v.commit.Version, err)
	}
	want := h.now
	if h.next != nil && v.commit.Version == h.next.version {
		want = *h.next
	}
	if v.commit.Version != want.version || v.commit.Version < h.acked {
		h.t.Fatalf("version %d, want %d; %d was acknowledged", v.commit.Version, want.version, h.acked)
	}
	if diff := cmp.Diff(want.fixtures, v.fixtures); diff != "" && want.version > 0 {
		h.t.Fatalf("version %d: %s", want.version, diff)
	}
	h.now, h.next = want, nil
	if h.product == football.MarketEngine && v.commit.Version > 0 {
		h.consume(v)
	}
}

// consume continues the change log behind the last event received.
func (h *history) consume(v view) {
	if h.follower == nil {
		h.follower = map[string]int{}
	}
	for _, e := range v.events {
		text := fmt.Sprint(e.Type, e.FixtureID, e.PublishedAt, e.CycleID)
		if before, known := h.received[e.Seq]; known && before != text {
			h.t.Fatalf("seq %d was %s and is %s", e.Seq, before, text)
		}
		if uint64(e.Seq) <= h.seq {
			continue
		}
		if uint64(e.Seq) != h.seq+1 {
			h.t.Fatalf("seq %d behind %d", e.Seq, h.seq)
		}
		h.received[e.Seq], h.seq = text, uint64(e.Seq)
		if delete(h.follower, e.FixtureID); e.Type != publish.Removed {
			h.follower[e.FixtureID] = v.fixtures[e.FixtureID]
		}
	}
	if h.seq != v.commit.LastSeq {
		h.t.Fatalf("the log ends at %d, the publication says %d", h.seq, v.commit.LastSeq)
	}
	if diff := cmp.Diff(v.fixtures, h.follower); diff != "" {
		h.t.Fatalf("the log leads elsewhere than to the dataset: %s", diff)
	}
}

// finish pulls everything into an empty root, and checks the whole chain.
func (h *history) finish() {
	all := newWorker(h.t, "pull", h.url, h.product)
	done, err := all.d.Pull(h.t.Context(), all.f, store.PullOptions{})
	must(h.t, err)
	v, err := look(all.f)
	must(h.t, err)
	must(h.t, follows(all.f, v.commit))
	if done.Packs != int(h.now.version) || v.commit.Version != h.now.version || !maps.Equal(v.fixtures, h.now.fixtures) {
		h.t.Errorf("pulled %+v, the newest is version %d of %d", done, v.commit.Version, h.now.version)
	}
	h.t.Logf("%d versions, %d events, %d kills, after %d of them the publication was made", h.now.version, h.seq, h.kills, h.survived)
}
