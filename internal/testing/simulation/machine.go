package simulation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mkt/internal/cluster"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// machine has a disk and a clock that outlive its processes.
type machine struct {
	w     *world
	name  string
	run   func(*life)                                // the program; it ends with the life
	after func(*machine)                             // judges the disk after the end of a life; may be nil
	look  func(l *life, base, operation string) bool // lets a client read the data root before an operation, and reports whether there is one

	disk        *durabletest.Mem
	full        bool          // the disk has no space left
	wipes       bool          // the end of a life may take the whole disk
	losesWrites bool          // the disk reports some writes as durable that are not
	first       func(*life)   // runs before the program, once; nil: nothing
	suspect     bool          // the disk has lost writes: what is below the newest publication may be damaged for ever
	lost        func()        // is called when the disk has lost what it reported as durable; may be nil
	ahead       time.Duration // of the true time
	drift       float64       // seconds a second
	since       time.Time     // drift counts from here
	leapt       atomic.Bool   // the clock was not always right
	upset       time.Time     // when the clock or the network last changed

	mu       sync.Mutex
	life     *life // nil between two lives
	lives    int
	ran      map[string]int   // the newest life in which a job ran to its end, by job
	down     time.Duration    // how long the next end lasts; 0: a usual time
	restored *durabletest.Mem // the disk of the next life; nil: the one of this
	cuts     func()           // the network goes away at the start of the next run, and then this is called; nil: it stays
	cut      bool             // the network is away: nothing arrives, and connections stay
	rotten   bool             // a bit of the disk has rotted, and is not repaired
	gone     map[string]bool  // files that rotted and cannot be rebuilt
}

// life is a machine between its start and its end.
type life struct {
	actor
	machine *machine
	number  int
	disk    *durabletest.Mem
	ctx     context.Context // ends with the life
	end     context.CancelCauseFunc
	lied    atomic.Bool // a sync was lost
	failed  sync.Map    // data roots with a failed operation on a state file
	leases  sync.Map    // context of the lease, by the folder of the job
}

// hasLostLease reports whether an object is of a job whose lease this life has lost, and still runs the job.
func (l *life) hasLostLease(key string) (lost bool) {
	l.leases.Range(func(dir, ctx any) bool {
		lost = strings.HasPrefix(key, dir.(string)+"/") && errors.Is(context.Cause(ctx.(context.Context)), cluster.ErrLost)
		return !lost
	})
	return lost
}

// failedAt notes that an operation on a file failed.
func (l *life) failedAt(name string) {
	if root, _, ok := strings.Cut(name, "/"+layout.StateDir); ok {
		l.failed.Store(root, true)
	}
}

// hasFailed reports whether an operation on the state files of a data root failed since the last call.
func (l *life) hasFailed(root string) bool {
	_, failed := l.failed.LoadAndDelete(root)
	return failed
}

func (w *world) machine(name string, run func(*life)) *machine {
	return &machine{w: w, name: name, run: run, disk: durabletest.NewMem(), ran: map[string]int{}, gone: map[string]bool{}, since: time.Now(), look: func(*life, string, string) bool { return false }}
}

// now is the time of the machine's clock.
func (m *machine) now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	return now.Add(m.ahead + time.Duration(m.drift*float64(now.Sub(m.since))))
}

// leap moves the clock, and sets how it drifts from now on.
func (m *machine) leap(by time.Duration, drift float64) {
	m.leapt.Store(true)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.upset = now
	m.ahead += time.Duration(m.drift*float64(now.Sub(m.since))) + by
	m.drift, m.since = drift, now
}

// set corrects the clock.
func (m *machine) set() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ahead, m.drift, m.since = 0, 0, time.Now()
	m.upset = m.since
}

// cutNext takes the network away from the start of the machine's next run on, and then calls then.
func (m *machine) cutNext(then func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cuts = then
}

// connect brings the network back.
func (m *machine) connect() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cuts, m.cut, m.upset = nil, false, time.Now()
}

// runs notes that a run begins.
func (m *machine) runs() {
	m.mu.Lock()
	then := m.cuts
	if then != nil {
		m.cut, m.upset = true, time.Now()
	}
	m.cuts = nil
	m.mu.Unlock()
	if then != nil {
		then()
	}
}

// off is by how much the clock is ahead of the true time.
func (m *machine) off() time.Duration { return time.Until(m.now()) }

// isSettled reports whether the clock and the network have been as they are for a while.
func (m *machine) isSettled(during time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Since(m.upset) > during
}

func (m *machine) isCut() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cut
}

// serve runs lives of the machine, one after the other, until ctx ends.
func (m *machine) serve(ctx context.Context) {
	for ctx.Err() == nil {
		l := m.begin(ctx)
		if m.first != nil {
			m.first(l)
		}
		m.run(l)
		over := l.dead.Load()
		m.finish(l)
		if over && m.after != nil {
			m.after(m)
		}
		if !over {
			return // the program ended by itself
		}
		m.mu.Lock()
		wait := m.down
		m.down = 0
		m.mu.Unlock()
		if wait == 0 {
			wait = m.w.span("down", l.id(), time.Second, 5*time.Minute)
		}
		sleep(ctx, wait)
	}
}

// hasRun notes that a job has run to its end.
func (l *life) hasRun(job string) {
	l.machine.mu.Lock()
	defer l.machine.mu.Unlock()
	l.machine.ran[job] = l.number
}

// isRecovered reports whether a job has run since the machine began its newest life.
func (m *machine) isRecovered(job string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ran[job] == m.lives
}

func (m *machine) begin(ctx context.Context) *life {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lives++
	l := &life{actor: actor{name: m.name}, machine: m, number: m.lives, disk: m.disk}
	l.ctx, l.end = context.WithCancelCause(ctx)
	m.life = l
	return l
}

func (m *machine) finish(l *life) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l.end(errKilled)
	m.life = nil
}

// steady is the machine's clock for durations: it does not follow what is done to the clock during
// this life, as the readings of a monotonic clock do not.
func (l *life) steady() func() time.Time {
	ahead := time.Until(l.machine.now())
	return func() time.Time { return time.Now().Add(ahead) }
}

// enter registers an operation and waits for its turn: see [world.enter].
func (l *life) enter(kind, subject string) (name string, err error) {
	return l.machine.w.enter(&l.actor, kind, subject)
}

// id names a life in every run with the same seed.
func (l *life) id() string { return fmt.Sprintf("%s life %d", l.machine.name, l.number) }

// spread returns the randomness of waits. It depends on the time, so that no order of calls matters.
func (l *life) spread(what string) func() float64 {
	w := l.machine.w
	return func() float64 { return w.roll("spread", fmt.Sprint(l.id(), what, time.Since(w.began))) }
}

// runID is unique, and the same in every run with the same seed.
func (l *life) runID() string {
	return fmt.Sprintf("%s-%d-%d", l.machine.name, l.number, time.Since(l.machine.w.began).Milliseconds())
}

// kill ends a life at once: nothing that its goroutines do later reaches anything. The disk keeps
// what was synced, and a part of the rest, all of it if only the process dies.
func (l *life) kill(name string) {
	if l.dead.Swap(true) {
		return
	}
	m, w := l.machine, l.machine.w
	keep := []float64{0, 0.5, 1, 1}[w.pick("keep", name, 4)]
	m.mu.Lock()
	m.disk = l.disk.PowerCut(keep, w.hash("cut", name))
	if keep < 1 && l.lied.Load() { // nobody knows what is damaged
		m.rotten = true
		if m.lost != nil {
			m.lost()
		}
	}
	if m.wipes && w.pick("wipe", name, 4) == 0 {
		m.disk, m.rotten = durabletest.NewMem(), false
	}
	if m.restored != nil {
		m.disk, m.restored = m.restored, nil
	}
	m.mu.Unlock()
	w.drop(&l.actor)
	l.end(errKilled)
}

// isRotten reports whether a bit of the machine's disk has rotted.
func (m *machine) isRotten() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rotten
}

func (m *machine) setRotten(rotten bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rotten = rotten
}

// isLost reports whether a file rotted and cannot be rebuilt.
func (m *machine) isLost(file string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.gone[file]
}

func (m *machine) lose(file string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone[file] = true
}

// hasLost reports whether files rotted and cannot be rebuilt.
func (m *machine) hasLost() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.gone) > 0
}

// alive returns the machine's life, nil if it is down.
func (m *machine) alive() *life {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.life
}

func isKilled(err error) bool { return errors.Is(err, errKilled) }

// sleep waits, and returns false if ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// isStorage reports whether a step could not write its state either.
func isStorage(err error) bool {
	return errors.Is(err, durable.ErrNoSpace) || errors.Is(err, syscall.EIO) || isKilled(err) || errors.Is(err, durable.ErrLocked)
}

// replaceDisk ends a life, whose machine gets an empty disk.
func (l *life) replaceDisk() {
	m := l.machine
	m.w.note("%s gets another disk", m.name)
	m.mu.Lock()
	m.restored = durabletest.NewMem()
	m.mu.Unlock()
	l.kill("disk " + l.id())
	m.setRotten(false)
}
