package daemon

import (
	"log/slog"
	"sync"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/serve/account"
)

// Revocations keeps accounts revoked that a hand in tenants.yaml tries to bring back
// while serve or schedule runs: revoked is final. It knows what it has seen in
// this process, and what the audit log tells, as far as this user may read it.
type Revocations struct {
	mu      sync.Mutex // guards revoked
	revoked map[string]bool
}

// Apply is the generation to be put in force: f itself, or a copy in which those
// that were revoked still are.
func (n *Revocations) Apply(f *tenants.File, log *slog.Logger) *tenants.File {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.revoked == nil {
		n.revoked = map[string]bool{}
	}
	undone, err := audit.Undone(f)
	if err != nil {
		log.Warn("revocations are not looked up", "error", err)
	}
	for _, p := range undone {
		n.revoked[p.Tenant] = true
	}
	var back []string
	for i := range f.Tenants {
		switch t := &f.Tenants[i]; {
		case t.Status == account.Revoked:
			n.revoked[t.ID] = true
		case n.revoked[t.ID]:
			back = append(back, t.ID)
			log.Error("account stays revoked: revoked is final, and the tenants file says otherwise", "tenant", t.ID, "file", f.Name, "line", t.Line,
				"mend", "mkt tenant revoke "+t.ID)
		}
	}
	if len(back) == 0 {
		return f
	}
	return f.WithRevoked(back)
}
