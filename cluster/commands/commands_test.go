// Package commands_test tries the commands of mkt on a real object store.
package commands_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mkt/cluster/servers"
	"mkt/internal/testing/check"
)

// machine is a folder in which commands run, with an object store.
type machine struct {
	t   *testing.T
	bin string
	dir string
	env []string
}

func newMachine(t *testing.T, url string, env ...string) *machine {
	t.Helper()
	bin, err := servers.MKT()
	check.Must(t, err)
	return &machine{t, bin, t.TempDir(), append(env, "MKT_STORE="+url)}
}

// run runs a command that succeeds, and returns what it prints.
func (m *machine) run(args ...string) string {
	m.t.Helper()
	out, err := m.try(args...)
	if err != nil {
		m.t.Fatalf("mkt %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// fails runs a command that fails, with a message.
func (m *machine) fails(message string, args ...string) {
	m.t.Helper()
	if out, err := m.try(args...); err == nil || !strings.Contains(out, message) {
		m.t.Errorf("mkt %s: %v\n%s\nwant a failure that says %q", strings.Join(args, " "), err, out, message)
	}
}

func (m *machine) try(args ...string) (string, error) {
	cmd := exec.CommandContext(m.t.Context(), m.bin, args...)
	cmd.Dir, cmd.Env = m.dir, append(os.Environ(), m.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (m *machine) says(want string, args ...string) {
	m.t.Helper()
	if out := m.run(args...); !strings.Contains(out, want) {
		m.t.Errorf("mkt %s:\n%s\nwant %q", strings.Join(args, " "), out, want)
	}
}

// codes are those of the findings of doctor about the store.
func (m *machine) codes(args ...string) (list []string) {
	m.t.Helper()
	out, _ := m.try(append([]string{"doctor", "--output", "json"}, args...)...)
	line, _, _ := strings.Cut(out, "\n")
	var report struct {
		Findings []struct{ Level, Area, Code string }
	}
	if err := json.Unmarshal([]byte(line), &report); err != nil {
		m.t.Fatalf("doctor: %v\n%s", err, out)
	}
	for _, f := range report.Findings {
		if f.Area == "store" && f.Level != "OK" {
			list = append(list, f.Code)
		}
	}
	return list
}

// TestRestoreDrill: what is published to a store is restored from it, and serves the same.
func TestRestoreDrill(t *testing.T) {
	s, err := servers.StartStore(t.TempDir())
	check.Must(t, err)
	t.Cleanup(s.Stop)
	m := newMachine(t, s.URL("drills"), s.Env()...)
	top, err := servers.Top()
	check.Must(t, err)
	drill := exec.CommandContext(t.Context(), "sh", filepath.Join(top, "scripts", "drills", "restore.sh"))
	drill.Dir, drill.Env = m.dir, append(append(os.Environ(), m.env...), "MKT="+m.bin, "TMPDIR="+m.dir)
	if out, err := drill.CombinedOutput(); err != nil || !strings.Contains(string(out), "OK: ") {
		t.Fatalf("%v\n%s", err, out)
	}

	// What the drill left in the store is what another machine sees.
	folders, err := filepath.Glob(s.File("drills/drill-*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("%v %v", folders, err)
	}
	other := newMachine(t, s.URL("drills/"+filepath.Base(folders[0])), s.Env()...)
	other.says("acme market_engine in the object store: 0 packs", "gc", "--dry-run")
	other.says("5 publications would be copied", "pull", "--dry-run")
	other.run("pull")
	other.says("the data root has it all", "pull")
	other.says("the store has everything", "push")
	check.Must(t, os.Remove(s.File("drills/"+filepath.Base(folders[0])+"/client_id=acme/product=market_engine/commits/00000000000000000005.json")))
	if got := other.codes(); !slices.Contains(got, "STORE_LACKS") {
		t.Errorf("a store without the newest commit: %v", got)
	}
	other.says("1 publication stored (versions 5 to 5)", "push")
	if got := other.codes("--serving"); len(got) > 0 {
		t.Errorf("a whole store: %v", got)
	}

	// A deleted account is in the store no more, and a machine that has its data cannot store it again.
	if err := os.Remove(filepath.Join(other.dir, "data", "id-key.fingerprint")); err != nil { // init creates another key
		t.Fatal(err)
	}
	other.run("init", ".")
	other.run("tenant", "add", "acme", "--product", "market_engine")
	kept := filepath.Join(t.TempDir(), "kept")
	check.Must(t, os.CopyFS(kept, os.DirFS(filepath.Join(other.dir, "data"))))
	other.says("in the object store", "tenant", "delete", "acme", "--dry-run")
	other.says("tenant acme deleted: its entry in the accounts", "tenant", "delete", "acme", "--yes")
	left, err := filepath.Glob(s.File("drills/" + filepath.Base(folders[0]) + "/client_id=acme/product=market_engine/*/*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the store: %v %v", left, err)
	}
	other.fails("no tenant", "tenant", "delete", "acme", "--yes")
	check.Must(t, os.CopyFS(filepath.Join(other.dir, "data", "client_id=acme"), os.DirFS(filepath.Join(kept, "client_id=acme"))))
	other.fails("the account was deleted, and its data is not stored again: mkt tenant delete acme", "push")
	other.says("no entry in the accounts", "tenant", "delete", "acme", "--yes")
}

// TestAccountsOfTwoMachines: the accounts are in the store, and both machines edit them.
func TestAccountsOfTwoMachines(t *testing.T) {
	s, err := servers.StartStore(t.TempDir())
	check.Must(t, err)
	t.Cleanup(s.Stop)
	env := append(s.Env(), "MKT_TENANTS_IN_STORE=true")
	a, b := newMachine(t, s.URL("accounts"), env...), newMachine(t, s.URL("accounts"), env...)
	a.run("init")
	b.fails("mkt tenant validate --seal", "tenant", "list")
	a.run("tenant", "add", "acme", "--product", "market_engine")
	b.says("acme", "tenant", "list")
	b.run("tenant", "suspend", "acme")
	a.says("SUSPENDED", "tenant", "show", "acme")
	a.says("tenant.suspend", "tenant", "log")
	if got := a.codes(); len(got) > 0 {
		t.Errorf("accounts that were read: %v", got)
	}

	s.Stop()
	b.says("those that were copied before are used", "tenant", "list")
	b.fails("the object store cannot be reached", "tenant", "reactivate", "acme")
	if got := b.codes(); !slices.Equal(got, []string{"STORE_AWAY"}) {
		t.Errorf("a store that is away: %v", got)
	}
	check.Must(t, s.Start())
	b.run("tenant", "reactivate", "acme")
	a.says("ACTIVE", "tenant", "show", "acme")
}

// TestStoreThatIgnoresConditions: nothing is written to it.
func TestStoreThatIgnoresConditions(t *testing.T) {
	f, err := servers.StartForgetful()
	check.Must(t, err)
	t.Cleanup(f.Stop)
	m := newMachine(t, f.URL(""), "AWS_ACCESS_KEY_ID=any", "AWS_SECRET_ACCESS_KEY=any", "MKT_TENANTS_IN_STORE=true")
	m.run("init")
	m.fails("ignores conditional writes", "tenant", "add", "acme")
	if got := m.codes(); !slices.Equal(got, []string{"STORE_UNSAFE"}) {
		t.Errorf("%v", got)
	}
}
