package durable_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// loseRights makes this test a user who may read dir but not write to it. root, who may
// do everything, becomes the owner of dir on this thread, for file access only.
func loseRights(t *testing.T, dir string) {
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	must(t, os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o755)) // others cannot enter a test's folder
	must(t, os.Chown(dir, nobody, nobody))
	runtime.LockOSThread()
	must(t, syscall.Setfsuid(nobody))
	t.Cleanup(func() {
		must(t, syscall.Setfsuid(0))
		runtime.UnlockOSThread()
	})
}
