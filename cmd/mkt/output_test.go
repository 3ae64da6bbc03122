package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/testing/check"
)

// A command whose output cannot be written fails, and says if a token is lost by that.
func TestLostOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	check.Must(t, err)
	defer full.Close()
	dir := t.TempDir()
	config := filepath.Join(dir, "mkt.yaml")
	if code := run(t.Context(), []string{"init", dir}, nil, new(bytes.Buffer), new(bytes.Buffer)); code != cli.ExitDone {
		t.Fatalf("init: exit %d", code)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"version"}, "no space left on device"},
		{[]string{"--help"}, "mkt: the output is not complete: write /dev/full: no space left on device\n"},
		{[]string{"cycle", "--all"}, ""}, // prints nothing
		{[]string{"tenant", "validate"}, "no space left on device"},
		{[]string{"tenant", "add", "acme"}, "mkt tenant token rotate acme gives another"},
		{[]string{"tenant", "token", "rotate", "acme", "--output", "json"}, "mkt tenant token rotate acme gives another"},
		{[]string{"tenant", "name", "acme", "Acme"}, "no space left on device"},
		{[]string{"cycle", "--all"}, "the output is not complete"}, // it lists who is skipped
	} {
		var errs bytes.Buffer
		code := run(t.Context(), append(c.args, "--config", config), strings.NewReader(""), full, &errs)
		want := cli.ExitFailed
		if c.want == "" {
			want = cli.ExitDone
		}
		if code != want || !strings.Contains(errs.String(), c.want) || strings.Contains(errs.String(), "mkt_") {
			t.Errorf("%q: exit %d, want %d: %s", c.args, code, want, errs.String())
		}
	}
}

// A service that a program has started prints its ready line as JSON, unless it was asked for text.
func TestReadyLineIsTextIfAskedFor(t *testing.T) {
	for args, isJSON := range map[string]bool{
		"simulate --listen 127.0.0.1:0":               true,
		"simulate --listen 127.0.0.1:0 --output json": true,
		"simulate --listen 127.0.0.1:0 --output text": false,
	} {
		ctx, stop := context.WithCancel(t.Context())
		out, in := io.Pipe()
		ended := make(chan int)
		go func() {
			code := run(ctx, strings.Fields(args), nil, in, io.Discard)
			in.Close()
			ended <- code
		}()
		line, err := bufio.NewReader(out).ReadString('\n')
		go io.Copy(io.Discard, out)
		stop()
		if code := <-ended; err != nil || code != 0 || json.Valid([]byte(line)) != isJSON {
			t.Errorf("%s: exit %d, %v: %s", args, code, err, line)
		}
	}
}
