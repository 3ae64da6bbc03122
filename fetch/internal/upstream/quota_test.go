package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch/provider"
)

// A run that would have to wait for its quota for more than a few seconds ends, and
// says until when.
func TestQuotaEndsTheRun(t *testing.T) {
	inAnHour := fmt.Sprint(time.Now().Add(time.Hour).Unix())
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		least   time.Duration // until when, from now
		most    time.Duration
		assumed bool
		left    int64 // -1: not said
	}{
		"a long wait":                {say(429, "l", "Retry-After", "1800"), 29 * time.Minute, 31 * time.Minute, false, -1},
		"until the reset":            {say(429, "l", "X-RateLimit-Remaining", "0", "X-RateLimit-Limit", "40", "X-RateLimit-Reset", inAnHour), 58 * time.Minute, 61 * time.Minute, false, 0},
		"not said":                   {say(429, "l"), time.Minute, 3 * time.Minute, true, -1},
		"limited with requests left": {say(429, "l", "X-RateLimit-Remaining", "7", "X-RateLimit-Reset", inAnHour), time.Minute, 3 * time.Minute, true, 7},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := script(t, c.answer)
			b := newBench(t, url, nil)
			began := time.Now()
			_, err := b.ask(t.Context())
			var refusal *provider.AnswerError
			if !errors.As(err, &refusal) || refusal.Verdict.Kind != provider.Limited || b.Stopped() == nil {
				t.Fatalf("%v, stopped %v", err, b.Stopped())
			}
			q := b.Quota()
			if q == nil || q.UsedUpUntil == nil || q.Assumed != c.assumed || (q.Left == nil) != (c.left < 0) || q.Left != nil && *q.Left != c.left {
				t.Fatalf("quota %+v", q)
			}
			if until := q.UsedUpUntil.Sub(began); until < c.least || until > c.most {
				t.Errorf("until %v from now, want between %v and %v", until, c.least, c.most)
			}
		})
	}
}

// Many short waits are a long one.
func TestShortWaitsAddUp(t *testing.T) {
	n := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n%2 == 1 {
			say(429, "l")(w, r)
			return
		}
		fine(w, r)
	})
	b := newBench(t, s.URL, func(o *Options) {
		classify := o.Provider.Classify
		o.Provider.Classify = func(status int, h http.Header, body []byte) provider.Verdict {
			v := classify(status, h, body)
			if v.Kind == provider.Limited {
				v.Wait = 40 * time.Millisecond
			}
			return v
		}
		o.Limits.QuotaWait = 50 * time.Millisecond
	})
	var err error
	answered := 0
	for ; err == nil && answered < 100; answered++ {
		_, err = b.ask(t.Context())
	}
	var refusal *provider.AnswerError
	if !errors.As(err, &refusal) || refusal.Verdict.Kind != provider.Limited || answered < 3 || answered > 5 || b.Quota().UsedUpUntil == nil {
		t.Errorf("%v after %d requests, quota %+v", err, answered, b.Quota())
	}
}

// The provider's last report counts: requests left end a report of a used up quota, in
// the same run and in the next of the same process.
func TestNewestWordOnTheQuotaCounts(t *testing.T) {
	url, asked := script(t,
		say(429, "l", "Retry-After", "3600"),
		say(200, "{}", "X-RateLimit-Remaining", "5000", "X-RateLimit-Limit", "5001", "X-RateLimit-Reset", "1800"),
		say(200, "{}", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1800"))
	circuits := &Circuits{}
	share := func(o *Options) { o.Circuits = circuits }
	first := newBench(t, url, share)
	if _, err := first.ask(t.Context()); err == nil || first.Quota().UsedUpUntil == nil {
		t.Fatalf("%v, %+v", err, first.Quota())
	}
	first.Close()
	next := newBench(t, url, share)
	if _, err := next.ask(t.Context()); err != nil || asked.Load() != 2 {
		t.Fatalf("the next run is refused from memory: %v after %d requests", err, asked.Load())
	}
	if q := next.Quota(); q.UsedUpUntil != nil || *q.Left != 5000 || *q.Limit != 5001 || q.ResetsAt == nil {
		t.Errorf("%+v", q)
	}
	if _, err := next.ask(t.Context()); err != nil || next.Quota().UsedUpUntil == nil || *next.Quota().Left != 0 {
		t.Errorf("the last of the quota: %v, %+v", err, next.Quota())
	}
}

// A budget of our own, where the provider says nothing, starts again when somebody
// else heard that requests are left.
func TestOwnBudgetEndsByAnotherWord(t *testing.T) {
	url, asked := script(t, fine)
	circuits := &Circuits{}
	var heard time.Time
	share := func(o *Options) {
		o.Provider.Budget.Requests, o.Provider.Budget.Window, o.Circuits, o.QuotaLeftAt = 2, time.Hour, circuits, heard
	}
	run := func() (err error) {
		b := newBench(t, url, share)
		defer b.Close()
		for range 3 {
			_, err = b.ask(t.Context())
		}
		if q := b.Quota(); err != nil && (q == nil || q.UsedUpUntil == nil) {
			t.Errorf("%v, quota %+v", err, q)
		}
		return err
	}
	if err := run(); err == nil || asked.Load() != 2 {
		t.Fatalf("%v after %d requests", err, asked.Load())
	}
	if run(); asked.Load() != 2 {
		t.Errorf("%d requests", asked.Load())
	}
	time.Sleep(5 * time.Millisecond)
	heard = time.Now()
	time.Sleep(5 * time.Millisecond)
	if run(); asked.Load() != 4 {
		t.Errorf("%d requests after another word", asked.Load())
	}
}

// When the process is to stop, a run that waits ends at once, whatever it waits for.
func TestStoppingEndsWaits(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{"quota": say(429, "l", "Retry-After", "5"), "retry": say(500, "r"), "refusal": say(401, "c")} {
		t.Run(name, func(t *testing.T) {
			url, asked := script(t, answer)
			stopping := make(chan struct{})
			b := newBench(t, url, func(o *Options) {
				o.Limits.Wait, o.Limits.MaxWait, o.Limits.Confirm, o.Limits.Run, o.Stopping = time.Minute, time.Minute, time.Minute, time.Hour, stopping
			})
			go func() {
				for asked.Load() == 0 {
					time.Sleep(time.Millisecond)
				}
				close(stopping)
			}()
			if _, err := b.ask(t.Context()); !errors.Is(err, ErrStopping) || !errors.Is(err, context.Canceled) || !errors.Is(b.Stopped(), ErrStopping) || asked.Load() != 1 {
				t.Errorf("%v, stopped %v, asked %d", err, b.Stopped(), asked.Load())
			}
		})
	}
}

// A quota that the body states is believed where no header states one.
func TestQuotaOfTheBody(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		left   int
		resets time.Duration
	}{
		"no header":    {say(200, "{}"), 41, 30 * time.Minute},
		"a header too": {say(200, "{}", "X-RateLimit-Remaining", "7", "X-RateLimit-Reset", "600"), 41, 30 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := script(t, c.answer)
			b := newBench(t, url, func(o *Options) {
				classify := o.Provider.Classify
				o.Provider.Classify = func(status int, h http.Header, body []byte) provider.Verdict {
					v := classify(status, h, body)
					v.Quota = &provider.Quota{Left: 41, Resets: 30 * time.Minute}
					return v
				}
			})
			if _, err := b.ask(t.Context()); err != nil {
				t.Fatal(err)
			}
			left, known := b.Left()
			if !known || left.Left != c.left || left.Resets > c.resets || left.Resets < c.resets-time.Minute {
				t.Errorf("%+v, known %v", left, known)
			}
			if q := b.Quota(); q == nil || q.Left == nil || *q.Left != int64(c.left) || q.ResetsAt == nil || q.UsedUpUntil != nil {
				t.Errorf("%+v", q)
			}
		})
	}
}

// Once the quota is used up nothing is sent any more, and a request that waits for its repetition
// ends. A request under way is finished, within its own limits, since it is paid for; only the
// caller ends it at once.
func TestQuotaLeavesRequestsUnderWay(t *testing.T) {
	for name, c := range map[string]struct {
		late    http.HandlerFunc // the answer to the first request, after the second was refused; nil = none
		early   bool             // it is answered before
		abandon bool             // the caller ends it
		ok      bool
	}{
		"answered":               {late: fine, ok: true},
		"to be repeated":         {late: say(500, "r")},
		"waits to be repeated":   {late: say(500, "r", "Retry-After", "600"), early: true},
		"refused too":            {late: say(429, "l", "Retry-After", "1800")},
		"a refused credential":   {late: say(401, "c")},
		"never answered":         {},
		"given up by its caller": {abandon: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			arrived, release := make(chan struct{}), make(chan struct{})
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) > 1 {
					say(429, "l", "Retry-After", "1800")(w, r)
					return
				}
				if close(arrived); !c.early {
					<-release
				}
				if c.late == nil {
					<-r.Context().Done()
					return
				}
				c.late(w, r)
			})
			b := newBench(t, s.URL, func(o *Options) {
				o.Limits.Run, o.Limits.Header, o.Limits.Wait, o.Limits.MaxWait, o.Limits.Confirm = time.Hour, 2*time.Second, 50*time.Millisecond, time.Minute, time.Minute
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := b.ask(ctx)
				done <- err
			}()
			<-arrived
			for c.early && b.Requests() == 0 {
				time.Sleep(time.Millisecond)
			}
			var refusal *provider.AnswerError
			for range 2 {
				_, err := b.ask(t.Context())
				if !errors.As(err, &refusal) || refusal.Verdict.Kind != provider.Limited || b.Stopped() == nil || asked.Load() != 2 {
					t.Errorf("%v, stopped %v, asked %d", err, b.Stopped(), asked.Load())
				}
			}
			if c.abandon {
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
				done <- context.Canceled
			}
			close(release)
			err := <-done
			if (err == nil) != c.ok || err != nil && !c.abandon && (!errors.As(err, &refusal) || refusal.Verdict.Kind != provider.Limited) {
				t.Errorf("%v", err)
			}
			if q := b.Quota(); asked.Load() != 2 || q.UsedUpUntil == nil || time.Until(*q.UsedUpUntil) < 25*time.Minute {
				t.Errorf("asked %d, quota %+v", asked.Load(), q)
			}
		})
	}
}

// An answer that is read after those of many later requests does not report more of the
// quota than they did.
func TestALateReportOfTheQuota(t *testing.T) {
	var counted atomic.Int64
	arrived, late := make(chan struct{}), make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := counted.Add(1)
		w.Header().Set("X-RateLimit-Remaining", strconv.FormatInt(20-n, 10))
		if n == 1 {
			close(arrived)
			<-late
		}
		io.WriteString(w, "{}")
	})
	b := newBench(t, s.URL, func(o *Options) {
		o.Limits.Window, o.Limits.Body, o.Limits.Header = 30*time.Second, 30*time.Second, 30*time.Second
	})
	first := make(chan error)
	go func() { _, err := b.ask(t.Context()); first <- err }()
	<-arrived
	for range 10 {
		if _, err := b.ask(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	close(late)
	if err := <-first; err != nil || *b.Quota().Left != 9 {
		t.Errorf("%v, left %d", err, *b.Quota().Left)
	}
}
