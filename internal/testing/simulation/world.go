package simulation

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cespare/xxhash/v2"
)

// errKilled is the error of every operation of a machine after it was killed.
var errKilled = errors.New("the machine was killed")

// world schedules the operations of all machines. One operation is under way at a time, and the
// seed decides which.
type world struct {
	testing.TB
	sync.WaitGroup // of the goroutines of no machine
	dice
	began time.Time
	only  map[string]bool // the events that may happen; nil: all

	mu       sync.Mutex
	pending  []*operation
	arrived  chan struct{} // an operation was registered
	counts   map[string]int
	calm     bool // no further fault happens
	stopped  bool
	log      bytes.Buffer
	quiet    bool // the log has only notable events
	happened []event
	failure  *failure
	ops      int
	kinds    map[string]int // operations, by kind
}

// event is a fault or a command that happened, under a name that the same seed makes again.
type event struct {
	at   time.Duration
	name string
}

// kind is the command or the kind of fault.
func (e event) kind() string {
	before, after, _ := strings.Cut(e.name, ": ")
	if strings.HasPrefix(before, "command ") {
		return after
	}
	return before
}

// failure is the first invariant that did not hold.
type failure struct {
	at        time.Duration
	invariant string
	text      string
}

func (f *failure) String() string { return fmt.Sprintf("%s: %s: %s", clock(f.at), f.invariant, f.text) }

func newWorld(t testing.TB, seed uint64, only map[string]bool) *world {
	return &world{TB: t, dice: dice{seed}, began: time.Now(), only: only, arrived: make(chan struct{}, 1), counts: map[string]int{}, kinds: map[string]int{}}
}

// actor is whoever waits for turns: a life of a machine.
type actor struct {
	name string // of the machine
	dead atomic.Bool
}

// operation waits for its turn.
type operation struct {
	actor *actor
	name  string // machine, kind and subject, and which of them it is
	rank  uint64
	turn  chan error
}

// enter registers an operation and waits for its turn. The name that it returns identifies the
// operation in every run with the same seed. The error is errKilled if the machine died meanwhile.
func (w *world) enter(a *actor, kind, subject string) (name string, err error) {
	o, err := w.register(a, kind, subject)
	if err != nil {
		return "", err
	}
	return o.name, <-o.turn
}

// register is the first half of enter, for operations that are registered in an order.
func (w *world) register(a *actor, kind, subject string) (*operation, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.dead.Load() || w.stopped {
		return nil, errKilled
	}
	name := a.name + " " + kind + " " + subject
	w.counts[name]++
	w.kinds[kind]++
	name = fmt.Sprintf("%s #%d", name, w.counts[name])
	o := &operation{actor: a, name: name, rank: w.hash("order", name), turn: make(chan error, 1)}
	w.pending = append(w.pending, o)
	select {
	case w.arrived <- struct{}{}:
	default:
	}
	return o, nil
}

// run lets operations have their turns until ctx ends. Between two of them every goroutine of the
// world waits. So the time stands still while there is an operation, and then moves to the next
// timer.
func (w *world) run(ctx context.Context) {
	for {
		select {
		case <-w.arrived:
		case <-ctx.Done():
			w.stop()
			return
		}
		for {
			synctest.Wait()
			o := w.next()
			if o == nil {
				break
			}
			o.turn <- nil
		}
	}
}

// next takes the operation whose turn it is.
func (w *world) next() *operation {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) == 0 {
		return nil
	}
	o := slices.MinFunc(w.pending, func(a, b *operation) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.name, b.name))
	})
	w.pending = slices.DeleteFunc(w.pending, func(p *operation) bool { return p == o })
	w.ops++
	if !w.quiet {
		fmt.Fprintf(&w.log, "%s %s\n", clock(time.Since(w.began)), o.name)
	}
	return o
}

// stop ends all operations, now and later.
func (w *world) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	for _, o := range w.pending {
		o.turn <- errKilled
	}
	w.pending = nil
}

// drop ends the waiting operations of a machine that was killed.
func (w *world) drop(a *actor) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = slices.DeleteFunc(w.pending, func(o *operation) bool {
		if o.actor == a {
			o.turn <- errKilled
			return true
		}
		return false
	})
}

// happens decides whether a fault happens at an operation.
func (w *world) happens(kind, name string, rate float64) bool {
	if w.roll(kind, name) >= rate {
		return false
	}
	return w.allow(kind + ": " + name)
}

// allow reports whether an event may happen, and records it if so.
func (w *world) allow(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calm || w.stopped || w.failure != nil || w.only != nil && !w.only[name] {
		return false
	}
	at := time.Since(w.began)
	w.happened = append(w.happened, event{at, name})
	fmt.Fprintf(&w.log, "%s ! %s\n", clock(at), name)
	return true
}

// note writes a line of the log.
func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(&w.log, "%s = %s\n", clock(time.Since(w.began)), fmt.Sprintf(format, args...))
}

// trace writes the hash of written bytes into the log.
func (w *world) trace(p []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.quiet {
		fmt.Fprintf(&w.log, "\t%x %d\n", xxhash.Sum64(p), len(p))
	}
}

// fail records the first invariant that does not hold. The world ends soon after.
func (w *world) fail(invariant, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure != nil || w.stopped {
		return
	}
	w.failure = &failure{time.Since(w.began), invariant, fmt.Sprintf(format, args...)}
	fmt.Fprintf(&w.log, "FAILED %s\n", w.failure)
}

func (w *world) isStopped() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopped
}

func (w *world) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure != nil
}

func (w *world) calmDown() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calm = true
}

func (w *world) isCalm() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calm
}

// later does something later, unless the world ends before.
func (w *world) later(after time.Duration, do func()) {
	w.Add(1)
	time.AfterFunc(after, func() {
		defer w.Done()
		if !w.isStopped() {
			do()
		}
	})
}

// clock writes a time since the beginning.
func clock(d time.Duration) string {
	return fmt.Sprintf("%d %02d:%02d:%06.3f", int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60, (d % time.Minute).Seconds())
}

// shorten returns the text of an error that keeps the log readable, and the same in all runs.
func shorten(err error) string {
	text := err.Error()
	if len(text) > 200 {
		text = text[:200] + "..."
	}
	return text
}

const day = 24 * time.Hour

// sorted returns the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// firstDay is when every world begins: a Friday, with matches of the next days to come.
var firstDay = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)
