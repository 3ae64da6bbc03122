package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// measureLive measures accounts with matches in play at their real rate.
func measureLive(ctx context.Context, b *bench) error {
	o := liveOptions{mkt: b.mkt, accounts: 20, inPlay: 328, measured: 56 * time.Second, warm: 32 * time.Second, poll: 200 * time.Millisecond}
	if b.quick {
		o.accounts, o.inPlay, o.measured, o.warm = 2, 20, 8*time.Second, 8*time.Second
	}
	r, err := o.measure(ctx)
	if err != nil {
		return err
	}
	whole := r.tickOf("schedule") + r.tickOf("serve")
	seen, due := r.publications()
	b.add(row{what: fmt.Sprintf("%d accounts × %d in play: processor time a tick of 8 s", o.accounts, r.seen.listed),
		ours: fmt.Sprintf("%.2f s: schedule %.2f s, serve %.2f s", whole, r.tickOf("schedule"), r.tickOf("serve")), aim: "1.5 s"})
	b.add(row{what: "the same: resident memory; publications; until the first answer that contains one",
		ours: fmt.Sprintf("schedule %d MiB, serve %d MiB; %d of %d; half below %v, 95 %% below %v", r.after["schedule"].Megabytes, r.after["serve"].Megabytes, seen, due, rounded(at(r.seen.delays, 0.5)), rounded(at(r.seen.delays, 0.95)))})
	b.note("In play: %d ticks skipped, %d runs failed, %d requests refused.", r.skipped, r.failed, r.refused())
	return nil
}

// measureSockets measures websockets without accounts and data beside the official server.
func measureSockets(ctx context.Context, b *bench) error {
	const path = "testdata/node/node_modules"
	if !b.has("npm", "install Node.js with npm") || !b.hasModules(ctx, path) {
		return nil
	}
	var idle, p99 [2]figures // ours, official
	for range min(b.rounds, 2) {
		b.progress("sockets: 4,000 idle for two heartbeats, then pushes")
		all, err := benchmark(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkFanOut$", "-benchtime", "1x", "./serve/internal/socketio")
		if err != nil {
			return err
		}
		for i, name := range []string{"BenchmarkFanOut/ours", "BenchmarkFanOut/official"} {
			idle[i] = append(idle[i], all[name]["B/conn-idle"])
			p99[i] = append(p99[i], all[name]["ms-p99"])
		}
	}
	kilobytes := func(f figures) string { return fmt.Sprintf("%.1f kB (median %.1f)", f.best()/1e3, f.median()/1e3) }
	b.add(row{"memory of an idle socket, of 4,000", kilobytes(idle[0]), "official server " + kilobytes(idle[1]), idle[0].over(idle[1]), "below 0.5"})
	milliseconds := func(f figures) string { return fmt.Sprintf("%.0f ms (median %.0f)", f.best(), f.median()) }
	b.add(row{"a push of 2 kB to all of them at once, to receipt, p99", milliseconds(p99[0]), "official server " + milliseconds(p99[1]), p99[0].over(p99[1]), "below 1"})
	return nil
}

// measureRealtime measures the service's own push, with accounts and data.
func measureRealtime(ctx context.Context, b *bench) error {
	if !b.has("npm", "install Node.js with npm") || !b.hasModules(ctx, "testdata/node/node_modules") {
		return nil
	}
	accounts, seconds := 500, 24
	if b.quick {
		accounts, seconds = 10, 5
	}
	all, err := benchmark(ctx, "scripts/realtime-bench.sh", fmt.Sprintf("%d,8,20,%d", accounts, seconds), "1")
	if err != nil {
		return err
	}
	m := all["BenchmarkRealtimeLoad"]
	side := func(name string) string {
		return fmt.Sprintf("p99 %.3f s, p50 %.3f s, %.0f %% of a core", m[name+"-p99-s"], m[name+"-p50-s"], 100*m[name+"-cores"])
	}
	b.add(row{fmt.Sprintf("publication to receipt, %d sockets of %d accounts", 8*accounts, accounts), side("ours"), "official server, by the same rule, " + side("official"),
		fmt.Sprintf("p99 %.2f, p50 %.2f", m["ours-p99-s"]/m["official-p99-s"], m["ours-p50-s"]/m["official-p50-s"]), "p99 0.8"})
	b.add(row{"memory of one of these sockets while nothing is published", fmt.Sprintf("%.1f kB", m["ours-B/conn"]/1e3), fmt.Sprintf("official server %.1f kB", m["official-B/conn"]/1e3), fmt.Sprintf("%.2f", m["ours-B/conn"]/m["official-B/conn"]), "below 0.5"})
	return nil
}

// hasModules installs the packages for the tests with Node, as make check-node does.
func (b *bench) hasModules(ctx context.Context, folder string) bool {
	out, err := exec.CommandContext(ctx, "make", "--no-print-directory", folder).CombinedOutput()
	if s := "the official server is not installed: make " + folder + ": " + oneLine(out); err != nil && !slices.Contains(b.skipped, s) {
		b.skipped = append(b.skipped, s)
	}
	return err == nil
}

// benchmark runs a Go benchmark and returns its metrics by benchmark and unit.
func benchmark(ctx context.Context, name string, args ...string) (map[string]map[string]float64, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, oneLine(out))
	}
	all := parseBenchmarks(out)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s measured nothing: %s", name, oneLine(out))
	}
	return all, nil
}

func parseBenchmarks(out []byte) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := fields[0] // ends with the number of processors, unless that is 1
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i]
		}
		all[name] = map[string]float64{}
		for i := 2; i+1 < len(fields); i += 2 {
			all[name][fields[i+1]], _ = strconv.ParseFloat(fields[i], 64)
		}
	}
	return all
}
