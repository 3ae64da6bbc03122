// Budget measures the needs of a cluster on this machine: processor time, memory, and operations
// of the store, for accounts with live intelligence every 8 seconds. It prints the rows of
// docs/benchmarks.md.
//
//	make build && cd cluster && MKT_CLUSTER_BINARY=../bin/mkt go run ./cmd/budget -accounts 500 -workers 4
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"mkt/cluster/servers"
	"mkt/cluster/system"
)

// tick is the interval of live cycles.
const tick = 8 * time.Second

func main() {
	var o system.Options
	var took time.Duration
	flag.StringVar(&o.Dir, "dir", "", "folder for all files, kept at the end (default: a temporary one)")
	flag.IntVar(&o.Accounts, "accounts", 500, "accounts with live_intelligence")
	flag.IntVar(&o.Workers, "workers", 4, "processes that run cycles")
	flag.IntVar(&o.Replicas, "replicas", 2, "processes that answer the API")
	flag.IntVar(&o.InPlay, "in-play", 4, "matches in play at any time, of each account")
	flag.DurationVar(&took, "time", 80*time.Second, "how long is measured; a multiple of 8s")
	flag.Parse()
	if flag.NArg() > 0 || o.Accounts < 1 || o.Workers < 1 || o.Replicas < 1 || took < tick {
		fmt.Fprintln(os.Stderr, "budget: at least 1 account, worker and replica, and 8s are needed")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o, took.Truncate(tick))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "budget:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o system.Options, took time.Duration) (err error) {
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "mkt-budget-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.Dir)
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	if o.MKT, err = servers.MKT(); err != nil {
		return err
	}
	o.Fixtures = 10
	o.Say = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	s, err := system.Start(ctx, o)
	if err != nil {
		return err
	}
	defer s.Stop()
	o.Say("one tick passes, and %v are measured", took)
	if err := sleep(ctx, tick); err != nil {
		return err
	}
	s.Counter.Reset()
	began := time.Now()
	before, err := measure(ctx, s)
	if err != nil {
		return err
	}
	lags := newLags(s)
	watching, cancel := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() { lags.watch(watching) })
	err = sleep(ctx, took)
	cancel()
	watched.Wait()
	if err != nil {
		return err
	}
	after, err := measure(ctx, s)
	if err != nil {
		return err
	}
	// A busy machine answers late, and works on meanwhile.
	report(s, time.Since(began).Round(time.Second), before, after, lags)
	return nil
}

// sample has the usage and the results until a moment.
type sample struct {
	seconds                    map[string]float64 // of processor time, by kind of process
	megabytes                  map[string]int     // resident, of the largest process of the kind
	published, failed, skipped float64
}

func measure(ctx context.Context, s *system.System) (sample, error) {
	m := sample{seconds: map[string]float64{}, megabytes: map[string]int{}}
	add := func(kind string, pid int) error {
		c, err := servers.CostOf(pid)
		m.seconds[kind] += c.Seconds
		m.megabytes[kind] = max(m.megabytes[kind], c.Megabytes)
		return err
	}
	for _, p := range s.Workers {
		if err := add("worker", p.PID()); err != nil {
			return m, err
		}
		for name, sum := range map[string]*float64{"published": &m.published, "failed": &m.failed} {
			n, err := p.Metric(ctx, "mkt_cycles_total", `outcome="`+name+`"`)
			if err != nil {
				return m, err
			}
			*sum += n
		}
		n, err := p.Metric(ctx, "mkt_cycle_ticks_skipped_total")
		if err != nil {
			return m, err
		}
		m.skipped += n
	}
	for _, p := range s.Replicas {
		if err := add("replica", p.PID()); err != nil {
			return m, err
		}
	}
	for kind, pid := range map[string]int{"provider": s.Simulator.PID(), "store": s.Store.PID(), "Redis": s.Redis.PID(), "this program": os.Getpid()} {
		if err := add(kind, pid); err != nil {
			return m, err
		}
	}
	return m, nil
}

// lags are the times from a publication to each replica's first answer with it.
type lags struct {
	s   *system.System
	mu  sync.Mutex
	all []time.Duration
}

func newLags(s *system.System) *lags { return &lags{s: s} }

// watched is the number of accounts watched: more would measure the watching.
const watched = 4

// watch asks every replica five times a second for the matches in play of some accounts.
func (l *lags) watch(ctx context.Context) {
	var group sync.WaitGroup
	for _, p := range l.s.Replicas {
		for i := range min(watched, len(l.s.Accounts)) {
			a := l.s.Accounts[i*len(l.s.Accounts)/min(watched, len(l.s.Accounts))]
			group.Go(func() {
				var newest time.Time
				for sleep(ctx, 200*time.Millisecond) == nil {
					at, err := p.Published(ctx, a)
					if err != nil || !at.After(newest) {
						continue
					}
					if !newest.IsZero() {
						l.mu.Lock()
						l.all = append(l.all, time.Since(at))
						l.mu.Unlock()
					}
					newest = at
				}
			})
		}
	}
	group.Wait()
}

func report(s *system.System, took time.Duration, before, after sample, l *lags) {
	ticks := took.Seconds() / tick.Seconds()
	due := ticks * float64(len(s.Accounts))
	published := after.published - before.published
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%d accounts with %d fixtures in play each, %d workers, %d replicas, %v, load %s\n\n| what | measured |\n|---|---|\n",
		len(s.Accounts), s.InPlay, len(s.Workers), len(s.Replicas), took, bytes.Join(bytes.Fields(load)[:min(1, len(bytes.Fields(load)))], nil))
	fmt.Printf("| live cycles published, of %.0f due | %.0f |\n| cycles failed, ticks skipped | %.0f, %.0f |\n", due, published, after.failed-before.failed, after.skipped-before.skipped)
	for _, kind := range slices.Sorted(maps.Keys(after.seconds)) {
		fmt.Printf("| %s: processor time of all a tick, memory of the largest | %.2f s, %d MB |\n", kind, (after.seconds[kind]-before.seconds[kind])/ticks, after.megabytes[kind])
	}
	counts := s.Counter.Counts()
	var operations []string
	sent, received := int64(0), int64(0)
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		operations = append(operations, fmt.Sprintf("%s %.2f", kind, float64(counts[kind].Operations)/max(published, 1)))
		sent, received = sent+counts[kind].Sent, received+counts[kind].Received
	}
	fmt.Printf("| operations of the store for each cycle, of workers and replicas | %s |\n", strings.Join(operations, ", "))
	fmt.Printf("| bytes for each cycle | %.0f kB written, %.0f kB read |\n", float64(sent)/max(published, 1)/1e3, float64(received)/max(published, 1)/1e3)
	fmt.Printf("| from a publication to the first answer of a replica that has it | %s |\n", spread(l.all))
}

// spread says the median, the 95th percentile and the maximum.
func spread(all []time.Duration) string {
	if len(all) == 0 {
		return "none was seen"
	}
	slices.Sort(all)
	at := func(share float64) time.Duration {
		return all[int(share*float64(len(all)-1))].Round(10 * time.Millisecond)
	}
	return fmt.Sprintf("half below %v, 95 %% below %v, at most %v", at(0.5), at(0.95), at(1))
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
