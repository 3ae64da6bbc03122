package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/scripts/internal/cost"
)

// target is a measured server.
type target struct {
	name, url, token string
	pid              int
}

// seconds returns the processor time of the server and its child processes, which nginx has.
func (t target) seconds() float64 {
	sum := cost.Of(t.pid).Seconds
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", t.pid, t.pid))
	for pid := range strings.FieldsSeq(string(children)) {
		n, _ := strconv.Atoi(pid)
		sum += cost.Of(n).Seconds
	}
	return sum
}

// rates are the results of a server in each round.
type rates struct {
	rate     figures // answers a second
	cpu      figures // seconds of processor time for each answer
	p50, p99 []time.Duration
}

func (r *rates) perSecond() string {
	return fmt.Sprintf("%.0f/s (median %.0f)", slices.Max(r.rate), r.rate.median())
}

func (r *rates) microseconds() string { return fmt.Sprintf("%.1f µs", 1e6*r.cpu.median()) }

func (r *rates) latency() string {
	return fmt.Sprintf("half below %v, 99 %% below %v", slices.Min(r.p50), slices.Min(r.p99))
}

// over formats the ratio of the rate to another: the median of the rounds, and the range, because
// each round measured both one right after the other.
func (r *rates) over(other *rates) string {
	var all figures
	for i := range r.rate {
		all = append(all, r.rate[i]/other.rate[i])
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", all.median(), slices.Min(all), slices.Max(all))
}

// load measures the servers in turn. arguments returns the end of wrk's command line for a
// server; served is its number of answers in the last round.
func (b *bench) load(ctx context.Context, targets []target, connections int, arguments func(t target, served int) []string) ([]*rates, error) {
	all := make([]*rates, len(targets))
	served := make([]int, len(targets))
	for round := range b.rounds + 1 { // the first warms up
		for i, t := range targets {
			each := b.seconds
			if round == 0 {
				all[i], each = new(rates), 2*time.Second
			}
			before := t.seconds()
			r, err := wrk(ctx, t, connections, each, arguments(t, served[i]))
			if err == nil && r.requests == 0 {
				err = fmt.Errorf("no answer within %v", each)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
			served[i] = r.requests
			if round > 0 {
				all[i].rate = append(all[i].rate, r.rate)
				all[i].cpu = append(all[i].cpu, (t.seconds()-before)/float64(r.requests))
				all[i].p50, all[i].p99 = append(all[i].p50, r.p50), append(all[i].p99, r.p99)
			}
		}
	}
	return all, nil
}

// result is the output of wrk.
type result struct {
	requests int
	rate     float64
	p50, p99 time.Duration
}

var wrkOutput = map[string]*regexp.Regexp{
	"requests": regexp.MustCompile(`(\d+) requests in`),
	"rate":     regexp.MustCompile(`Requests/sec:\s+([\d.]+)`),
	"p50":      regexp.MustCompile(`50%\s+([\d.]+[a-z]+)`),
	"p99":      regexp.MustCompile(`99%\s+([\d.]+[a-z]+)`),
}

// wrk loads a server from one thread. Any answer but 200 is an error.
func wrk(ctx context.Context, t target, connections int, each time.Duration, rest []string) (result, error) {
	args := append([]string{"-t1", "-c", strconv.Itoa(connections), "-d", fmt.Sprintf("%.0fs", each.Seconds()), "--timeout", "10s", "--latency", "-H", "Authorization: Bearer " + t.token}, rest...)
	out, err := exec.CommandContext(ctx, "wrk", args...).CombinedOutput()
	if err != nil {
		return result{}, fmt.Errorf("wrk: %w: %s", err, oneLine(out))
	}
	return parseWrk(out)
}

func parseWrk(out []byte) (r result, err error) {
	found := map[string]string{}
	for name, pattern := range wrkOutput {
		m := pattern.FindSubmatch(out)
		if m == nil {
			return r, fmt.Errorf("wrk printed no %s: %s", name, oneLine(out))
		}
		found[name] = string(m[1])
	}
	if bytes.Contains(out, []byte("Non-2xx")) || bytes.Contains(out, []byte("Socket errors")) {
		return r, fmt.Errorf("not every request was answered: %s", oneLine(out))
	}
	r.requests, _ = strconv.Atoi(found["requests"])
	r.rate, _ = strconv.ParseFloat(found["rate"], 64)
	r.p50, _ = time.ParseDuration(found["p50"])
	r.p99, _ = time.ParseDuration(found["p99"])
	return r, nil
}
