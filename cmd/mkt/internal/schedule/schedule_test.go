package schedule_test

import (
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

	"mkt/cmd/mkt/internal/schedule"
	"mkt/internal/check"
)

func TestParse(t *testing.T) {
	good := map[string]time.Duration{
		"@hourly":         time.Hour,
		"0 * * * *":       time.Hour,
		"30 0 * * * *":    time.Hour,
		"@every 8s":       8 * time.Second,
		"@every 7s":       7 * time.Second,
		"@every 1h30m":    90 * time.Minute,
		"*/10 8-20 * * *": 11*time.Hour + 10*time.Minute, // 20:50 to 08:00
	}
	from := time.Date(2026, 11, 20, 19, 0, 0, 0, time.UTC)
	for expr, want := range good {
		s, err := schedule.Parse(expr)
		if err != nil {
			t.Errorf("%q: %v", expr, err)
			continue
		}
		if got := schedule.Cadence(s, from); got != want {
			t.Errorf("cadence of %q = %v, want %v", expr, got, want)
		}
	}
	for _, expr := range []string{"", "hourly", "* * *", "61 * * * *", "@every", "@every 0s", "@every 1500ms",
		"@every -8s", "@every soon", "0 0 30 2 *", "TZ=UTC", "TZ=Europe/Rome 0 * * * *", "CRON_TZ=", "@never"} {
		if _, err := schedule.Parse(expr); err == nil {
			t.Errorf("%q: accepted", expr)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("@every 8s")
	f.Add("30 0 * * * *")
	f.Add("TZ=0")
	f.Fuzz(func(t *testing.T, expr string) {
		s, err := schedule.Parse(expr)
		if err == nil && schedule.Cadence(s, time.Unix(0, 0)) <= 0 {
			t.Errorf("%q: cadence is not positive", expr)
		}
	})
}

type recorder struct {
	mu   sync.Mutex
	at   map[string][]time.Duration
	zero time.Time
}

func newRecorder() *recorder { return &recorder{at: map[string][]time.Duration{}, zero: time.Now()} }

func (r *recorder) note(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at[name] = append(r.at[name], time.Since(r.zero))
}

func seconds(n ...int) []time.Duration {
	var out []time.Duration
	for _, s := range n {
		out = append(out, time.Duration(s)*time.Second)
	}
	return out
}

func TestLateTickIsSkippedNotQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := newRecorder()
		s := schedule.New(schedule.Options{Now: time.Now, Run: func(_ context.Context, name string) error {
			r.note(name)
			if name == "slow" {
				time.Sleep(25 * time.Second)
			}
			return nil
		}})
		check.Must(t, s.Set([]schedule.Job{{Name: "slow", Expr: "@every 10s"}, {Name: "fast", Expr: "@every 20s"}}))
		done := make(chan struct{})
		go func() { s.Run(ctx); close(done) }()
		time.Sleep(65 * time.Second)
		cancel()
		<-done
		if want := seconds(10, 40); !slices.Equal(r.at["slow"], want) {
			t.Errorf("slow ran at %v, want %v", r.at["slow"], want)
		}
		if want := seconds(20, 40, 60); !slices.Equal(r.at["fast"], want) {
			t.Errorf("fast ran at %v, want %v", r.at["fast"], want)
		}
		if got := time.Since(r.zero); got != 65*time.Second {
			t.Errorf("stopped after %v: want at once, nothing was running", got)
		}
	})
}

func TestStopWaitsForTheRunUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var finished atomic.Bool
		s := schedule.New(schedule.Options{Now: time.Now, Run: func(ctx context.Context, _ string) error {
			<-ctx.Done() // the run notices the stop and takes its time
			time.Sleep(5 * time.Second)
			finished.Store(true)
			return nil
		}})
		check.Must(t, s.Set([]schedule.Job{{Name: "a", Expr: "@every 10s"}}))
		time.AfterFunc(12*time.Second, cancel)
		s.Run(ctx)
		if !finished.Load() {
			t.Error("Run returned before the job")
		}
	})
}

func TestSetFollowsChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := newRecorder()
		s := schedule.New(schedule.Options{Now: time.Now, Run: func(_ context.Context, name string) error { r.note(name); return nil }})
		set := func(jobs ...schedule.Job) {
			t.Helper()
			check.Must(t, s.Set(jobs))
		}
		set(schedule.Job{Name: "kept", Expr: "@every 10s"}, schedule.Job{Name: "gone", Expr: "@every 10s"}, schedule.Job{Name: "slower", Expr: "@every 10s"})
		done := make(chan struct{})
		go func() { s.Run(ctx); close(done) }()
		time.Sleep(15 * time.Second)
		if err := s.Set([]schedule.Job{{Name: "kept", Expr: "no"}}); err == nil {
			t.Error("a bad expression was accepted")
		}
		set(schedule.Job{Name: "kept", Expr: "@every 10s"}, schedule.Job{Name: "slower", Expr: "@every 20s"}, schedule.Job{Name: "new", Expr: "@every 10s"})
		time.Sleep(22 * time.Second)
		cancel()
		<-done
		want := map[string][]time.Duration{"kept": seconds(10, 20, 30), "gone": seconds(10), "slower": seconds(10, 20), "new": seconds(20, 30)}
		for name, w := range want {
			if !slices.Equal(r.at[name], w) {
				t.Errorf("%s ran at %v, want %v", name, r.at[name], w)
			}
		}
	})
}

func TestOverdueRunsAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		r := newRecorder()
		s := schedule.New(schedule.Options{Now: time.Now, Run: func(_ context.Context, name string) error { r.note(name); return nil }})
		check.Must(t, s.Set([]schedule.Job{{Name: "late", Expr: "@every 10s"}, {Name: "fresh", Expr: "@every 10s"}}))
		s.Run(ctx, "late", "unknown")
		if !slices.Equal(r.at["late"], seconds(0, 10)) || !slices.Equal(r.at["fresh"], seconds(10)) {
			t.Errorf("ran at %v", r.at)
		}
	})
}

func TestPanicStopsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		var runs atomic.Int32
		s := schedule.New(schedule.Options{Now: time.Now, Run: func(context.Context, string) error { runs.Add(1); panic("boom") }})
		check.Must(t, s.Set([]schedule.Job{{Name: "a", Expr: "@every 10s"}}))
		s.Run(ctx)
		if runs.Load() != 3 {
			t.Errorf("%d runs, want 3", runs.Load())
		}
	})
}

func TestParallelAndJitterAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Second)
		defer cancel()
		var now, most atomic.Int32
		r := newRecorder()
		s := schedule.New(schedule.Options{Now: time.Now, Parallel: 2, Jitter: 5 * time.Second, Run: func(_ context.Context, name string) error {
			r.note(name)
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(3 * time.Second)
			now.Add(-1)
			return nil
		}})
		var jobs []schedule.Job
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			jobs = append(jobs, schedule.Job{Name: name, Expr: "@every 60s"})
		}
		check.Must(t, s.Set(jobs))
		s.Run(ctx)
		if most.Load() != 2 {
			t.Errorf("%d runs at once, want 2", most.Load())
		}
		for name, at := range r.at {
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
		s, err := schedule.Parse(c.expr)
		check.Must(t, err)
		if got := s.Next(clock(c.after)); !got.Equal(clock(c.want)) {
			t.Errorf("%s after %s: %s, want %s", c.expr, c.after, got.UTC().Format(time.RFC3339Nano), c.want)
		}
	}
}

// A restarted process has the same ticks as one that never stopped, including jitter.
func TestRestartDoesNotShiftTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		job := schedule.Job{Name: "acme/live", Expr: "@every 8s"}
		for _, lives := range []time.Duration{13 * time.Second, 21*time.Second + 300*time.Millisecond, 40 * time.Second, 999 * time.Millisecond, 60 * time.Second} {
			ctx, cancel := context.WithTimeout(t.Context(), lives)
			s := schedule.New(schedule.Options{Now: time.Now, Jitter: 30 * time.Second, Run: func(_ context.Context, name string) error { r.note(name); return nil }})
			check.Must(t, s.Set([]schedule.Job{job}))
			s.Run(ctx)
			cancel()
			time.Sleep(1700 * time.Millisecond) // the process is down
		}
		at := r.at[job.Name]
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
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		var log strings.Builder
		var under atomic.Int32
		r := newRecorder()
		s := schedule.New(schedule.Options{Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil)), Run: func(context.Context, string) error {
			if under.Add(1) > 1 {
				t.Error("two at once")
			}
			defer under.Add(-1)
			r.note("live")
			if len(r.at["live"]) == 2 {
				time.Sleep(27 * time.Second) // until 43 s
			}
			return nil
		}})
		check.Must(t, s.Set([]schedule.Job{{Name: "live", Expr: "@every 8s"}}))
		s.Run(ctx)
		if want := seconds(8, 16, 48, 56, 64, 72, 80, 88, 96); !slices.Equal(r.at["live"], want) {
			t.Errorf("ran at %v, want %v", r.at["live"], want)
		}
		if s.Skipped() != 3 || !strings.Contains(log.String(), "job=live in_a_row=3 skipped=3") {
			t.Errorf("%d skipped: %s", s.Skipped(), &log)
		}
	})
}

// Jobs with the same cadence are spread, and each keeps its cadence.
func TestSpreadKeepsTheCadence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		r := newRecorder()
		s := schedule.New(schedule.Options{Now: time.Now, Jitter: 30 * time.Second, Run: func(_ context.Context, name string) error { r.note(name); return nil }})
		var jobs []schedule.Job
		for i := range 20 {
			jobs = append(jobs, schedule.Job{Name: fmt.Sprint("live", i), Expr: "@every 8s"})
		}
		check.Must(t, s.Set(jobs))
		s.Run(ctx)
		first := map[time.Duration]bool{}
		for name, at := range r.at {
			first[at[0]] = true
			for i, d := range at {
				if d != at[0]+time.Duration(i)*8*time.Second || at[0] < 8*time.Second || at[0] >= 8800*time.Millisecond {
					t.Fatalf("%s: run %d at %v, the first at %v", name, i, d, at[0])
				}
			}
		}
		if len(r.at) != 20 || len(first) < 15 {
			t.Errorf("%d jobs began at %d times", len(r.at), len(first))
		}
	})
}

// Short jobs keep their cadence for hours while long jobs of another lane use all their own
// slots: one run a tick, on time, never two at once.
func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := newRecorder()
		var under atomic.Int32
		s := schedule.New(schedule.Options{Now: time.Now, Parallel: 2, Lanes: map[string]int{"live": 8}, Run: func(_ context.Context, name string) error {
			if strings.HasPrefix(name, "hourly") {
				time.Sleep(50 * time.Minute)
				return nil
			}
			if under.Add(1) > 8 {
				t.Error("more at once than there are places")
			}
			r.note(name)
			time.Sleep(2 * time.Second)
			under.Add(-1)
			return nil
		}})
		var jobs []schedule.Job
		for i := range 20 {
			jobs = append(jobs, schedule.Job{Name: fmt.Sprint("hourly", i), Expr: "@hourly", Lane: "markets"},
				schedule.Job{Name: fmt.Sprint("live", i), Expr: "@every 8s", Lane: "live"})
		}
		check.Must(t, s.Set(jobs))
		time.AfterFunc(3*time.Hour, cancel)
		s.Run(ctx)
		for i := range 20 {
			at := r.at[fmt.Sprint("live", i)]
			if len(at) < 3*450-1 {
				t.Errorf("live%d ran %d times in three hours", i, len(at))
			}
			for n, d := range at {
				if late := d - time.Duration(n+1)*8*time.Second; late < 0 || late > 6*time.Second {
					t.Fatalf("live%d: run %d at %v", i, n, d)
				}
			}
		}
	})
}

// A job that is to run again does so once at that time, unless a tick comes before; an hourly
// job does not wait an hour.
func TestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := newRecorder()
		begun := time.Now()
		var s *schedule.Scheduler
		s = schedule.New(schedule.Options{Now: time.Now, Run: func(_ context.Context, name string) error {
			r.note(name)
			switch {
			case name == "hourly" && len(r.at[name]) == 1:
				s.Again(name, begun.Add(2*time.Hour)) // replaced by the next call
				s.Again(name, begun.Add(65*time.Minute))
			case name == "often":
				s.Again(name, time.Now().Add(25*time.Minute)) // a tick comes before
			case name == "gone":
				s.Again(name, begun.Add(70*time.Minute))
			}
			return nil
		}})
		s.Again("unknown", begun)
		jobs := []schedule.Job{{Name: "hourly", Expr: "@hourly"}, {Name: "often", Expr: "@every 20m"}, {Name: "gone", Expr: "@hourly"}}
		check.Must(t, s.Set(jobs))
		done := make(chan struct{})
		go func() { s.Run(ctx); close(done) }()
		time.Sleep(61 * time.Minute)
		check.Must(t, s.Set(jobs[:2]))
		time.Sleep(14 * time.Minute)
		s.Again("hourly", begun.Add(10*time.Hour)) // the stop cancels it
		cancel()
		<-done
		for name, want := range map[string][]time.Duration{"hourly": seconds(3600, 3900), "often": seconds(1200, 2400, 3600), "gone": seconds(3600)} {
			if !slices.Equal(r.at[name], want) {
				t.Errorf("%s ran at %v, want %v", name, r.at[name], want)
			}
		}
	})
}

// The log says whether the late run has begun or waits for a slot.
func TestSkippedSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		log := new(strings.Builder)
		s := schedule.New(schedule.Options{Now: time.Now, Parallel: 1, Log: slog.New(slog.NewTextHandler(log, nil)), Run: func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return nil
		}})
		check.Must(t, s.Set([]schedule.Job{{Name: "first", Expr: "@every 10s"}, {Name: "second", Expr: "@every 15s"}}))
		done := make(chan struct{})
		go func() { s.Run(ctx); close(done) }()
		time.Sleep(31 * time.Second)
		cancel()
		<-done
		for _, want := range []string{`still under way" job=first`, `waits for a free slot; runs of other jobs take them all" job=second`} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("want %q in\n%s", want, log)
			}
		}
	})
}

// A slower pace keeps to the clock, whatever the expression: once in each interval.
func TestSlower(t *testing.T) {
	from := time.Date(2026, 11, 20, 9, 7, 3, 0, time.UTC)
	for _, c := range []struct {
		expr string
		pace time.Duration
		want string
	}{
		{"@every 8s", 0, "09:07:04 09:07:12 09:07:20"},
		{"@every 8s", 5 * time.Second, "09:07:04 09:07:12 09:07:20"},
		{"@every 8s", 20 * time.Second, "09:07:20 09:07:40 09:08:00"},
		{"@hourly", time.Hour, "10:00:00 11:00:00 12:00:00"},
		{"@hourly", 3 * time.Hour, "12:00:00 15:00:00 18:00:00"},
		{"30 * * * *", 3 * time.Hour, "09:30:00 12:30:00 15:30:00"},
		{"0 6-20 * * *", 6 * time.Hour, "12:00:00 18:00:00 06:00:00"},
		{"*/5 * * * *", 12 * time.Minute, "09:15:00 09:25:00 09:40:00"},
	} {
		s, err := schedule.Parse(c.expr)
		check.Must(t, err)
		slower, at, got := schedule.Slower(s, c.pace), from, []string{}
		for range 3 {
			at = slower.Next(at)
			got = append(got, at.Format("15:04:05"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s every %s: %s, want %s", c.expr, c.pace, strings.Join(got, " "), c.want)
		}
		if n := schedule.Ticks(slower, from, at); n != 3 {
			t.Errorf("%s every %s: %v ticks until the third", c.expr, c.pace, n)
		}
	}
}
