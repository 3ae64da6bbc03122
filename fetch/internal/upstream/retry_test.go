package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/internal/testing/check"
)

// script answers the n-th request with the n-th function, the last for ever.
func script(t *testing.T, answers ...http.HandlerFunc) (url string, asked *atomic.Int64) {
	asked = new(atomic.Int64)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := int(asked.Add(1))
		answers[min(n, len(answers))-1](w, r)
	})
	return s.URL, asked
}

// say answers with a status, a body and pairs of headers.
func say(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func hangUp(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

var fine = say(200, "{}")

func TestWhatIsAskedAgain(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []http.HandlerFunc
		asked   int64
		kept    int
		want    error // nil = accepted
		kind    provider.Kind
		stopped bool
	}{
		{"fine at once", []http.HandlerFunc{fine}, 1, 1, nil, 0, false},
		{"500 twice", []http.HandlerFunc{say(500, "r"), say(503, "r"), fine}, 3, 3, nil, 0, false},
		{"500 for ever", []http.HandlerFunc{say(500, "r")}, 3, 3, provider.ErrUnreachable, provider.Retryable, false},
		{"hung up once", []http.HandlerFunc{hangUp, fine}, 2, 1, nil, 0, false},
		{"HTML once", []http.HandlerFunc{say(200, "<html>"), fine}, 2, 2, nil, 0, false},
		{"HTML for ever", []http.HandlerFunc{say(200, "<html>")}, 2, 2, nil, provider.Rejected, false},
		{"limited, then fine", []http.HandlerFunc{say(429, "l"), fine}, 2, 2, nil, 0, false},
		{"limited for ever", []http.HandlerFunc{say(200, "l")}, 3, 3, nil, provider.Limited, true},
		{"credential refused", []http.HandlerFunc{say(200, "c"), say(401, "c"), fine}, 2, 2, nil, provider.CredentialFault, true},
		{"not bought", []http.HandlerFunc{say(403, "p")}, 2, 2, nil, provider.PermissionFault, true},
		{"credential refused once", []http.HandlerFunc{say(401, "c"), fine}, 2, 2, nil, 0, false},
		{"not bought, once", []http.HandlerFunc{say(403, "p"), fine}, 2, 2, nil, 0, false},
		{"refused once, then down", []http.HandlerFunc{say(401, "c"), say(500, "r")}, 3, 3, provider.ErrUnreachable, provider.Retryable, false},
		{"refused, limited, refused", []http.HandlerFunc{say(401, "c"), say(429, "l"), say(401, "c"), fine}, 4, 4, nil, 0, false},
		{"redirect", []http.HandlerFunc{say(302, "{}", "Location", "/elsewhere"), fine}, 1, 1, nil, provider.Rejected, false},
		{"accepted body, other status", []http.HandlerFunc{say(202, "{}")}, 2, 2, nil, provider.Rejected, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, asked := script(t, c.answers...)
			b := newBench(t, url, nil)
			_, err := b.ask(t.Context())
			var refusal *provider.AnswerError
			switch {
			case c.want == nil && c.kind == provider.Accepted && err != nil:
				t.Errorf("not accepted: %v", err)
			case c.want != nil && !errors.Is(err, c.want):
				t.Errorf("got %v, want %v", err, c.want)
			case c.kind != provider.Accepted && (!errors.As(err, &refusal) || refusal.Verdict.Kind != c.kind):
				t.Errorf("got %v, want kind %v", err, c.kind)
			}
			if asked.Load() != c.asked || len(b.kept) != c.kept || b.Requests() != int(c.asked) || b.usage.Load() != c.asked {
				t.Errorf("asked %d, kept %d, requests %d, usage %d", asked.Load(), len(b.kept), b.Requests(), b.usage.Load())
			}
			if (b.Stopped() != nil) != c.stopped {
				t.Errorf("stopped: %v", b.Stopped())
			}
			if c.stopped {
				if _, again := b.ask(t.Context()); !errors.As(again, &refusal) || refusal.Verdict.Kind != c.kind || asked.Load() != c.asked {
					t.Errorf("after the stop: %v, asked %d", again, asked.Load())
				}
			}
		})
	}
}

func TestProvidersWaitsAreObeyed(t *testing.T) {
	t.Parallel()
	inASecond := func(status int, body string, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			say(status, body, append(headers, "X-RateLimit-Reset", fmt.Sprint(time.Now().Add(time.Second+999*time.Millisecond).Unix()))...)(w, r)
		}
	}
	for _, c := range []struct {
		name  string
		first http.HandlerFunc
		least time.Duration
	}{
		{"429 with Retry-After", say(429, "l", "Retry-After", "1"), time.Second},

		{"429 with a reset", inASecond(429, "l"), 500 * time.Millisecond},
		{"429 with seconds to the reset", say(429, "l", "X-RateLimit-Reset", "1"), time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, asked := script(t, c.first, fine)
			b := newBench(t, url, nil)
			began := time.Now()
			if _, err := b.ask(t.Context()); err != nil || asked.Load() != 2 || time.Since(began) < c.least {
				t.Errorf("%v after %v and %d requests", err, time.Since(began), asked.Load())
			}
		})
	}
	t.Run("the last of the quota", func(t *testing.T) {
		t.Parallel()
		url, _ := script(t, inASecond(200, "{}", "X-RateLimit-Remaining", "0"), fine)
		b := newBench(t, url, nil)
		began := time.Now()
		for range 2 {
			if _, err := b.ask(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(began) < 500*time.Millisecond {
			t.Errorf("second request after %v", time.Since(began))
		}
	})
}

// A wait that is longer than the run has is not begun: the run stops, at once.
func TestWaitsBeyondTheBudget(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"Retry-After":   say(429, "l", "Retry-After", "3600"),
		"absurd":        say(429, "l", "Retry-After", "9999999999999"),
		"reset":         say(429, "l", "X-RateLimit-Reset", fmt.Sprint(time.Now().Add(time.Hour).Unix())),
		"absurd reset":  say(429, "l", "X-RateLimit-Reset", "9223372036854775807"),
		"date":          say(429, "l", "Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)),
		"quota used up": say(200, "{}", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(time.Now().Add(time.Hour).Unix())),
	} {
		t.Run(name, func(t *testing.T) {
			url, asked := script(t, first)
			b := newBench(t, url, nil)
			began := time.Now()
			_, err := b.ask(t.Context())
			if err == nil {
				_, err = b.ask(t.Context())
			}
			var refusal *provider.AnswerError
			if !errors.As(err, &refusal) || refusal.Verdict.Kind != provider.Limited || b.Stopped() == nil {
				t.Errorf("%v, stopped %v", err, b.Stopped())
			}
			if asked.Load() != 1 || time.Since(began) > check.Limit {
				t.Errorf("asked %d times in %v", asked.Load(), time.Since(began))
			}
		})
	}
}

// A failing provider that asks for more than a day is not asked again by the run, which would keep its slot meanwhile.
func TestFailureWithAnAbsurdWait(t *testing.T) {
	for _, wait := range []string{"86401", "9223372036854775807", time.Now().Add(48 * time.Hour).UTC().Format(http.TimeFormat)} {
		url, asked := script(t, say(503, "r", "Retry-After", wait))
		b := newBench(t, url, func(o *Options) { o.Limits.Run = time.Hour })
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err := b.ask(ctx)
		cancel()
		if !errors.Is(err, provider.ErrUnreachable) || asked.Load() != 1 {
			t.Errorf("%s: %v after %d requests", wait, err, asked.Load())
		}
	}
}

func TestAsked(t *testing.T) {
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	limited := provider.Verdict{Kind: provider.Limited}
	for _, c := range []struct {
		name    string
		verdict provider.Verdict
		headers []string
		want    time.Duration
	}{
		{"nothing", limited, nil, 0},
		{"the adapter's", provider.Verdict{Wait: 3 * time.Second}, nil, 3 * time.Second},
		{"the longest", provider.Verdict{Wait: 3 * time.Second}, []string{"Retry-After", "7"}, 7 * time.Second},
		{"a date by the provider's clock", limited, []string{"Retry-After", "Fri, 20 Nov 2026 10:00:10 GMT", "Date", "Fri, 20 Nov 2026 10:00:00 GMT"}, 10 * time.Second},
		{"a reset by the provider's clock", limited, []string{"X-RateLimit-Reset", fmt.Sprint(now.Unix() + 3610), "Date", "Fri, 20 Nov 2026 10:00:00 GMT"}, 10 * time.Second},
		{"a reset that nobody waits for", provider.Verdict{}, []string{"X-RateLimit-Reset", fmt.Sprint(now.Unix() + 10), "X-RateLimit-Remaining", "5"}, 0},
		{"in the past", limited, []string{"X-RateLimit-Reset", fmt.Sprint(now.Unix() - 100)}, 0},
		{"negative", limited, []string{"Retry-After", "-5"}, 0},
		{"words", limited, []string{"Retry-After", "soon", "X-RateLimit-Reset", "later"}, 0},
		{"a year", limited, []string{"Retry-After", "31536000"}, assumedWait},
		{"a month's quota that the adapter read", provider.Verdict{Kind: provider.Limited, Quota: &provider.Quota{Resets: 240 * time.Hour}}, nil, 240 * time.Hour},
		{"a quota that the adapter read and that is left", provider.Verdict{Kind: provider.Limited, Quota: &provider.Quota{Left: 5, Resets: time.Hour}},
			[]string{"X-RateLimit-Reset", fmt.Sprint(now.Unix() + 10)}, 0},
		{"a year that the adapter read", provider.Verdict{Kind: provider.Limited, Wait: 365 * 24 * time.Hour}, nil, maxWindow},
		{"overflow", limited, []string{"Retry-After", "9223372036854775807"}, assumedWait},
		{"beyond any window", limited, []string{"Retry-After", "99999999999"}, assumedWait},
		{"none left is not fewer than none", limited, []string{"X-RateLimit-Remaining", "-1"}, 0},
		{"a day", limited, []string{"Retry-After", "86400"}, maxAsked},
	} {
		h := http.Header{}
		for i := 0; i < len(c.headers); i += 2 {
			h.Set(c.headers[i], c.headers[i+1])
		}
		if got := asked(c.verdict, h, now); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func FuzzAsked(f *testing.F) {
	f.Add("5", "1763629200", "0", "Fri, 20 Nov 2026 10:00:00 GMT")
	f.Fuzz(func(t *testing.T, after, reset, remaining, date string) {
		h := http.Header{"Retry-After": {after}, "X-Ratelimit-Reset": {reset}, "X-Ratelimit-Remaining": {remaining}, "Date": {date}}
		if got := asked(provider.Verdict{Kind: provider.Limited}, h, time.Now()); got < 0 || got > maxAsked {
			t.Fatalf("wait %v", got)
		}
	})
}

// A provider that is down is not asked for every fixture of the day.
func TestDownProviderIsGivenUp(t *testing.T) {
	url, asked := script(t, hangUp)
	b := newBench(t, url, nil)
	for range 100 {
		if _, err := b.ask(t.Context()); !errors.Is(err, provider.ErrUnreachable) {
			t.Fatal(err)
		}
	}
	if n := asked.Load(); n != breakAfter+giveUpOpenings-1 || b.Stopped() == nil {
		t.Errorf("asked %d times, stopped %v", n, b.Stopped())
	}
}

// A provider gone for a moment costs the run that moment, not the fixtures requested
// meanwhile.
func TestShortOutageCostsNoFixture(t *testing.T) {
	var asked atomic.Int64
	back := time.Now().Add(150 * time.Millisecond)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if time.Now().Before(back) {
			hangUp(w, r)
			return
		}
		io.WriteString(w, "{}")
	})
	b := newBench(t, s.URL, func(o *Options) { o.Limits.Tries, o.Limits.Break = 6, 100*time.Millisecond })
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				if _, err := b.ask(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := asked.Load(); n > 40+2*breakAfter {
		t.Errorf("asked %d times", n)
	}
}

// The findings of one run are known to the next of the same process; they do not affect
// another account.
func TestBreakerOutlivesTheRun(t *testing.T) {
	url, asked := script(t, hangUp)
	circuits := &Circuits{}
	share := func(account string) func(*Options) {
		return func(o *Options) { o.Circuits, o.Account, o.Limits.Break = circuits, account, time.Hour }
	}
	b := newBench(t, url, share("acme"))
	for range breakAfter {
		b.ask(t.Context())
	}
	before := asked.Load()
	next := newBench(t, url, share("acme"))
	if _, err := next.ask(t.Context()); !errors.Is(err, provider.ErrUnreachable) || asked.Load() != before || next.Requests() != 0 {
		t.Errorf("%v, asked %d more", err, asked.Load()-before)
	}
	other := newBench(t, url, share("other"))
	if other.ask(t.Context()); asked.Load() == before {
		t.Error("another account's requests are held back")
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int64
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		io.WriteString(w, "{}")
	})
	b := newBench(t, s.URL, func(o *Options) { o.Provider.Budget.Concurrency, o.Provider.Budget.Burst = 3, 100 })
	began := time.Now()
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if _, err := b.ask(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() > 3 || time.Since(began) < 350*time.Millisecond {
		t.Errorf("%d at once, 40 requests in %v at 100 a second", most.Load(), time.Since(began))
	}
}

func TestOwnQuota(t *testing.T) {
	url, asked := script(t, fine)
	circuits := &Circuits{}
	change := func(o *Options) {
		o.Provider.Budget.Requests, o.Provider.Budget.Window, o.Circuits = 5, time.Hour, circuits
	}
	b := newBench(t, url, change)
	var err error
	for range 10 {
		_, err = b.ask(t.Context())
	}
	var refusal *provider.AnswerError
	if !errors.As(err, &refusal) || refusal.Verdict.Code != codeQuota || asked.Load() != 5 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
	if _, err := newBench(t, url, change).ask(t.Context()); !errors.As(err, &refusal) || asked.Load() != 5 {
		t.Errorf("the next run: %v after %d requests", err, asked.Load())
	}
	reporting, _ := script(t, say(200, "{}", "X-RateLimit-Remaining", "1000"))
	b = newBench(t, reporting, change)
	for range 10 {
		if _, err := b.ask(t.Context()); err != nil {
			t.Fatalf("with a quota of the provider's own: %v", err)
		}
	}
}

func TestRunThatGrowsTooLarge(t *testing.T) {
	url, asked := script(t, say(200, "{"+string(make([]byte, 1000))))
	b := newBench(t, url, func(o *Options) { o.Limits.Bytes = 2500 })
	var err error
	for range 10 {
		_, err = b.ask(t.Context())
	}
	var refusal *provider.AnswerError
	if !errors.As(err, &refusal) || refusal.Verdict.Code != codeRunTooLarge || asked.Load() != 3 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
}

func TestEndOfTheRun(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	t.Run("its time", func(t *testing.T) {
		b := newBench(t, serve(t, hang).URL, func(o *Options) { o.Limits.Run = 100 * time.Millisecond })
		began := time.Now()
		if _, err := b.ask(t.Context()); !errors.Is(err, provider.ErrUnreachable) || time.Since(began) > check.Limit/2 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if _, err := b.ask(t.Context()); !errors.Is(err, provider.ErrUnreachable) || b.Requests() > 1 {
			t.Errorf("afterwards: %v", err)
		}
	})
	t.Run("the caller", func(t *testing.T) {
		b := newBench(t, serve(t, hang).URL, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := b.ask(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, provider.ErrUnreachable) {
			t.Errorf("%v", err)
		}
		if b.Stopped() != nil {
			t.Errorf("one caller's end stops the run: %v", b.Stopped())
		}
	})
	t.Run("keep", func(t *testing.T) {
		full := errors.New("disk is full")
		url, asked := script(t, fine)
		b := newBench(t, url, nil)
		_, err := b.Get(t.Context(), provider.Request{Endpoint: "e", Path: "/"}, func(Answer) error { return full })
		if !errors.Is(err, full) || asked.Load() != 1 {
			t.Errorf("%v", err)
		}
	})
	t.Run("stop reaches requests under way", func(t *testing.T) {
		begun := make(chan struct{})
		var n atomic.Int64
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1) == 1 {
				close(begun)
				<-r.Context().Done()
				return
			}
			io.WriteString(w, "c") // and once more, when it is confirmed
		})
		b := newBench(t, s.URL, nil)
		ended := make(chan error)
		go func() {
			_, err := b.ask(t.Context())
			ended <- err
		}()
		<-begun
		b.ask(t.Context())
		var refusal *provider.AnswerError
		select {
		case err := <-ended:
			if !errors.As(err, &refusal) || refusal.Verdict.Kind != provider.CredentialFault {
				t.Errorf("%v", err)
			}
		case <-time.After(check.Limit):
			t.Error("a request goes on after the credential was refused")
		}
	})
}
