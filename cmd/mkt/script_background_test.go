package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

type background struct {
	cmd  *exec.Cmd
	errs *bytes.Buffer
	done chan error
	late bool // it was ready after ten seconds or more
}

func startMkt(ts *testscript.TestScript, args []string) {
	name, ready, began := args[0], make(chan map[string]any, 1), time.Now()
	b := launch(ts, args, func(out io.Reader) {
		var line map[string]any
		lines := json.NewDecoder(out)
		err := lines.Decode(&line)
		if err == nil && line["event"] == "open" { // of mkt demo
			err = lines.Decode(&line)
		}
		if err == nil {
			ready <- line
		}
	})
	select {
	case line := <-ready:
		b.late = time.Since(began) >= 10*time.Second
		for key, variable := range map[string]string{"token": "_token", "base_url": "_url", "admin_url": "_admin"} {
			if v, ok := line[key].(string); ok {
				ts.Setenv(name+variable, v)
			}
		}
		tokens, _ := line["tokens"].([]any)
		for _, one := range tokens {
			of := one.(map[string]any)
			ts.Setenv(fmt.Sprint(name, "_", of["client_id"], "_token"), fmt.Sprint(of["token"]))
		}
		text, err := json.Marshal(line)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name+".ready"), text, 0o600))
	case err := <-b.done:
		ts.Fatalf("mkt %s ended before it was ready: %v\n%s", args[1], err, b.errs)
	case <-time.After(60 * time.Second):
		ts.Fatalf("mkt %s is not ready after a minute\n%s", args[1], b.errs)
	}
}

func spawnMkt(ts *testscript.TestScript, args []string) {
	launch(ts, args, func(io.Reader) {})
}

// launch starts mkt with the arguments after the name; read gets its output.
func launch(ts *testscript.TestScript, args []string, read func(io.Reader)) *background {
	path, err := exec.LookPath("mkt")
	ts.Check(err)
	b := &background{cmd: exec.Command(path, append(args[1:], "--output", "json")...), errs: new(bytes.Buffer), done: make(chan error, 1)}
	b.cmd.Dir, b.cmd.Stderr, b.cmd.Env = ts.MkAbs("."), b.errs, environment(ts)
	out, err := b.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(b.cmd.Start())
	ts.Defer(func() { _ = b.cmd.Process.Kill() })
	go func() {
		read(out)
		_, _ = io.Copy(io.Discard, out)
		b.done <- b.cmd.Wait()
	}()
	running(ts)[args[0]] = b
	return b
}

// environment is the script's environment, which exec.Command does not use by itself.
func environment(ts *testscript.TestScript) []string {
	env := os.Environ()
	for _, name := range []string{"HOME", "PATH", "TMPDIR"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

func running(ts *testscript.TestScript) map[string]*background {
	return ts.Value(runningKey{}).(map[string]*background)
}

type runningKey struct{}

func startedLate(ts *testscript.TestScript) bool {
	for _, b := range running(ts) {
		if b.late {
			return true
		}
	}
	return false
}

func stopMkt(ts *testscript.TestScript, args []string) {
	b := running(ts)[args[0]]
	if b == nil {
		ts.Fatalf("%s was not started", args[0])
	}
	ts.Check(b.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-b.done:
		if err != nil {
			ts.Fatalf("%s: %v\n%s", args[0], err, b.errs)
		}
		ts.Check(os.WriteFile(ts.MkAbs(args[0]+".log"), b.errs.Bytes(), 0o600))
	case <-time.After(40 * time.Second):
		ts.Fatalf("%s does not stop\n%s", args[0], b.errs)
	}
}

// stoppedMkt sends SIGTERM to a command that is at work. The rest of its standard error is that of the
// script's command.
func stoppedMkt(ts *testscript.TestScript, args []string) {
	path, err := exec.LookPath("mkt")
	ts.Check(err)
	line := regexp.MustCompile(args[1])
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir, cmd.Env, cmd.Stdout = ts.MkAbs("."), environment(ts), ts.Stdout()
	errs, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() { _ = cmd.Process.Kill() })
	lines, end := make(chan string), time.Now().Add(time.Minute)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(errs); s.Scan(); {
			lines <- s.Text()
		}
	}()
	stopped := false
	stop := func() {
		if !stopped {
			ts.Check(cmd.Process.Signal(syscall.SIGTERM))
		}
		stopped = true
	}
	for open := true; open; {
		select {
		case text, more := <-lines:
			if open = more; more {
				fmt.Fprintln(ts.Stderr(), text)
			}
			if line.MatchString(text) {
				stop()
			}
		case <-time.After(time.Millisecond):
			if _, err := os.Stat(ts.MkAbs(args[1])); err == nil {
				stop()
			}
		}
		if time.Now().After(end) {
			ts.Fatalf("mkt %v does not end", args[2:])
		}
	}
	_ = cmd.Wait()
	if !stopped || strconv.Itoa(cmd.ProcessState.ExitCode()) != args[0] {
		ts.Fatalf("got the signal: %t; exit code %d, want %s", stopped, cmd.ProcessState.ExitCode(), args[0])
	}
}

// askHeaders requests STATUS URL TOKEN [NAME:VALUE]... and prints the answer's headers and body.
func askHeaders(ts *testscript.TestScript, args []string) {
	ts.Check(onceLoaded(ts, func() error { return tryHeaders(ts, args) }))
}

func tryHeaders(ts *testscript.TestScript, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, args[1], nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+args[2])
	for _, h := range args[3:] {
		name, value, _ := strings.Cut(h, ":")
		r.Header.Set(name, strings.TrimSpace(value))
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var text bytes.Buffer
	if err := answer.Write(&text); err != nil {
		return err
	}
	if strconv.Itoa(answer.StatusCode) != args[0] {
		return fmt.Errorf("status %d, want %s\n%s", answer.StatusCode, args[0], &text)
	}
	_, err = text.WriteTo(ts.Stdout())
	return err
}

// killMkt ends a program as kill -9 does.
func killMkt(ts *testscript.TestScript, args []string) {
	b := running(ts)[args[0]]
	if b == nil {
		ts.Fatalf("%s was not started", args[0])
	}
	ts.Check(b.cmd.Process.Kill())
	<-b.done
}
