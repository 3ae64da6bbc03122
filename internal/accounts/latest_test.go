package accounts_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mkt/internal/accounts"
	"mkt/internal/testing/check"
)

// An account is gone only if a whole, sealed file lacks it.
func TestLacks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenants.yaml")
	var latest accounts.Latest
	lacks := func(id string, want bool) {
		t.Helper()
		if got, err := latest.Lacks(path, id); err != nil || got != want {
			t.Errorf("it lacks %s: %v, %v; want %v", id, got, err, want)
		}
	}
	if _, err := latest.Lacks(path, "acme"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	check.Must(t, os.WriteFile(path, []byte("version: 1\ntenants:\n  - id: acme\n  - id: beta\n"), 0o600))
	_, err := accounts.Edit(t.Context(), path, func(e *accounts.Editor) error { return e.Delete("beta") })
	check.Must(t, err)
	lacks("acme", false)
	lacks("beta", true)
	whole, err := os.ReadFile(path)
	check.Must(t, err)
	for n := range whole { // cut off
		check.Must(t, os.WriteFile(path, whole[:n], 0o600))
		if gone, err := latest.Lacks(path, "acme"); gone || err != nil && n == len(whole)-1 {
			t.Errorf("the first %d of %d bytes: gone %v, %v", n, len(whole), gone, err)
		}
	}
	check.Must(t, os.WriteFile(path, []byte("version: 1\ntenants: []\n"), 0o600))
	lacks("acme", false)
	check.Must(t, os.WriteFile(path, whole, 0o600))
	lacks("beta", true)
}
