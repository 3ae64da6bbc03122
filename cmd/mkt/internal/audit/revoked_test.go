package audit_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/serve/account"
)

func status(id string, s account.Status) func(*tenants.Editor) error {
	return func(e *tenants.Editor) error { return e.SetStatus(id, s) }
}

func TestRevokedIsFinal(t *testing.T) {
	path := seeded(t)
	do(t, path, audit.TenantRevoke, status("old", account.Revoked))
	for name, change := range map[string]func(*tenants.Editor) error{
		"reactivate": status("old", account.Active),
		"suspend":    status("old", account.Suspended),
		"token":      func(e *tenants.Editor) error { return e.AddToken("old", tenants.Token{}) },
	} {
		_, err := audit.Edit(t.Context(), path, by(audit.TenantReactivate), change)
		if err == nil || !strings.Contains(err.Error(), "tenant old is revoked, for good") {
			t.Errorf("%s: %v", name, err)
		}
	}

	b, err := os.ReadFile(path)
	must(t, err)
	byHand := bytes.Replace(b, []byte("REVOKED"), []byte("ACTIVE"), 1)
	must(t, os.WriteFile(path, byHand, 0o644))
	f, err := tenants.Load(path)
	must(t, err)
	if found, err := audit.Undone(f); err != nil || len(found) != 1 || found[0].Tenant != "old" || found[0].Line != 4 {
		t.Errorf("undone: %v, %v", found, err)
	}
	_, err = audit.Edit(t.Context(), path, by(audit.OriginAllow), func(e *tenants.Editor) error { return e.AllowOrigin("old", "https://a.example") })
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
	f, err = tenants.Load(path)
	must(t, err)
	if found, err := audit.Undone(f); err != nil || len(found) != 0 {
		t.Errorf("set right, and undone: %v, %v", found, err)
	}
}
