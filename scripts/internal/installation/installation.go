// Package installation runs mkt like an operator: with a data root in a temporary
// folder, commands, and services in the background.
package installation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mkt/scripts/internal/cost"
)

// Installation is a data root with its processes.
type Installation struct {
	Dir     string
	mkt     string
	running []*Process
}

// Process is a command of mkt in the background.
type Process struct {
	*exec.Cmd
	BaseURL  string `json:"base_url"`
	Provider string `json:"provider"`
	Token    string `json:"token"`
}

// New initializes a data root for the binary mkt. Close removes it.
func New(ctx context.Context, mkt string) (*Installation, error) {
	mkt, err := filepath.Abs(mkt)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mkt-")
	if err != nil {
		return nil, err
	}
	in := &Installation{Dir: dir, mkt: mkt}
	if _, err := in.Run(ctx, "", "init", "."); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// Run runs a command and returns its output.
func (in *Installation) Run(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	out, _, err := in.run(ctx, stdin, args)
	return out, err
}

// Step is a step of a cycle as a command prints it for scripts.
type Step struct {
	Tenant  string
	Step    string
	OK      bool
	Seconds float64
	Counts  map[string]any
}

// Count returns a number of the step by name, and 0 if there is none.
func (s Step) Count(name string) float64 {
	n, _ := s.Counts[name].(float64)
	return n
}

// Steps runs fetch, transform, publish or cycle, and returns each [Step] of all accounts and
// the [cost.Cost] of the command.
func (in *Installation) Steps(ctx context.Context, args ...string) (steps []Step, c cost.Cost, err error) {
	out, c, err := in.run(ctx, "", append(args, "--output", "json"))
	if err != nil {
		return nil, c, err
	}
	for line := range bytes.Lines(out) {
		var s Step
		if err := json.Unmarshal(line, &s); err != nil || !s.OK {
			return nil, c, fmt.Errorf("mkt %s printed %q", args[0], line)
		}
		steps = append(steps, s)
	}
	return steps, c, nil
}

func (in *Installation) run(ctx context.Context, stdin string, args []string) ([]byte, cost.Cost, error) {
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, in.mkt, args...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = in.Dir, strings.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, cost.Cost{}, fmt.Errorf("mkt %s: %w: %s", args[0], err, stderr.String())
	}
	return out, cost.Ended(cmd.ProcessState), nil
}

// Copy returns an installation without processes, with a copy of all files, hard links included.
func (in *Installation) Copy(ctx context.Context) (*Installation, error) {
	dir, err := os.MkdirTemp("", "mkt-")
	if err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "cp", "-a", in.Dir+"/.", dir).CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("copy the installation: %w: %s", err, out), os.RemoveAll(dir))
	}
	return &Installation{Dir: dir, mkt: in.mkt}, nil
}

// AddTenant adds an account for some products, with its credential at a simulated
// provider, and returns the account's token.
func (in *Installation) AddTenant(ctx context.Context, id string, provider *Process, products ...string) (token string, err error) {
	args := []string{"tenant", "add", id, "--output", "json"}
	for _, p := range products {
		args = append(args, "--product", p)
	}
	out, err := in.Run(ctx, "", args...)
	if err != nil {
		return "", err
	}
	var added struct{ Token string }
	if err := json.Unmarshal(out, &added); err != nil {
		return "", err
	}
	_, err = in.Run(ctx, provider.Token, "provider", "set", id, "--provider", provider.Provider, "--base-url", provider.BaseURL, "--allow-private-address")
	return added.Token, err
}

// Start starts a command. Its log is the file NAME.log in the installation.
func (in *Installation) Start(args ...string) (*Process, error) {
	_, p, err := in.start(args)
	return p, err
}

// Listen starts a listening command, and waits until it is ready.
func (in *Installation) Listen(args ...string) (*Process, error) {
	out, p, err := in.start(append(args, "--listen", "127.0.0.1:0"))
	if err != nil {
		return nil, err
	}
	if err := out.Decode(p); err != nil {
		return nil, fmt.Errorf("mkt %s ended before it was ready: %w", args[0], err)
	}
	return p, nil
}

func (in *Installation) start(args []string) (*json.Decoder, *Process, error) {
	log, err := os.Create(in.LogFile(args[0]))
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	p := &Process{Cmd: exec.Command(in.mkt, append(args, "--output", "json")...)}
	p.Dir, p.Stderr = in.Dir, log
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := p.Cmd.Start(); err != nil {
		return nil, nil, err
	}
	in.running = append(in.running, p)
	return json.NewDecoder(out), p, nil
}

// LogFile returns the log file of the command with a name.
func (in *Installation) LogFile(name string) string { return filepath.Join(in.Dir, name+".log") }

// Close stops the processes, the newest first, and removes the data root.
func (in *Installation) Close() error {
	var errs []error
	for _, p := range slices.Backward(in.running) {
		errs = append(errs, p.Process.Signal(syscall.SIGTERM))
		_ = p.Wait() // a script does not measure how a process ends
	}
	return errors.Join(append(errs, os.RemoveAll(in.Dir))...)
}
