package system

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a process of mkt. Its log is the file NAME.log in the folder of the system.
type Process struct {
	Name  string
	Data  string // its data root; empty if it has none of its own
	Ready struct {
		BaseURL  string `json:"base_url"`
		AdminURL string `json:"admin_url"`
		Token    string `json:"token"`
	}

	s      *System
	args   []string
	cmd    *exec.Cmd
	exited chan struct{} // closed when the process has ended
}

// readyLimit is the longest time until a process is ready.
const readyLimit = time.Minute

// process returns a process without starting it. With a name it has a data root of its own.
func (s *System) process(command, name string, args ...string) *Process {
	p := &Process{s: s, Name: name, args: slices.Concat([]string{command, "--output", "json", "--log-format", "json"}, args)}
	if name == "" {
		p.Name = command
	} else {
		p.Data = filepath.Join(s.Dir, name)
		p.args = append(p.args, "--data", p.Data)
	}
	return p
}

// Start starts the process and waits until it is ready.
func (p *Process) Start(ctx context.Context) error {
	log, err := os.OpenFile(p.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.s.MKT, p.args...)
	cmd.Dir, cmd.Stderr, cmd.Env = p.s.Dir, log, append(os.Environ(), p.s.Store.Env()...)
	// The terminal interrupts this program, which stops the others in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ready := make(chan error, 1)
	exited := make(chan struct{})
	go func() {
		ready <- json.NewDecoder(out).Decode(&p.Ready)
		_ = cmd.Wait()
		close(exited)
	}()
	p.cmd, p.exited = cmd, exited
	select {
	case err := <-ready:
		if err != nil {
			return fmt.Errorf("%s ended before it was ready; see %s", p.Name, log.Name())
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(readyLimit):
		return fmt.Errorf("%s is not ready; see %s", p.Name, log.Name())
	}
}

// LogFile returns the file of the process's log.
func (p *Process) LogFile() string { return filepath.Join(p.s.Dir, p.Name+".log") }

// PID returns the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill ends the process without a warning.
func (p *Process) Kill() error { return p.end((*os.Process).Kill) }

// Stop ends the process like an operator, and waits for its end.
func (p *Process) Stop() error {
	return p.end(func(of *os.Process) error { return of.Signal(syscall.SIGTERM) })
}

func (p *Process) end(how func(*os.Process) error) error {
	err := how(p.cmd.Process)
	<-p.exited
	if errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s has ended by itself; see %s", p.Name, p.LogFile())
	}
	return err
}

// Metric returns the sum of the series of a metric of the process with all of the given labels,
// each written as name="value".
func (p *Process) Metric(ctx context.Context, name string, labels ...string) (total float64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Ready.AdminURL+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: metrics: %s", p.Name, answer.Status)
	}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		series, value, _ := cutLast(lines.Text(), " ")
		of, given, _ := strings.Cut(series, "{")
		if of != name || !all(labels, func(l string) bool { return strings.Contains(given, l) }) {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %s: %w", p.Name, series, err)
		}
		total += n
	}
	return total, lines.Err()
}

// Published asks a replica for the matches in play of an account, and returns when they were
// published.
func (p *Process) Published(ctx context.Context, a Account) (time.Time, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Ready.BaseURL+"/api/v1/live?limit=1", nil)
	if err != nil {
		return time.Time{}, err
	}
	r.Header.Set("Authorization", "Bearer "+a.Token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return time.Time{}, err
	}
	defer answer.Body.Close()
	var body struct {
		Meta struct {
			PublishedAt time.Time `json:"published_at"`
		} `json:"meta"`
	}
	err = json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&body)
	return body.Meta.PublishedAt, err
}

func all(list []string, is func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !is(s) })
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
