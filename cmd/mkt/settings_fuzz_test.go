package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
)

// FuzzSettings: any mkt.yaml is read or refused, and the error is one line with the file's name.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{"", "data: data\n", "serve:\n  listen: 127.0.0.1:0\n  poll: 5ms\n", "retention:\n  snapshots: 3\n  snapshot_age: 1h\n", "data: [a, b]\n",
		"a: &x 1\nb: *x\n", "serve:\n", "data:\n\tdata", "data: 1\ndata: 2\n", "? [a]\n: b\n", "live:\n  details: many\n", "\xff\xfe", "log: {level: loud}\n"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	file := filepath.Join(dir, "mkt.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		a := cli.NewEnv(strings.NewReader(""), io.Discard, io.Discard, time.Now, version)
		root := commands(a)
		for _, name := range []string{"serve", "publish", "cycle"} {
			cmd, _, err := root.Find([]string{name})
			if err != nil {
				t.Fatal(err)
			}
			a.Config = file
			err = a.Settings.Read(file, true)
			if err == nil {
				err = a.Settings.Resolve(cmd.Flags())
			}
			if err != nil && cli.ExitCode(err) != cli.ExitUsage {
				t.Errorf("%s: exit code %d: %v", name, cli.ExitCode(err), err)
			}
			if err != nil && !strings.Contains(err.Error(), "mkt.yaml") {
				t.Errorf("%s: the file is not named: %v", name, err)
			}
		}
	})
}
