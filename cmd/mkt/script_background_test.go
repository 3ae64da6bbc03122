package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

type background struct {
	cmd  *exec.Cmd
	errs *bytes.Buffer
	done chan error
}

func startMkt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME ARG...")
	}
	name, ready := args[0], make(chan map[string]any, 1)
	b := launch(ts, args, func(out io.Reader) {
		var line map[string]any
		if json.NewDecoder(out).Decode(&line) == nil {
			ready <- line
		}
	})
	select {
	case line := <-ready:
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

func spawnMkt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: spawn NAME ARG...")
	}
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

func stopMkt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || running(ts)[args[0]] == nil {
		ts.Fatalf("usage: end NAME, of something started")
	}
	b := running(ts)[args[0]]
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
