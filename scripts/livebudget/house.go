package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// house is a folder with everything in it, and the processes that run there.
type house struct {
	mkt, dir string

	simulate, schedule, serve *process
}

// process is a running mkt.
type process struct {
	cmd        *exec.Cmd
	url, token string
}

// furnish makes the accounts and starts everything.
func (h *house) furnish(o options) (tokens []string, err error) {
	if _, err := h.run("", "init", "."); err != nil {
		return nil, err
	}
	h.simulate, err = h.start("simulate", "--listen", "127.0.0.1:0", "--in-play", strconv.Itoa(o.inPlay), "--fixtures", "50", "--quota", "100000000")
	if err != nil {
		return nil, err
	}
	for i := range o.accounts {
		id := fmt.Sprintf("account-%02d", i)
		out, err := h.run("", "tenant", "add", id, "--product", "live_intelligence", "--output", "json")
		if err != nil {
			return nil, err
		}
		var added struct{ Token string }
		if err := json.Unmarshal([]byte(out), &added); err != nil {
			return nil, err
		}
		tokens = append(tokens, added.Token)
		_, err = h.run(h.simulate.token, "provider", "set", id, "--provider", "betsapi", "--base-url", h.simulate.url, "--allow-private-address")
		if err != nil {
			return nil, err
		}
	}
	if h.serve, err = h.start("serve", "--listen", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	h.schedule, err = h.start("schedule")
	return tokens, err
}

// run runs mkt to its end.
func (h *house) run(in string, args ...string) (string, error) {
	cmd := exec.Command(h.mkt, args...)
	cmd.Dir, cmd.Stdin = h.dir, strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("mkt %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// start runs mkt in the background, and waits for its ready line, if it has one. The
// process is there also beside an error, when it began.
func (h *house) start(args ...string) (*process, error) {
	p := &process{cmd: exec.Command(h.mkt, append(args, "--output", "json", "--log-format", "json", "--log-level", "info")...)}
	log, err := os.Create(filepath.Join(h.dir, args[0]+".log"))
	if err != nil {
		return nil, err
	}
	p.cmd.Dir, p.cmd.Stderr = h.dir, log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if args[0] == "schedule" {
		return p, nil
	}
	var ready struct {
		BaseURL string `json:"base_url"`
		Token   string
	}
	if err := json.NewDecoder(out).Decode(&ready); err != nil {
		return p, fmt.Errorf("mkt %s: no ready line: %w", args[0], err)
	}
	p.url, p.token = ready.BaseURL, ready.Token
	return p, nil
}

// close stops what runs, in the order in which it depends on each other.
func (h *house) close() {
	for _, p := range []*process{h.schedule, h.serve, h.simulate} {
		if p != nil {
			_ = p.cmd.Process.Signal(syscall.SIGTERM)
			_ = p.cmd.Wait()
		}
	}
}

// trouble counts what the schedule logged: ticks that were skipped, and runs that
// failed.
func (h *house) trouble() (skipped, failed int, err error) {
	log, err := os.ReadFile(filepath.Join(h.dir, "schedule.log"))
	return strings.Count(string(log), "tick skipped"), strings.Count(string(log), `"cycle failed"`), err
}

// cost is what a process has used so far.
type cost struct {
	seconds   float64 // of processor time
	megabytes int     // resident
}

func (h *house) costs() map[string]cost {
	return map[string]cost{"simulate": h.simulate.cost(), "schedule": h.schedule.cost(), "serve": h.serve.cost()}
}

// cost reads /proc/PID/stat (proc(5)): fields 14 and 15 in ticks of 10 ms, field 24
// in pages.
func (p *process) cost() (c cost) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return c
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	number := func(field int) int {
		n, _ := strconv.Atoi(fields[field-3])
		return n
	}
	return cost{float64(number(14)+number(15)) / 100, number(24) * os.Getpagesize() >> 20}
}
