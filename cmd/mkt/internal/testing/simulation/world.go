package simulation

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	seed           uint64
	began          time.Time
	only           map[string]bool // the events that may happen; nil: all

	mu       sync.Mutex
	pending  []*operation
	arrived  chan struct{} // an operation was registered
	counts   map[string]int
	calm     bool // no further fault happens
	stopped  bool
	log      bytes.Buffer
	quiet    bool // the log has only notable events
	live     bool // every match in play has a goal that is taken back
	happened []event
	failure  *failure
	ops      int
	kinds    map[string]int // operations, by kind
	machines map[string]*machine
	lost     map[string]bool // files that rotted and cannot be rebuilt, by machine and path
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
	return &world{TB: t, seed: seed, began: time.Now(), only: only, arrived: make(chan struct{}, 1), counts: map[string]int{}, kinds: map[string]int{}, machines: map[string]*machine{}, lost: map[string]bool{}}
}

// operation waits for its turn.
type operation struct {
	life *life
	name string // machine, kind and subject, and which of them it is
	rank uint64
	turn chan error
}

// enter registers an operation and waits for its turn. The name that it returns identifies the
// operation in every run with the same seed. The error is errKilled if the machine died meanwhile.
func (w *world) enter(l *life, kind, subject string) (name string, err error) {
	o, err := w.register(l, kind, subject)
	if err != nil {
		return "", err
	}
	return o.name, <-o.turn
}

// register is the first half of enter, for operations that are registered in an order.
func (w *world) register(l *life, kind, subject string) (*operation, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.dead.Load() || w.stopped {
		return nil, errKilled
	}
	name := l.machine.name + " " + kind + " " + subject
	w.counts[name]++
	w.kinds[kind]++
	name = fmt.Sprintf("%s #%d", name, w.counts[name])
	o := &operation{life: l, name: name, rank: w.hash("order", name), turn: make(chan error, 1)}
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
func (w *world) drop(l *life) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = slices.DeleteFunc(w.pending, func(o *operation) bool {
		if o.life == l {
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

// named returns a machine by its name; nil if there is none.
func (w *world) named(name string) *machine { return w.machines[name] }

// isLost reports whether a file rotted on a machine and cannot be rebuilt.
func (w *world) isLost(machine, file string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost[machine+" "+file]
}

func (w *world) lose(machine, file string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost[machine+" "+file] = true
}

// hasLost reports whether files of a machine rotted and cannot be rebuilt.
func (w *world) hasLost(m *machine) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range w.lost {
		if strings.HasPrefix(name, m.name+" ") {
			return true
		}
	}
	return false
}

// isRotten reports whether a bit of a machine's disk has rotted.
func (w *world) isRotten(m *machine) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rotten
}

func (w *world) setRotten(m *machine, rotten bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rotten = rotten
}

// clock writes a time since the beginning.
func clock(d time.Duration) string {
	return fmt.Sprintf("%d %02d:%02d:%06.3f", int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60, (d % time.Minute).Seconds())
}
