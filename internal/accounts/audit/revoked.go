package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"mkt/internal/accounts"
	"mkt/serve/account"
)

// Undone finds the tenants that a command revoked and that are no longer revoked because
// somebody edited the file by hand. Revoking is permanent, so each is a problem. It knows only
// the revocations that were logged, and none if this user may not read the log.
func Undone(f *accounts.File) ([]accounts.Problem, error) {
	log, of, err := openBeside(f.Name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	defer log.Close()
	revoked, err := revocations(log, of)
	if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	var found []accounts.Problem
	for i := range f.Tenants {
		if t := &f.Tenants[i]; undone(t, revoked) {
			found = append(found, accounts.Problem{Line: t.Line, Tenant: t.ID, Field: "status", Reason: reason(t, revoked[t.ID])})
		}
	}
	return found, nil
}

// Allow implements accounts.Log. It returns an error for a tenant that was revoked, unless the
// edit revokes it again.
func (p *pending) Allow(e accounts.Edited) error {
	revoked, err := revocations(io.NewSectionReader(p.file, 0, 1<<62), plain(p.name))
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	for _, id := range e.Tenants {
		if t, there := e.After.Tenant(id); there && undone(t, revoked) {
			return fmt.Errorf("tenant %s: status: %s", id, reason(t, revoked[id]))
		}
	}
	return nil
}

func undone(t *accounts.Tenant, revoked map[string]time.Time) bool {
	_, was := revoked[t.ID]
	return was && t.Status != account.Revoked
}

func reason(t *accounts.Tenant, at time.Time) string {
	return fmt.Sprintf("%s, but the account was permanently revoked at %s: run mkt tenant revoke %s; a new account needs another id",
		t.Status, at.UTC().Format(time.RFC3339), t.ID)
}

// revocations returns the tenants that were revoked, and when. A log is long, so it parses only
// the lines that may be revocations.
func revocations(r io.Reader, file string) (map[string]time.Time, error) {
	found := map[string]time.Time{}
	for line, err := range lines(r) {
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(line, []byte(TenantRevoke)) {
			continue
		}
		if e, ok := parse(line); ok && e.Action == TenantRevoke && e.File == file {
			found[e.Tenant] = e.At
		}
	}
	return found, nil
}
