package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mkt": main})
}

// TestScript runs the command line as people and scripts do. Beside testscript's
// own commands there are
//
//	start NAME ARG...     mkt in the background until its ready line; $NAME_url and $NAME_token are set
//	stop NAME             SIGTERM, and it must exit with 0
//	http STATUS URL [TOKEN]   GET; the body is the standard output
//	code N ARG...         run mkt, which must exit with N
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:      "../../testdata/script",
		Deadline: deadline(t),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start": startMkt,
			"stop":  stopMkt,
			"http":  httpGet,
			"code":  codeMkt,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// deadline leaves time to end what a script started.
func deadline(t *testing.T) time.Time {
	at, ok := t.Deadline()
	if !ok {
		return time.Now().Add(10 * time.Minute)
	}
	return at.Add(-5 * time.Second)
}

// background is a running mkt.
type background struct {
	cmd  *exec.Cmd
	errs *bytes.Buffer
	done chan error
}

func startMkt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME ARG...")
	}
	name := args[0]
	path, err := exec.LookPath("mkt")
	ts.Check(err)
	b := &background{cmd: exec.Command(path, append(args[1:], "--output", "json")...), errs: new(bytes.Buffer), done: make(chan error, 1)}
	b.cmd.Dir, b.cmd.Stderr = ts.MkAbs("."), b.errs
	b.cmd.Env = environment(ts)
	out, err := b.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(b.cmd.Start())
	ts.Defer(func() { _ = b.cmd.Process.Kill() })
	ready := make(chan map[string]any, 1)
	go func() {
		var line map[string]any
		if json.NewDecoder(out).Decode(&line) == nil {
			ready <- line
		}
		_, _ = io.Copy(io.Discard, out)
		b.done <- b.cmd.Wait()
	}()
	select {
	case line := <-ready:
		for _, key := range []string{"token", "base_url"} {
			if v, ok := line[key].(string); ok {
				ts.Setenv(name+"_"+strings.TrimPrefix(key, "base_"), v)
			}
		}
		text, _ := json.Marshal(line)
		ts.Check(os.WriteFile(ts.MkAbs(name+".ready"), text, 0o600))
	case err := <-b.done:
		ts.Fatalf("mkt %s ended before it was ready: %v\n%s", args[1], err, b.errs)
	case <-time.After(60 * time.Second):
		ts.Fatalf("mkt %s is not ready after a minute\n%s", args[1], b.errs)
	}
	running(ts)[name] = b
}

// environment is the script's, which exec.Command does not see by itself.
func environment(ts *testscript.TestScript) []string {
	env := os.Environ()
	for _, name := range []string{"HOME", "PATH", "TMPDIR"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

var backgrounds = map[*testscript.TestScript]map[string]*background{}

func running(ts *testscript.TestScript) map[string]*background {
	if backgrounds[ts] == nil {
		backgrounds[ts] = map[string]*background{}
	}
	return backgrounds[ts]
}

func stopMkt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || running(ts)[args[0]] == nil {
		ts.Fatalf("usage: stop NAME, of something started")
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

func httpGet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: http STATUS URL [TOKEN]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, args[1], nil)
	ts.Check(err)
	if len(args) == 3 {
		r.Header.Set("Authorization", "Bearer "+args[2])
	}
	answer, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%s\n", body)
	if strconv.Itoa(answer.StatusCode) != args[0] {
		ts.Fatalf("status %d, want %s\n%s", answer.StatusCode, args[0], body)
	}
}

func codeMkt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N ARG...")
	}
	err := ts.Exec("mkt", args[1:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("mkt %v: %v", args[1:], err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}
