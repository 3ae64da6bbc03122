package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"mkt/scripts/internal/installation"
	"mkt/scripts/internal/pages"
)

type floodOptions struct {
	mkt         *string
	size        int
	each        time.Duration // of every phase
	pace        int           // requests a second of the quiet account
	connections int           // connections of the flood
	rate        int           // maximum requests a second of the flood; 0: no limit
	limit       int           // requests a minute of the flood's account
}

// floodFlags returns the measurement of a flood: the effect of one account's requests on
// another's latency. The quiet account requests cold pages at a constant rate, first alone and
// then during several floods of the other account. Server and load share the machine, so a ratio
// above 1 is partly caused by the lack of processors.
func floodFlags(flags *flag.FlagSet, mkt *string) func(context.Context) error {
	o := &floodOptions{mkt: mkt} // the flags are parsed later
	flags.IntVar(&o.size, "fixtures", 300, "fixtures of the provider")
	flags.DurationVar(&o.each, "each", 20*time.Second, "how long every phase takes")
	flags.IntVar(&o.pace, "pace", 50, "requests a second of the quiet account")
	flags.IntVar(&o.connections, "flood", 64, "connections of the flood")
	flags.IntVar(&o.rate, "rate", 0, "maximum requests a second of the flood (0: as many as are answered)")
	flags.IntVar(&o.limit, "limit", 60_000, "rate limit of the flood's account, requests a minute")
	return o.measure
}

// phase is the work of the other account while the quiet one is measured.
type phase struct {
	name string
	path func(s *floodSystem, n int) string // nil for nothing
}

var phases = []phase{
	{"alone", nil},
	{"during a flood of cold pages", func(s *floodSystem, n int) string { return s.cold("flood", n) }},
	{"during a flood of one cached page", func(s *floodSystem, _ int) string { return s.cold("flood", 0) }},
	{"during a flood of filters", func(_ *floodSystem, n int) string { return fmt.Sprintf("/fixtures?limit=200&league=%d", n) }},
	{"alone again", nil},
}

func (o *floodOptions) measure(ctx context.Context) (err error) {
	s, err := o.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	fmt.Printf("%-34s %8s %8s %8s %8s   %s\n", "the quiet account", "p50 ms", "p99 ms", "p50 ×", "p99 ×", "the flood's answers")
	var alone []time.Duration
	for i, p := range phases {
		flooding, stop := context.WithCancel(ctx)
		flooded := make(chan map[int]int, 1)
		go func() { flooded <- s.flood(flooding, p) }()
		l, err := s.measureQuiet(ctx, i)
		stop()
		answers := <-flooded
		if err != nil {
			return err
		}
		if i == 0 {
			alone = l
		}
		fmt.Printf("%-34s %8.2f %8.2f %8.2f %8.2f   %s\n", p.name, 1e3*at(l, .5).Seconds(), 1e3*at(l, .99).Seconds(),
			ratio(at(l, .5), at(alone, .5)), ratio(at(l, .99), at(alone, .99)), perSecond(answers, o.each))
	}
	return nil
}

// floodSystem is an installation with two accounts, and a client of its API.
type floodSystem struct {
	*installation.Installation
	floodOptions
	url      string
	tokens   map[string]string
	fixtures map[string][]string // ids by account
	client   *http.Client
}

// start adds the accounts, runs a cycle of each, and starts the API.
func (o *floodOptions) start(ctx context.Context) (_ *floodSystem, err error) {
	in, err := installation.New(ctx, *o.mkt)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.Close())
		}
	}()
	s := &floodSystem{Installation: in, floodOptions: *o, tokens: map[string]string{}, fixtures: map[string][]string{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * o.connections, DisableCompression: true}, Timeout: 30 * time.Second}}
	provider, err := in.Listen("simulate", "--fixtures", strconv.Itoa(o.size), "--quota", "1000000")
	if err != nil {
		return nil, err
	}
	for id, limit := range map[string]int{"quiet": 600_000, "flood": o.limit} {
		if s.tokens[id], err = in.AddTenant(ctx, id, provider, "market_engine"); err != nil {
			return nil, err
		}
		if _, err = in.Run(ctx, "", "tenant", "limit", "set", id, "--requests", strconv.Itoa(limit), "--per", "1m", "--burst", strconv.Itoa(limit/60)); err != nil {
			return nil, err
		}
		if _, err = in.Run(ctx, "", "cycle", "--tenant", id); err != nil {
			return nil, err
		}
	}
	api, err := in.Listen("serve", "--log-level", "off")
	if err != nil {
		return nil, err
	}
	s.url = api.BaseURL
	for id := range s.tokens {
		if s.fixtures[id], err = pages.Fixtures(ctx, s.client, s.url, s.tokens[id]); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	return s, nil
}

// cold returns the path of a page that is not cached.
func (s *floodSystem) cold(id string, n int) string { return pages.Cold(s.fixtures[id], n) }

func (s *floodSystem) get(ctx context.Context, id, path string) (status int, err error) {
	answer, _, err := pages.Get(ctx, s.client, s.url, s.tokens[id], path, "")
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, nil
}

// measureQuiet requests cold pages for the quiet account at its rate. It does not wait for
// earlier answers: otherwise a slow answer would delay the next requests unmeasured.
func (s *floodSystem) measureQuiet(ctx context.Context, phase int) ([]time.Duration, error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	var took []time.Duration
	var failed error
	tick := time.NewTicker(time.Second / time.Duration(s.pace))
	defer tick.Stop()
	warm := s.pace // the requests of the first second are not counted
	for n := range warm + int(s.each.Seconds()*float64(s.pace)) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		all.Go(func() {
			began := time.Now()
			status, err := s.get(ctx, "quiet", s.cold("quiet", phase*100_003+n))
			d := time.Since(began)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && status != http.StatusOK {
				err = fmt.Errorf("the quiet account was answered %d", status)
			}
			if err != nil {
				failed = err
				return
			}
			if n >= warm {
				took = append(took, d)
			}
		})
	}
	all.Wait()
	return took, failed
}

// flood sends requests on all connections, each as fast as it is answered or all together at the
// given rate. It counts the answers by status.
func (s *floodSystem) flood(ctx context.Context, p phase) map[int]int {
	answers := map[int]int{}
	if p.path == nil {
		return answers
	}
	pace := rate.NewLimiter(rate.Inf, 1)
	if s.rate > 0 {
		pace = rate.NewLimiter(rate.Limit(s.rate), 1)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for c := range s.connections {
		all.Go(func() {
			for n := c; pace.Wait(ctx) == nil; n += s.connections {
				status, err := s.get(ctx, "flood", p.path(s, n))
				if err != nil {
					continue
				}
				mu.Lock()
				answers[status]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return answers
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func perSecond(answers map[int]int, each time.Duration) string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		parts = append(parts, fmt.Sprintf("%d: %.0f/s", status, float64(answers[status])/each.Seconds()))
	}
	return strings.Join(parts, ", ")
}
