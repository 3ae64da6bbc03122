package daemon

import (
	"log/slog"
	"sync"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/serve/account"
)

// Revocations keeps accounts revoked while serve or schedule runs, even if somebody edits
// tenants.yaml by hand to bring them back. It knows the revocations that it has seen in this
// process, and those in the audit log if this user may read it.
type Revocations struct {
	mu      sync.Mutex // guards revoked
	revoked map[string]bool
}

// Apply returns the generation to put in force: f itself, or a copy in which the accounts
// that were revoked still are.
func (r *Revocations) Apply(f *tenants.File, log *slog.Logger) *tenants.File {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.revoked == nil {
		r.revoked = map[string]bool{}
	}
	undone, err := audit.Undone(f)
	if err != nil {
		log.Warn("the revocations in the audit log cannot be read", "error", err)
	}
	for _, p := range undone {
		r.revoked[p.Tenant] = true
	}
	var back []string
	for i := range f.Tenants {
		switch t := &f.Tenants[i]; {
		case t.Status == account.Revoked:
			r.revoked[t.ID] = true
		case r.revoked[t.ID]:
			back = append(back, t.ID)
			log.Error("account stays revoked: revoked is final, and the tenants file says otherwise", "tenant", t.ID, "file", f.Name, "line", t.Line,
				"fix", "mkt tenant revoke "+t.ID)
		}
	}
	if len(back) == 0 {
		return f
	}
	return f.WithRevoked(back)
}
