package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/internal/accounts"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// pipeline is the pipeline over a folder that mkt init made.
type pipeline struct {
	*testing.T
	*batch.Group
	config string
}

func newPipeline(t *testing.T, accounts ...string) pipeline {
	t.Helper()
	dir := t.TempDir()
	env := cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version)
	env.Data, env.Tenants = filepath.Join(dir, "data"), filepath.Join(dir, "tenants.yaml")
	h := pipeline{t, batch.NewGroup(env), filepath.Join(dir, "mkt.yaml")}
	if code := run(t.Context(), []string{"init", dir}, nil, io.Discard, io.Discard); code != cli.ExitDone {
		t.Fatalf("init: %d", code)
	}
	for _, id := range accounts {
		h.mkt(cli.ExitDone, "tenant", "add", id, "--product", "market_engine", "--product", "live_intelligence")
	}
	return h
}

// mkt runs a command, which must exit with a code.
func (h pipeline) mkt(code int, args ...string) string {
	h.Helper()
	var out bytes.Buffer
	if got := run(h.Context(), append(args, "--config", h.config), strings.NewReader(""), &out, &out); got != code {
		h.Errorf("mkt %s: exit code %d, want %d: %s", strings.Join(args, " "), got, code, &out)
	}
	return out.String()
}

func (h pipeline) jobOf(id string, p football.Product) batch.Job {
	h.Helper()
	t, err := h.LoadTenant(id)
	check.Must(h.T, err)
	return batch.Job{Tenant: t, Product: p}
}

// runJob runs a job that writes a file and then does what is to happen meanwhile.
func (h pipeline) runJob(j batch.Job, meanwhile func()) error {
	h.Helper()
	write := func(_ context.Context, task batch.Task) (batch.Report, error) {
		err := durable.Create(task.Root, "answer", durable.Bytes([]byte("a provider's answer")))
		if err == nil {
			meanwhile()
		}
		return batch.Report{Step: "fetch"}, err
	}
	return h.RunJob(h.Context(), h.Context(), j, "", []batch.Step{write}, func(batch.Report) {})
}

// folder returns the names in the folder of an account.
func (h pipeline) folder(id string) string {
	names, err := filepath.Glob(filepath.Join(h.Data, layout.Tenant(id), "*"))
	check.Must(h.T, err)
	if _, err := os.Stat(filepath.Join(h.Data, layout.Tenant(id))); err == nil {
		names = append(names, "the folder itself")
	}
	return strings.Join(names, " ")
}

// A run that was decided before its account was deleted, and that begins afterwards, writes nothing and leaves no
// folder. With mkt cycle --all, minutes may pass in between.
func TestRunOfADeletedAccount(t *testing.T) {
	h := newPipeline(t, "acme", "other")
	check.Must(t, h.runJob(h.jobOf("acme", football.MarketEngine), func() {}))
	var late []batch.Job
	for _, p := range []football.Product{football.MarketEngine, football.LiveIntelligence} {
		late = append(late, h.jobOf("acme", p))
	}
	h.mkt(cli.ExitDone, "tenant", "delete", "acme", "--yes")
	for _, j := range late {
		err := h.runJob(j, func() {})
		if left := h.folder("acme"); !errors.Is(err, accounts.ErrDeleted) || left != "" {
			t.Errorf("%s: %v, left %s", j, err, left)
		}
	}
	check.Must(t, h.runJob(h.jobOf("other", football.MarketEngine), func() {}))

	// An account with a run under way is not deleted.
	check.Must(t, h.runJob(h.jobOf("other", football.LiveIntelligence), func() {
		h.mkt(cli.ExitLater, "tenant", "delete", "other", "--yes")
	}))
	// An account of the same name is another one.
	h.mkt(cli.ExitDone, "tenant", "add", "acme", "--product", "market_engine")
	check.Must(t, h.runJob(h.jobOf("acme", football.MarketEngine), func() {}))
}

// What was decided before an account was deleted, such as a test of its connection, makes no folder for it.
func TestNoFolderOfADeletedAccount(t *testing.T) {
	h := newPipeline(t)
	data, err := durable.OpenRoot(h.Data)
	check.Must(t, err)
	defer data.Close()
	if _, _, err := h.Accounts.OpenFolder(h.Tenants, data, "acme", layout.Tenant("acme")); !errors.Is(err, accounts.ErrDeleted) || h.folder("acme") != "" {
		t.Errorf("%v, left %s", err, h.folder("acme"))
	}
}

// A file without a valid seal is not in force: an account that it lacks still runs.
func TestRunOfAnAccountThatACutFileLacks(t *testing.T) {
	h := newPipeline(t, "acme", "other")
	j := h.jobOf("acme", football.MarketEngine)
	check.Must(t, os.WriteFile(h.Tenants, []byte("version: 1\ntenants: []\n"), 0o600))
	check.Must(t, h.runJob(j, func() {}))
	check.Must(t, os.WriteFile(h.Tenants, []byte("tenants: ["), 0o600))
	j.Product = football.LiveIntelligence
	check.Must(t, h.runJob(j, func() {}))
}

// While the data of a deleted account waits for its deletion, a late run leaves it alone.
func TestLateRunBesideDataOfADeletedAccount(t *testing.T) {
	h := newPipeline(t, "acme")
	j := h.jobOf("acme", football.MarketEngine)
	check.Must(t, h.runJob(j, func() {}))
	_, err := accounts.Edit(t.Context(), h.Tenants, func(e *accounts.Editor) error { return e.Delete("acme") })
	check.Must(t, err)
	if err := h.runJob(j, func() {}); !errors.Is(err, accounts.ErrDeleted) {
		t.Errorf("%v", err)
	}
	if data, err := os.ReadFile(filepath.Join(h.Dataset("acme", football.MarketEngine).Dir(), "answer")); err != nil || len(data) == 0 {
		t.Errorf("%q, %v", data, err)
	}
}
