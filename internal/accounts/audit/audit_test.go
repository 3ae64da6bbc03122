package audit_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
	"mkt/serve/account"
)

var at = time.Date(2026, 11, 20, 9, 7, 0, 5e6, time.UTC)

func by(action audit.Action) audit.By {
	return audit.By{Who: audit.Who{User: "ops", Actor: "jane@example.com"}, Action: action, Now: func() time.Time { return at }}
}

// seeded writes a tenants file with one tenant, whose creation is not logged.
func seeded(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tenants.yaml")
	must(t, os.WriteFile(path, []byte("version: 1\ntenants:\n  - id: old\n    products: {}\n"), 0o644))
	return path
}

func do(t *testing.T, path string, action audit.Action, change func(*accounts.Editor) error) {
	t.Helper()
	_, err := audit.Edit(t.Context(), path, by(action), change)
	must(t, err)
}

func add(id string) func(*accounts.Editor) error {
	return func(e *accounts.Editor) error { return e.Add(accounts.Tenant{ID: id, Status: account.Active}) }
}

func read(t *testing.T, path string, pick audit.Filter) audit.Log {
	t.Helper()
	log, err := audit.Open(path, pick)
	must(t, err)
	return log
}

func logPath(path string) string { return filepath.Join(filepath.Dir(path), audit.FileName) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestChanges(t *testing.T) {
	path := seeded(t)
	end := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	sealed := func(of string) string {
		return "-----BEGIN AGE ENCRYPTED FILE-----\n" + of + "\n-----END AGE ENCRYPTED FILE-----"
	}
	acme := accounts.Tenant{ID: "acme", Name: "Acme", Status: account.Active, Limit: account.DefaultLimit,
		Tokens:   []accounts.Token{{Digest: [32]byte{1}, Hint: "aaaa", IssuedAt: at.Truncate(time.Second)}},
		Products: map[football.Product]account.Subscription{football.MarketEngine: {}}}
	steps := []struct {
		action audit.Action
		change func()
		want   []string
	}{
		{audit.TenantAdd, func() {}, []string{"name +Acme", "status +ACTIVE", "token +…aaaa issued 2026-11-20T09:07:00Z", "product market_engine +open to open"}},
		{audit.TenantSuspend, func() { acme.Status = account.Suspended }, []string{"status ACTIVE -> SUSPENDED"}},
		{audit.TokenRotate, func() { acme.Tokens = []accounts.Token{{Digest: [32]byte{2}, Hint: "bbbb", IssuedAt: end}} },
			[]string{"token -…aaaa issued 2026-11-20T09:07:00Z", "token +…bbbb issued 2027-01-01T00:00:00Z"}},
		{audit.ProductSet, func() { acme.Products[football.MarketEngine] = account.Subscription{Expires: &end} },
			[]string{"product market_engine open to open -> open to 2027-01-01T00:00:00Z"}},
		{audit.FeatureEnable, func() { acme.Features = map[string]bool{"advanced_stats": true} }, []string{"feature advanced_stats +on"}},
		{audit.FeatureDisable, func() { acme.Features["advanced_stats"] = false }, []string{"feature advanced_stats on -> off"}},
		{audit.OriginAllow, func() { acme.Origins = []string{"https://a.example"} }, []string{"origin +https://a.example"}},
		{audit.OriginDeny, func() { acme.Origins = nil }, []string{"origin -https://a.example"}},
		{audit.LimitSet, func() { acme.Limit.Requests = 5 }, []string{"rate limit 600 per 1m0s, burst 120 -> 5 per 1m0s, burst 120"}},
		{audit.ScheduleSet, func() { acme.Schedule = map[football.Product]string{football.MarketEngine: "@every 30m"} },
			[]string{"schedule market_engine +@every 30m"}},
		{audit.ProviderSet, func() {
			acme.Provider = &accounts.Provider{Name: "betsapi", BaseURL: "http://127.0.0.1:9/s3cret", AllowPrivateAddress: true, Credential: sealed("YQ=="), Hint: "****1234"}
		}, []string{"provider +betsapi", "provider host +http://127.0.0.1:9", "provider private address +allowed", "credential +****1234"}},
		{audit.ProviderSet, func() { acme.Provider.Credential = sealed("Yg==") }, []string{"credential ****1234 -> ****1234"}},
		{audit.ProviderDisable, func() { acme.Provider.Disabled = true }, []string{"provider disabled +yes"}},
		{audit.TenantSuspend, func() {}, nil},
	}
	for i, s := range steps {
		s.change()
		do(t, path, s.action, func(e *accounts.Editor) error { return e.Replace(acme) })
		entries := read(t, path, audit.Filter{}).Entries
		if len(entries) != i+1 {
			t.Fatalf("%s: %d entries after %d edits", s.action, len(entries), i+1)
		}
		e := entries[i]
		var got []string
		for _, c := range e.Changes {
			got = append(got, c.String())
		}
		if diff := cmp.Diff(s.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.action, diff)
		}
		if e.Action != s.action || e.Tenant != "acme" || !e.At.Equal(at) || e.Name() != "jane@example.com (ops)" || e.AfterUnlogged {
			t.Errorf("entry %+v", e)
		}
	}
}

// The format on disk is fixed: old logs must stay readable.
func TestLineFormat(t *testing.T) {
	path := seeded(t)
	do(t, path, audit.TenantAdd, add("a"))
	const want = `{"format":1,"at":"2026-11-20T09:07:00.005Z","user":"ops","actor":"jane@example.com","action":"tenant.add","tenant":"a",` +
		`"changes":[{"field":"status","after":"ACTIVE"}],"file":"tenants.yaml",` +
		`"before_sha256":"#","after_sha256":"#"}` + "\n"
	got, err := os.ReadFile(logPath(path))
	must(t, err)
	hash := regexp.MustCompile(`[0-9a-f]{64}`)
	if diff := cmp.Diff(want, hash.ReplaceAllString(string(got), "#")); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
	info, err := os.Stat(logPath(path))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// A log that cannot be written, such as a pipe, keeps the accounts as they are.
func TestEditNeedsTheLog(t *testing.T) {
	path := seeded(t)
	must(t, syscall.Mkfifo(logPath(path), 0o600))
	f, err := audit.Edit(t.Context(), path, by(audit.TenantAdd), add("a"))
	if f != nil || err == nil || !strings.Contains(err.Error(), "not changed, since the change could not be logged") {
		t.Errorf("%v, %v", f, err)
	}
}

// A crash cut the last line: the complete lines are read, and the next entry is intact.
func TestLastLineCutOff(t *testing.T) {
	path := seeded(t)
	for _, id := range []string{"a", "b"} {
		do(t, path, audit.TenantAdd, add(id))
	}
	whole, err := os.ReadFile(logPath(path))
	must(t, err)
	first := strings.Index(string(whole), "\n") + 1
	for cut := first; cut <= len(whole); cut++ {
		if cut > first+2 && cut < len(whole)-2 && cut%16 != 0 {
			continue
		}
		must(t, os.WriteFile(logPath(path), whole[:cut], 0o600))
		n := 1
		if cut >= len(whole)-1 {
			n = 2 // an entry without its line end is complete
		}
		log := read(t, path, audit.Filter{})
		if len(log.Entries) != n {
			t.Fatalf("cut at %d: %d entries", cut, len(log.Entries))
		}
		id := fmt.Sprintf("c%d", cut)
		do(t, path, audit.TenantAdd, add(id))
		log = read(t, path, audit.Filter{})
		if len(log.Entries) != n+1 || log.Entries[n].Tenant != id {
			t.Fatalf("cut at %d, next edit: %+v", cut, log)
		}
		torn := cut > first && n == 1
		if (len(log.Unreadable) == 1 && log.Unreadable[0] == 2) != torn {
			t.Errorf("cut at %d: unreadable %v", cut, log.Unreadable)
		}
	}
}

// The hashes show that the file was changed by hand.
func TestChangesByHandShow(t *testing.T) {
	path := seeded(t)
	do(t, path, audit.TenantAdd, add("a"))
	do(t, path, audit.TenantAdd, add("b"))
	f, err := accounts.Edit(t.Context(), path, add("by-hand"))
	must(t, err)
	sum := f.Sum()
	if log := read(t, path, audit.Filter{}); log.Last == hex.EncodeToString(sum[:]) {
		t.Error("the file of now is the one of the last entry")
	}
	do(t, path, audit.TenantAdd, add("c"))
	do(t, path, audit.TenantAdd, add("d"))
	for _, c := range []struct {
		pick audit.Filter
		want string
	}{
		{audit.Filter{}, "a b !c d"},
		{audit.Filter{Last: 2}, "!c d"},
		{audit.Filter{Tenant: "d"}, "!d"},
		{audit.Filter{Tenant: "a"}, "a"},
		{audit.Filter{Action: audit.TenantRevoke}, ""},
		{audit.Filter{Since: at, Last: 1}, "d"},
		{audit.Filter{Since: at.Add(time.Second)}, ""},
	} {
		var got []string
		for _, e := range read(t, path, c.pick).Entries {
			mark := ""
			if e.AfterUnlogged {
				mark = "!"
			}
			got = append(got, mark+e.Tenant)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v, want %s", c.pick, got, c.want)
		}
	}
}

// An edit of several tenants logs an entry for each, and none if nothing changed.
func TestEditOfSeveral(t *testing.T) {
	path := seeded(t)
	do(t, path, audit.TenantAdd, func(e *accounts.Editor) error { return errors.Join(add("b")(e), add("a")(e)) })
	log := read(t, path, audit.Filter{})
	if len(log.Entries) != 2 || log.Entries[0].Tenant != "a" || log.Entries[1].AfterUnlogged {
		t.Errorf("%+v", log.Entries)
	}
}

func TestEditsAtOnce(t *testing.T) {
	path := seeded(t)
	const edits = 12
	var all sync.WaitGroup
	for i := range edits {
		all.Go(func() {
			if _, err := audit.Edit(context.Background(), path, by(audit.TenantAdd), add(fmt.Sprintf("t%d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	log := read(t, path, audit.Filter{})
	if len(log.Entries) != edits || len(log.Unreadable) != 0 {
		t.Fatalf("%d entries, unreadable %v", len(log.Entries), log.Unreadable)
	}
	for _, e := range log.Entries {
		if e.AfterUnlogged {
			t.Errorf("%s: out of turn", e.Tenant)
		}
	}
}

// Names from outside cannot break a line or control a terminal.
func TestHostileNames(t *testing.T) {
	path := seeded(t)
	odd := by(audit.TenantAdd)
	odd.Who = audit.Who{User: "a\nb", Actor: "\x1b[31m" + strings.Repeat("é", 500) + "\xff\u2028"}
	_, err := audit.Edit(t.Context(), path, odd, add("a"))
	must(t, err)
	log := read(t, path, audit.Filter{})
	if len(log.Entries) != 1 || len(log.Unreadable) != 0 {
		t.Fatalf("%+v", log)
	}
	if got := log.Entries[0].Name(); strings.ContainsAny(got, "\x1b\n") || len(got) > 300 {
		t.Errorf("who: %q", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"format":1,"at":"2026-11-20T09:07:00Z","user":"ops","action":"tenant.add","tenant":"a","changes":null,"file":"tenants.yaml"}` + "\n{\n"))
	f.Add([]byte(strings.Repeat("x", 70<<10) + "\n\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := audit.Read(strings.NewReader(string(data)), "tenants.yaml", audit.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(data), "\n") + 1; len(log.Entries)+len(log.Unreadable) > lines {
			t.Fatalf("%d entries and %d unreadable of %d lines", len(log.Entries), len(log.Unreadable), lines)
		}
		for _, e := range log.Entries {
			if strings.ContainsAny(e.Name()+e.Tenant+string(e.Action), "\x1b\n\r") {
				t.Fatalf("%+v", e)
			}
		}
	})
}

// Root edits the accounts of another user, who stays the owner of them, the log and the lock.
func TestOwnerIsKept(t *testing.T) {
	needs.Root(t, "edits somebody else's file")
	path := seeded(t)
	must(t, os.Chown(path, 1234, 4321))
	must(t, os.Chmod(path, 0o640))
	do(t, path, audit.TenantAdd, add("a"))
	for name, mode := range map[string]os.FileMode{path: 0o640, logPath(path): 0o600, path + ".lock": 0o644} {
		info, err := os.Stat(name)
		must(t, err)
		if s := info.Sys().(*syscall.Stat_t); s.Uid != 1234 || s.Gid != 4321 || info.Mode().Perm() != mode {
			t.Errorf("%s: owner %d:%d, mode %v", name, s.Uid, s.Gid, info.Mode())
		}
	}
}

func status(id string, s account.Status) func(*accounts.Editor) error {
	return func(e *accounts.Editor) error {
		return e.Change(id, func(t *accounts.Tenant) error { return t.SetStatus(s) })
	}
}

func TestRevokedIsFinal(t *testing.T) {
	path := seeded(t)
	do(t, path, audit.TenantRevoke, status("old", account.Revoked))
	b, err := os.ReadFile(path)
	must(t, err)
	byHand := bytes.Replace(b, []byte("REVOKED"), []byte("ACTIVE"), 1)
	must(t, os.WriteFile(path, byHand, 0o644))
	f, err := accounts.Load(path)
	must(t, err)
	if found, err := audit.Undone(f); err != nil || len(found) != 1 || found[0].Tenant != "old" || found[0].Line != 4 {
		t.Errorf("undone: %v, %v", found, err)
	}
	_, err = audit.Edit(t.Context(), path, by(audit.OriginAllow), func(e *accounts.Editor) error {
		return e.Change("old", func(t *accounts.Tenant) error { return t.AllowOrigin("https://a.example") })
	})
	if err == nil || !strings.Contains(err.Error(), "was permanently revoked at 2026-11-20T09:07:00Z") {
		t.Errorf("edit of an account that was revoked: %v", err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, byHand) {
		t.Error("the file was changed")
	}

	do(t, path, audit.TenantAdd, add("new")) // other accounts can still be edited
	must(t, os.WriteFile(path, []byte("version: 1\ntenants: []\n"), 0o644))
	if _, err := audit.Edit(t.Context(), path, by(audit.TenantAdd), add("old")); err == nil {
		t.Error("the id of a revoked account was given away again")
	}
	must(t, os.WriteFile(path, byHand, 0o644))
	do(t, path, audit.TenantRevoke, status("old", account.Revoked))
	f, err = accounts.Load(path)
	must(t, err)
	if found, err := audit.Undone(f); err != nil || len(found) != 0 {
		t.Errorf("set right, and undone: %v, %v", found, err)
	}
}
