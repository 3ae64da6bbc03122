package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/accounts"
	"mkt/cmd/mkt/internal/cli/commands"
	"mkt/internal/testing/check"
)

// TestConfigShowsEverySetting: the mkt.yaml of mkt init has every setting with its default, and no
// other.
func TestConfigShowsEverySetting(t *testing.T) {
	a := cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version)
	root := commands.New(a)
	whole := regexp.MustCompile(`(?m)^# ((?:  )*[a-z_]+:)`).ReplaceAll(accounts.InitConfig, []byte("$1"))
	// With every line uncommented it is valid, and every default is the one shown.
	path := filepath.Join(t.TempDir(), "mkt.yaml")
	check.Must(t, os.WriteFile(path, whole, 0o600))
	check.Must(t, a.Settings.Read(path, true))
	if diff := cmp.Diff(a.Settings.Known(), a.Settings.Given()); diff != "" {
		t.Errorf("settings (-there are, +shown):\n%s", diff)
	}
	for _, cmd := range root.Commands() {
		flags := cmd.Flags()
		before := map[string]string{}
		for _, name := range []string{"listen", "poll", "jitter", "parallel", "grace", "workers", "keep-snapshots", "keep-snapshot-age", "keep-cycle-age",
			"keep-change-events", "keep-change-age", "keep-steps", "seed", "fixtures", "speed", "quota", "every", "provider", "catch-up", "usage-dir", "replica", "redis", "drain-delay", "admin", "admin-remote",
			"realtime-tick", "realtime-ping-interval", "realtime-ping-timeout", "realtime-connect-timeout", "realtime-upgrade-timeout", "realtime-write-timeout",
			"connections", "connections-per-address", "trusted-proxies", "realtime-connections", "realtime-sessions", "realtime-pending", "realtime-pending-per-address", "realtime-queue-bytes", "realtime-websocket-only", "realtime-compression", "realtime-channels"} {
			if f := flags.Lookup(name); f != nil {
				before[name] = f.Value.String()
			}
		}
		if err := a.Settings.Resolve(flags); err != nil {
			t.Errorf("%s: %v", cmd.Name(), err)
		}
		for name, value := range before {
			if got := flags.Lookup(name).Value.String(); got != value {
				t.Errorf("%s --%s: mkt.yaml shows %s, the default is %s", cmd.Name(), name, got, value)
			}
		}
	}
}

// TestSettingsOrder: flag, then variable, then file, then default. Paths in the file are relative to
// it.
func TestSettingsOrder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mkt.yaml")
	check.Must(t, os.WriteFile(path, []byte("data: here\nserve:\n  listen: file:1\n"), 0o600))
	resolve := func(args ...string) (*cli.Env, string) {
		t.Helper()
		a := cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version)
		root := commands.New(a)
		serve, rest, err := root.Find(append([]string{"serve"}, args...))
		check.Must(t, err)
		serve.InheritedFlags()
		check.Must(t, serve.ParseFlags(append(rest, "--config", path)))
		check.Must(t, a.Prepare(serve))
		return a, serve.Flags().Lookup("listen").Value.String()
	}
	a, listen := resolve()
	if a.Data != filepath.Join(dir, "here") || a.Tenants != filepath.Join(dir, "tenants.yaml") || listen != "file:1" {
		t.Errorf("file: data %s, tenants %s, listen %s", a.Data, a.Tenants, listen)
	}
	t.Setenv("MKT_SERVE_LISTEN", "env:1")
	t.Setenv("MKT_DATA", "there")
	if a, listen = resolve(); a.Data != "there" || listen != "env:1" {
		t.Errorf("variable: data %s, listen %s", a.Data, listen)
	}
	if _, listen = resolve("--listen", "flag:1"); listen != "flag:1" {
		t.Errorf("flag: listen %s", listen)
	}
}

// FuzzSettings: any mkt.yaml is read or refused, and the error is one line with the file's name.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{"", "data: data\n", "serve:\n  listen: 127.0.0.1:0\n  poll: 5ms\n", "retention:\n  snapshots: 3\n  snapshot_age: 1h\n", "data: [a, b]\n",
		"a: &x 1\nb: *x\n", "serve:\n", "data:\n\tdata", "data: 1\ndata: 2\n", "? [a]\n: b\n", "live:\n  details: many\n", "\xff\xfe", "log: {level: loud}\n"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	file := filepath.Join(dir, "mkt.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		check.Must(t, os.WriteFile(file, data, 0o600))
		a := cli.NewEnv(strings.NewReader(""), io.Discard, io.Discard, time.Now, version)
		root := commands.New(a)
		for _, name := range []string{"serve", "publish", "cycle"} {
			cmd, _, err := root.Find([]string{name})
			check.Must(t, err)
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
