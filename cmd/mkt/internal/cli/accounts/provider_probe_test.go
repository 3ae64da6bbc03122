package accounts

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/check"
	"mkt/publish/durable"
)

// A test of the connection that was decided before its account was deleted makes no folder for it.
func TestProbeOfADeletedAccount(t *testing.T) {
	dir := t.TempDir()
	_, err := MakeFiles(dir)
	check.Must(t, err)
	g := &Group{Env: cli.NewEnv(nil, io.Discard, io.Discard, time.Now, "test")}
	g.Data, g.Tenants = filepath.Join(dir, "data"), filepath.Join(dir, "tenants.yaml")
	err = g.inTenant("acme", func(durable.FS) error {
		t.Error("it was tested")
		return nil
	})
	if left, _ := os.ReadDir(g.Data); !errors.Is(err, cli.ErrDeleted) || len(left) > 0 {
		t.Errorf("%v, left %v", err, left)
	}
}

// Data are deleted when every machine knows that the account is gone, also those that read the accounts from the
// object store: otherwise one of these might begin a cycle of it afterwards.
func TestDeletionWaitsForOtherMachines(t *testing.T) {
	if wait := inForceAfter(true); wait <= cli.RefreshEvery {
		t.Errorf("it waits for %s, and the accounts are read every %s", wait, cli.RefreshEvery)
	}
}
