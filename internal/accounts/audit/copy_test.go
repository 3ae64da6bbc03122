package audit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/cluster/store"
	"mkt/internal/testing/storetest"
	"mkt/serve/account"
)

// cluster is two machines that share accounts.
type cluster struct {
	bucket *storetest.Memory
	origin accounts.Origin
	a, b   string // the tenants files
}

// newCluster returns a machine that has accounts and a log already, and one that has nothing.
func newCluster(t *testing.T) cluster {
	t.Helper()
	bucket := storetest.NewMemory()
	c := cluster{bucket, store.New(bucket, store.Options{}).Accounts(), filepath.Join(t.TempDir(), "tenants.yaml"), filepath.Join(t.TempDir(), "accounts.yaml")}
	if err := os.WriteFile(c.a, accounts.SealText([]byte("version: 1\ntenants: []\n"), 0), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.Edit(t.Context(), c.a, by(audit.TenantAdd), add("first")); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c cluster) edit(path string, action audit.Action, change func(*accounts.Editor) error) error {
	_, err := audit.EditCopy(context.Background(), path, c.origin, by(action), change)
	return err
}

func (c cluster) refresh(t *testing.T, path string) accounts.Refreshed {
	t.Helper()
	done, err := audit.CopyAt(path, c.origin).Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

func logged(t *testing.T, path string) (list []string) {
	t.Helper()
	for _, e := range read(t, path, audit.Filter{}).Entries {
		if e.AfterUnlogged {
			t.Errorf("%s: a change before %s is not logged", path, e.Tenant)
		}
		list = append(list, e.Tenant)
	}
	return list
}

// TestSharedAccounts: both machines have the same accounts and the same log, whichever was edited.
func TestSharedAccounts(t *testing.T) {
	c := newCluster(t)
	must(t, c.edit(c.a, audit.TenantAdd, add("second")))
	must(t, c.edit(c.b, audit.TenantAdd, add("third"))) // has no file yet
	c.refresh(t, c.a)
	want := []string{"first", "second", "third"}
	if text(t, c.a) != text(t, c.b) || !slices.Equal(logged(t, c.a), want) || !slices.Equal(logged(t, c.b), want) {
		t.Errorf("the files differ, or the logs: %v, %v", logged(t, c.a), logged(t, c.b))
	}
	if done := c.refresh(t, c.a); done.Newer || done.Version != 2 {
		t.Errorf("refreshed again: %+v", done)
	}

	// A machine that was killed after the commit gets file and entry from the store, once.
	before, mark, log := text(t, c.a), text(t, c.a+".copied"), text(t, logPath(c.a))
	must(t, c.edit(c.a, audit.TenantAdd, add("fourth")))
	must(t, os.WriteFile(c.a, []byte(before), 0o644))
	must(t, os.WriteFile(c.a+".copied", []byte(mark), 0o644))
	must(t, os.WriteFile(logPath(c.a), []byte(log), 0o600))
	c.refresh(t, c.a)
	c.refresh(t, c.b)
	if want = append(want, "fourth"); text(t, c.a) != text(t, c.b) || !slices.Equal(logged(t, c.a), want) {
		t.Errorf("after a crash: %v", logged(t, c.a))
	}

	// What one machine revoked, another cannot bring back.
	must(t, c.edit(c.a, audit.TenantRevoke, func(e *accounts.Editor) error {
		return e.Change("first", func(t *accounts.Tenant) error { return t.SetStatus(account.Revoked) })
	}))
	c.refresh(t, c.b)
	must(t, os.WriteFile(c.b, []byte(strings.Replace(text(t, c.b), "status: REVOKED", "status: ACTIVE", 1)), 0o644))
	if err := c.edit(c.b, audit.TenantName, func(e *accounts.Editor) error {
		return e.Change("first", func(t *accounts.Tenant) error { t.Name = "again"; return nil })
	}); err == nil || !strings.Contains(err.Error(), "permanently revoked") {
		t.Errorf("a revoked account was brought back: %v", err)
	}
}

// TestNoSharedEditIsLost: of edits on both machines at once, each is made or refused.
func TestNoSharedEditIsLost(t *testing.T) {
	c := newCluster(t)
	must(t, c.edit(c.a, audit.TenantAdd, add("second")))
	var edits sync.WaitGroup
	var mu sync.Mutex
	made := []string{"first", "second"}
	for i := range 12 {
		path, id := []string{c.a, c.b}[i%2], fmt.Sprintf("t%d", i)
		edits.Go(func() {
			for {
				err := c.edit(path, audit.TenantAdd, add(id))
				if err == nil {
					break
				}
				if !strings.Contains(err.Error(), "run the command again") {
					t.Errorf("%s: %v", id, err)
					return
				}
			}
			mu.Lock()
			defer mu.Unlock()
			made = append(made, id)
		})
	}
	edits.Wait()
	slices.Sort(made)
	for _, path := range []string{c.a, c.b} {
		c.refresh(t, path)
		f, err := accounts.Load(path)
		must(t, err)
		ids, entries := f.IDs(), logged(t, path)
		slices.Sort(ids)
		slices.Sort(entries)
		if !slices.Equal(ids, made) || !slices.Equal(entries, made) {
			t.Errorf("%s has the accounts %v and the entries %v, made were %v", path, ids, entries, made)
		}
	}
}

// TestSharedAccountsByHand: a change by hand is shared by the next edit, or kept aside.
func TestSharedAccountsByHand(t *testing.T) {
	c := newCluster(t)
	must(t, c.edit(c.a, audit.TenantAdd, add("second")))
	c.refresh(t, c.b)
	named := func(path, name string) {
		must(t, os.WriteFile(path, []byte(strings.Replace(text(t, path), "id: second", "id: second\n    name: "+name, 1)), 0o644))
	}
	named(c.b, "by-hand")
	if done := c.refresh(t, c.b); done.Newer || !strings.Contains(text(t, c.b), "by-hand") {
		t.Errorf("a change by hand was replaced by the version that it was made from: %+v", done)
	}
	must(t, c.edit(c.b, audit.FileSeal, func(*accounts.Editor) error { return nil }))
	c.refresh(t, c.a)
	if !strings.Contains(text(t, c.a), "by-hand") {
		t.Error("a change by hand was not shared by the next edit")
	}
	must(t, os.WriteFile(c.a, []byte(strings.Replace(text(t, c.a), "by-hand", "late", 1)), 0o644))
	must(t, c.edit(c.b, audit.TenantAdd, add("third")))
	done := c.refresh(t, c.a)
	if !done.Newer || done.Backup == "" || !strings.Contains(text(t, filepath.Join(filepath.Dir(c.a), done.Backup)), "late") || text(t, c.a) != text(t, c.b) {
		t.Errorf("a change by hand that a newer version replaced: %+v", done)
	}
}

// TestInvalidSharedAccounts: a version that is not valid reaches no machine, and nothing is built
// on it.
func TestInvalidSharedAccounts(t *testing.T) {
	c := newCluster(t)
	must(t, c.edit(c.a, audit.TenantAdd, add("second")))
	whole := text(t, c.a)
	for name, damaged := range map[string]string{"no yaml": "{", "cut off": whole[:len(whole)-80], "not sealed": "version: 1\ntenants: []\n", "another format": strings.Replace(whole, "version: 1", "version: 9", 1)} {
		key := fmt.Sprintf("accounts/%020d.yaml", 2)
		c.bucket.Set(t, key, []byte(damaged))
		_, err := audit.CopyAt(c.a, c.origin).Refresh(t.Context())
		var invalid *accounts.InvalidError
		if !errors.As(err, &invalid) || text(t, c.a) != whole {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.edit(c.a, audit.TenantAdd, add("third")); err == nil || text(t, c.a) != whole {
			t.Errorf("%s: edited: %v", name, err)
		}
		c.bucket.Remove(t, key)
	}
	c.bucket.Remove(t, fmt.Sprintf("accounts/%020d.yaml", 1))
	if err := c.edit(c.a, audit.TenantAdd, add("third")); err == nil || !strings.Contains(err.Error(), "restored from a backup") {
		t.Errorf("edited over a version that the store lost: %v", err)
	}
}
