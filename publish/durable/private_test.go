package durable_test

import (
	"os"
	"path/filepath"
	"testing"

	"mkt/internal/testing/needs"
	"mkt/publish/durable"
)

// A secret of root that its group may read is accepted by a service that runs as another
// user, and refused by root itself.
func TestExposed(t *testing.T) {
	needs.Root(t, "becomes somebody else")
	path := filepath.Join(t.TempDir(), "seal.key")
	must(t, os.WriteFile(path, nil, 0o600))
	info := func(mode os.FileMode) os.FileInfo {
		must(t, os.Chmod(path, mode))
		i, err := os.Stat(path)
		must(t, err)
		return i
	}
	for mode, want := range map[os.FileMode][2]bool{
		0o400: {true, true}, 0o600: {true, true}, 0o440: {false, true}, 0o640: {false, true},
		0o460: {false, false}, 0o444: {false, false}, 0o604: {false, false},
	} {
		i := info(mode)
		for at, user := range []int{0, 1000} {
			if got := durable.Exposed(i, user) == 0; got != want[at] {
				t.Errorf("mode %04o, user %d: taken %v", mode, user, got)
			}
		}
	}
	must(t, os.Chown(path, 1000, 1000))
	if durable.Exposed(info(0o440), 1000) == 0 {
		t.Error("the user's own, with mode 0440, is taken")
	}
}
