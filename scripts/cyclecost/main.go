// Cyclecost measures what a cycle costs with each provider: the requests, bytes and seconds
// of a market cycle, and of live cycles, against the provider's emulator. Every command
// that a person would call runs in a process of its own.
//
//	go build -o bin/mkt ./cmd/mkt && go run ./scripts/cyclecost
//
// It prints two tables for docs/providers.md.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

type options struct {
	mkt      string
	fixtures int
	inPlay   int
	ticks    int
}

// plan is one row of the tables. quota is what the emulator gives an account in each
// window, by which some adapters decide what they ask for.
type plan struct {
	name, provider string
	quota, window  string
	live           bool
}

var plans = []plan{
	{"`betsapi`", "betsapi", "3600", "1h", true},
	{"`sportmonks`", "sportmonks", "5000", "1h", true},
	{"`apifootball`", "apifootball", "75000", "24h", true},
	{"`theoddsapi`, featured markets", "theoddsapi", "100000", "24h", false},
	{"`theoddsapi`, all markets of the next day", "theoddsapi", "5000000", "24h", false},
}

func main() {
	var o options
	flag.StringVar(&o.mkt, "mkt", "bin/mkt", "the binary to measure")
	flag.IntVar(&o.fixtures, "fixtures", 320, "fixtures announced; some are already in play, or over, or not listed")
	flag.IntVar(&o.inPlay, "in-play", 22, "matches in play, about; some are eSoccer")
	flag.IntVar(&o.ticks, "ticks", 15, "live cycles to measure, 8 s apart")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "cyclecost:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	var err error
	if o.mkt, err = filepath.Abs(o.mkt); err != nil {
		return err
	}
	var lives []string
	fmt.Println("| market cycle | fixtures | markets | requests | MB | fetch, s | transform, s | publish, s |\n|---|---|---|---|---|---|---|---|")
	for _, p := range plans {
		s, err := start(o, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.provider, err)
		}
		steps, err := s.cycle("market_engine")
		if err == nil {
			f, t, u := steps["fetch"], steps["transform"], steps["publish"]
			fmt.Printf("| %s | %.0f | %.0f | %.0f | %.1f | %.1f | %.1f | %.1f |\n", p.name, f.count("listed"), t.count("markets"), f.count("requests"), f.count("bytes")/1e6, f.Seconds, t.Seconds, u.Seconds)
		}
		if err == nil && p.live {
			var row string
			row, err = s.play(o, p)
			lives = append(lives, row)
		}
		s.stop()
		if err != nil {
			return fmt.Errorf("%s: %w", p.provider, err)
		}
	}
	fmt.Printf("\n| live cycle | in play | requests in %d cycles | KB a cycle | fetch, s | transform, s | publish, s |\n|---|---|---|---|---|---|---|\n", o.ticks)
	for _, row := range lives {
		fmt.Println(row)
	}
	return nil
}

// system is an emulator and an account that is connected to it.
type system struct {
	mkt, dir string
	emulator *exec.Cmd
}

func start(o options, p plan) (*system, error) {
	dir, err := os.MkdirTemp("", "cyclecost-")
	if err != nil {
		return nil, err
	}
	s := &system{mkt: o.mkt, dir: dir}
	if err := s.connect(o, p); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *system) connect(o options, p plan) error {
	if _, err := s.run(nil, "init"); err != nil {
		return err
	}
	s.emulator = exec.Command(s.mkt, "simulate", "--provider", p.provider, "--listen", "127.0.0.1:0", "--fixtures", fmt.Sprint(o.fixtures),
		"--in-play", fmt.Sprint(o.inPlay), "--quota", p.quota, "--quota-window", p.window, "--output", "json")
	s.emulator.Dir = s.dir
	out, err := s.emulator.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.emulator.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the emulator did not start: %w", err)
	}
	var ready struct {
		BaseURL string `json:"base_url"`
		Token   string `json:"token"`
	}
	if err := json.Unmarshal(line, &ready); err != nil {
		return err
	}
	add := []string{"tenant", "add", "acme", "--product", "market_engine"}
	if p.live {
		add = append(add, "--product", "live_intelligence")
	}
	if _, err := s.run(nil, add...); err != nil {
		return err
	}
	_, err = s.run([]byte(ready.Token), "provider", "set", "acme", "--provider", p.provider, "--base-url", ready.BaseURL, "--allow-private-address")
	return err
}

func (s *system) stop() {
	if s.emulator != nil && s.emulator.Process != nil {
		s.emulator.Process.Kill()
		s.emulator.Wait()
	}
	os.RemoveAll(s.dir)
}

func (s *system) run(input []byte, args ...string) ([]byte, error) {
	cmd := exec.Command(s.mkt, args...)
	cmd.Dir, cmd.Stdin = s.dir, bytes.NewReader(input)
	var failure strings.Builder
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("mkt %s: %w: %s", args[0], err, strings.TrimSpace(failure.String()))
	}
	return out, nil
}

// step is a line of what mkt cycle prints for scripts.
type step struct {
	Step    string
	Seconds float64
	Counts  map[string]any
}

func (s step) count(name string) float64 {
	n, _ := s.Counts[name].(float64)
	return n
}

func (s *system) cycle(product string) (map[string]step, error) {
	out, err := s.run(nil, "cycle", "--tenant", "acme", "--product", product, "--output", "json")
	if err != nil {
		return nil, err
	}
	steps := make(map[string]step)
	for line := range bytes.Lines(out) {
		var of step
		if err := json.Unmarshal(line, &of); err != nil {
			return nil, fmt.Errorf("mkt cycle printed %q: %w", line, err)
		}
		steps[of.Step] = of
	}
	return steps, nil
}

// play runs live cycles at the usual pace. The first one, which asks for everything, is
// not measured.
func (s *system) play(o options, p plan) (string, error) {
	var sum struct{ playing, requests, bytes, fetch, transform, publish float64 }
	tick := time.NewTicker(8 * time.Second)
	defer tick.Stop()
	for n := range o.ticks + 1 {
		steps, err := s.cycle("live_intelligence")
		if err != nil {
			return "", err
		}
		if n > 0 {
			f, t, u := steps["fetch"], steps["transform"], steps["publish"]
			sum.playing = t.count("in_play")
			sum.requests += f.count("requests")
			sum.bytes += f.count("bytes")
			sum.fetch, sum.transform, sum.publish = sum.fetch+f.Seconds, sum.transform+t.Seconds, sum.publish+u.Seconds
		}
		if n < o.ticks {
			<-tick.C
		}
	}
	n := float64(o.ticks)
	return fmt.Sprintf("| %s | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f |", p.name, sum.playing, sum.requests, sum.bytes/n/1e3, sum.fetch/n, sum.transform/n, sum.publish/n), nil
}
