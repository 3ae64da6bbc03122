package audit_test

import (
	"os"
	"syscall"
	"testing"

	"mkt/cmd/mkt/internal/audit"
	"mkt/internal/needs"
)

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
