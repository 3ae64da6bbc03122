package schedule_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mkt/internal/cadence"
	"mkt/internal/schedule"
	"mkt/internal/testing/check"
)

// player runs jobs on the clock of a test's bubble, and notes when each ran.
type player struct {
	*schedule.Scheduler
	stop func() // and waits until Run has returned

	mu   sync.Mutex
	at   map[string][]time.Duration
	zero time.Time
}

func start(t *testing.T, o schedule.Options, jobs []schedule.Job, overdue ...string) *player {
	t.Helper()
	p := &player{at: map[string][]time.Duration{}, zero: time.Now()}
	run := o.Run
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Run = func(ctx context.Context, name string) error {
		p.mu.Lock()
		p.at[name] = append(p.at[name], time.Since(p.zero))
		p.mu.Unlock()
		if run == nil {
			return nil
		}
		return run(ctx, name)
	}
	p.Scheduler = schedule.New(o)
	check.Must(t, p.Set(jobs))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { p.Run(ctx, overdue...); close(done) }()
	p.stop = func() { cancel(); <-done }
	return p
}

// play runs jobs for a time.
func play(t *testing.T, length time.Duration, o schedule.Options, jobs []schedule.Job, overdue ...string) *player {
	t.Helper()
	p := start(t, o, jobs, overdue...)
	time.Sleep(length)
	p.stop()
	return p
}

// ran checks when each job ran, in seconds since the start.
func (p *player) ran(t *testing.T, want map[string][]int) {
	t.Helper()
	for name, seconds := range want {
		var at []time.Duration
		for _, n := range seconds {
			at = append(at, time.Duration(n)*time.Second)
		}
		if !slices.Equal(p.at[name], at) {
			t.Errorf("%s ran at %v, want %v", name, p.at[name], at)
		}
	}
}

// each returns jobs with one expression.
func each(expr string, names ...string) (jobs []schedule.Job) {
	for _, name := range names {
		jobs = append(jobs, schedule.Job{Name: name, Expr: expr})
	}
	return jobs
}

// numbered returns n names.
func numbered(name string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint(name, i))
	}
	return names
}

func TestLateTickIsSkippedNotQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, 65*time.Second, schedule.Options{Run: func(_ context.Context, name string) error {
			if name == "slow" {
				time.Sleep(25 * time.Second)
			}
			return nil
		}}, append(each("@every 10s", "slow"), each("@every 20s", "fast")...))
		p.ran(t, map[string][]int{"slow": {10, 40}, "fast": {20, 40, 60}})
		if got := time.Since(p.zero); got != 65*time.Second {
			t.Errorf("stopped after %v: want at once, nothing was running", got)
		}
	})
}

// Ticks follow the clock that is passed in. If it is set, jobs neither wait until it has caught up, nor
// miss the ticks that it left out.
func TestClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{-26 * time.Hour, -2 * time.Hour, -10 * time.Second, 7 * time.Minute, 3 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ahead, set atomic.Int64
				ahead.Store(int64(20 * time.Minute))
				now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
				var mu sync.Mutex
				last := map[string]time.Time{}
				bounds := map[string]time.Duration{"live": 16 * time.Second, "hourly": 2 * time.Hour}
				gap := func(name string) {
					mu.Lock()
					defer mu.Unlock()
					if begun, ok := last[name]; ok && time.Since(begun) > bounds[name] {
						t.Errorf("%s did not run for %v", name, time.Since(begun))
					}
					last[name] = time.Now()
				}
				p := start(t, schedule.Options{Now: now, Run: func(_ context.Context, name string) error {
					gap(name)
					leftOut := time.Now().Unix()-set.Load() <= 60
					if at := now().UTC(); name == "hourly" && at.Minute() > 0 && !leftOut || name == "live" && at.Unix()%8 != 0 && !leftOut {
						t.Errorf("%s runs at %v", name, at)
					}
					return nil
				}}, []schedule.Job{{Name: "live", Expr: "@every 8s"}, {Name: "hourly", Expr: "0 * * * *"}})
				time.Sleep(3*time.Hour + 5*time.Minute + 30*time.Second) // between two looks at the clock
				ahead.Add(int64(by))
				set.Store(time.Now().Unix())
				if by >= time.Hour {
					time.Sleep(time.Minute)
					if mu.Lock(); time.Since(last["hourly"]) > time.Minute {
						t.Error("the tick that the clock left out was not run")
					}
					mu.Unlock()
				}
				time.Sleep(3 * time.Hour)
				p.stop()
				gap("live")
				gap("hourly")
			})
		})
	}
}

func TestStopWaitsForTheRunUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var finished atomic.Bool
		var log bytes.Buffer
		play(t, 12*time.Second, schedule.Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Run: func(ctx context.Context, _ string) error {
			<-ctx.Done() // the run notices the stop and takes its time
			time.Sleep(5 * time.Second)
			finished.Store(true)
			return nil
		}}, each("@every 10s", "a"))
		if !finished.Load() {
			t.Error("Run returned before the job")
		}
		if !strings.Contains(log.String(), "stopping: waits for the runs under way") || !strings.Contains(log.String(), "jobs=a\n") {
			t.Errorf("logged %s", &log)
		}
	})
}

func TestSetFollowsChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, schedule.Options{}, each("@every 10s", "kept", "gone", "slower"))
		time.Sleep(15 * time.Second)
		if err := p.Set(each("no", "kept")); err == nil {
			t.Error("a bad expression was accepted")
		}
		check.Must(t, p.Set(append(each("@every 10s", "kept", "new"), each("@every 20s", "slower")...)))
		time.Sleep(22 * time.Second)
		p.stop()
		p.ran(t, map[string][]int{"kept": {10, 20, 30}, "gone": {10}, "slower": {10, 20}, "new": {20, 30}})
	})
}

func TestOverdueRunsAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, 15*time.Second, schedule.Options{}, each("@every 10s", "late", "fresh"), "late", "unknown")
		p.ran(t, map[string][]int{"late": {0, 10}, "fresh": {10}})
	})
}

func TestPanicStopsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, 35*time.Second, schedule.Options{Run: func(context.Context, string) error { panic("boom") }}, each("@every 10s", "a"))
		p.ran(t, map[string][]int{"a": {10, 20, 30}})
	})
}

func TestParallelAndJitterAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		p := play(t, 200*time.Second, schedule.Options{Parallel: 2, Jitter: 5 * time.Second, Run: func(context.Context, string) error {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(3 * time.Second)
			now.Add(-1)
			return nil
		}}, each("@every 60s", "a", "b", "c", "d", "e"))
		if most.Load() != 2 {
			t.Errorf("%d runs at once, want 2", most.Load())
		}
		for name, at := range p.at {
			if len(at) != 3 || at[0] < 60*time.Second || at[0] > 75*time.Second {
				t.Errorf("%s ran at %v", name, at)
			}
		}
	})
}

// An @every is due at the multiples of its duration since 1970 UTC, whenever the process began
// and however late a tick was noticed.
func TestEveryIsAlignedToTheEpoch(t *testing.T) {
	clock := func(text string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, text)
		check.Must(t, err)
		return at
	}
	for _, c := range []struct{ expr, after, want string }{
		{"@every 8s", "2026-11-20T19:00:00.3Z", "2026-11-20T19:00:08Z"},
		{"@every 8s", "2026-11-20T19:00:07.999999999Z", "2026-11-20T19:00:08Z"},
		{"@every 8s", "2026-11-20T19:00:08Z", "2026-11-20T19:00:16Z"},
		{"@every 8s", "2026-11-20T23:59:59Z", "2026-11-21T00:00:00Z"},
		{"@every 8s", "2026-11-20T20:00:03+01:00", "2026-11-20T19:00:08Z"},
		{"@every 8s", "1969-12-31T23:59:57Z", "1970-01-01T00:00:00Z"},
		{"@every 8s", "1969-12-31T23:59:52Z", "1970-01-01T00:00:00Z"},
		{"@every 1m", "2026-11-20T19:00:59.5Z", "2026-11-20T19:01:00Z"},
		{"@every 30m", "2026-11-20T19:07:00Z", "2026-11-20T19:30:00Z"},
		{"@every 24h", "2026-11-20T19:07:00Z", "2026-11-21T00:00:00Z"},
		{"@every 7s", "2026-11-20T23:59:59Z", "2026-11-21T00:00:02Z"}, // 7 does not divide a day: the grid continues over midnight
		{"@every 168h", "2026-11-20T19:07:00Z", "2026-11-26T00:00:00Z"},
	} {
		s, err := cadence.Parse(c.expr)
		check.Must(t, err)
		if got := s.Next(clock(c.after)); !got.Equal(clock(c.want)) {
			t.Errorf("%s after %s: %s, want %s", c.expr, c.after, got.UTC().Format(time.RFC3339Nano), c.want)
		}
	}
}

// A restarted process has the same ticks as one that never stopped, including jitter.
func TestRestartDoesNotShiftTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		for _, lives := range []time.Duration{13 * time.Second, 21*time.Second + 300*time.Millisecond, 40 * time.Second, 999 * time.Millisecond, 60 * time.Second} {
			p := play(t, lives, schedule.Options{Jitter: 30 * time.Second}, each("@every 8s", "acme/live"))
			for _, d := range p.at["acme/live"] {
				at = append(at, p.zero.Sub(began)+d)
			}
			time.Sleep(1700 * time.Millisecond) // the process is down
		}
		if len(at) < 14 {
			t.Fatalf("ran at %v", at)
		}
		for _, d := range at {
			if offset := d % (8 * time.Second); offset != at[0]%(8*time.Second) || offset > 800*time.Millisecond {
				t.Errorf("a run at %v, the first at %v: not on one grid", d, at[0])
			}
		}
	})
}

// A slow run never overlaps the next one: the ticks during it are counted and logged, and the
// next run is at its tick.
func TestSlowRunIsLateAndLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		var under, runs atomic.Int32
		p := play(t, 100*time.Second, schedule.Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Run: func(context.Context, string) error {
			if under.Add(1) > 1 {
				t.Error("two at once")
			}
			defer under.Add(-1)
			if runs.Add(1) == 2 {
				time.Sleep(27 * time.Second) // until 43 s
			}
			return nil
		}}, each("@every 8s", "live"))
		p.ran(t, map[string][]int{"live": {8, 16, 48, 56, 64, 72, 80, 88, 96}})
		if p.Skipped() != 3 || !strings.Contains(log.String(), "job=live in_a_row=3 skipped=3") {
			t.Errorf("%d skipped: %s", p.Skipped(), &log)
		}
	})
}

// Jobs with the same cadence are spread, and each keeps its cadence.
func TestSpreadKeepsTheCadence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := play(t, 10*time.Minute, schedule.Options{Jitter: 30 * time.Second}, each("@every 8s", numbered("live", 20)...))
		first := map[time.Duration]bool{}
		for name, at := range p.at {
			first[at[0]] = true
			for i, d := range at {
				if d != at[0]+time.Duration(i)*8*time.Second || at[0] < 8*time.Second || at[0] >= 8800*time.Millisecond {
					t.Fatalf("%s: run %d at %v, the first at %v", name, i, d, at[0])
				}
			}
		}
		if len(p.at) != 20 || len(first) < 15 {
			t.Errorf("%d jobs began at %d times", len(p.at), len(first))
		}
	})
}

// Short jobs keep their cadence for hours while long jobs of another lane use all their own
// slots: one run a tick, on time, never two at once.
func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var under atomic.Int32
		jobs := append(each("@hourly", numbered("hourly", 20)...), each("@every 8s", numbered("live", 20)...)...)
		for i := range jobs {
			jobs[i].Lane = strings.TrimRight(jobs[i].Name, "0123456789")
		}
		p := play(t, 3*time.Hour, schedule.Options{Parallel: 2, Lanes: map[string]int{"live": 8}, Run: func(_ context.Context, name string) error {
			if strings.HasPrefix(name, "hourly") {
				time.Sleep(50 * time.Minute)
				return nil
			}
			if under.Add(1) > 8 {
				t.Error("more at once than there are places")
			}
			time.Sleep(2 * time.Second)
			under.Add(-1)
			return nil
		}}, jobs)
		for _, name := range numbered("live", 20) {
			at := p.at[name]
			if len(at) < 3*450-1 {
				t.Errorf("%s ran %d times in three hours", name, len(at))
			}
			for n, d := range at {
				if late := d - time.Duration(n+1)*8*time.Second; late < 0 || late > 6*time.Second {
					t.Fatalf("%s: run %d at %v", name, n, d)
				}
			}
		}
	})
}

// A job that is to run again does so once at that time, unless a tick comes before; an hourly
// job does not wait an hour.
func TestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var p *player
		var hourly atomic.Int32
		jobs := append(each("@hourly", "hourly", "gone"), each("@every 20m", "often")...)
		p = start(t, schedule.Options{Run: func(_ context.Context, name string) error {
			switch {
			case name == "hourly" && hourly.Add(1) == 1:
				p.Again(name, begun.Add(2*time.Hour)) // replaced by the next call
				p.Again(name, begun.Add(65*time.Minute))
			case name == "often":
				p.Again(name, time.Now().Add(25*time.Minute)) // a tick comes before
			case name == "gone":
				p.Again(name, begun.Add(70*time.Minute))
			}
			return nil
		}}, jobs)
		p.Again("unknown", begun)
		time.Sleep(61 * time.Minute)
		check.Must(t, p.Set(slices.DeleteFunc(jobs, func(j schedule.Job) bool { return j.Name == "gone" })))
		time.Sleep(14 * time.Minute)
		p.Again("hourly", begun.Add(10*time.Hour)) // the stop cancels it
		p.stop()
		p.ran(t, map[string][]int{"hourly": {3600, 3900}, "often": {1200, 2400, 3600}, "gone": {3600}})
	})
}

// The log says whether the late run has begun or waits for a slot.
func TestSkippedSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		play(t, 31*time.Second, schedule.Options{Parallel: 1, Log: slog.New(slog.NewTextHandler(&log, nil)), Run: func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return nil
		}}, append(each("@every 10s", "first"), each("@every 15s", "second")...))
		for _, want := range []string{`still under way" job=first`, `waits for a free slot; runs of other jobs take them all" job=second`} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("want %q in\n%s", want, &log)
			}
		}
	})
}
