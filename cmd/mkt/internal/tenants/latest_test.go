package tenants_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/internal/check"
)

// The file is read again exactly if it may have changed.
func TestLatest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenants.yaml")
	now := time.Now()
	var latest tenants.Latest
	load := func() *tenants.File {
		t.Helper()
		f, err := latest.Load(path, now)
		check.Must(t, err)
		return f
	}
	write := func(ids string, age time.Duration) {
		t.Helper()
		check.Must(t, os.WriteFile(path, []byte("version: 1\ntenants:\n"+ids), 0o600))
		check.Must(t, os.Chtimes(path, time.Time{}, now.Add(-age)))
	}
	if _, err := latest.Load(path, now); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	write("  - id: acme\n", time.Hour)
	first := load()
	if _, has := first.Tenant("acme"); !has || load() != first {
		t.Errorf("%v, read again: %v", first.IDs(), load() != first)
	}
	write("  - id: beta\n", time.Minute)
	if _, has := load().Tenant("beta"); !has {
		t.Errorf("%v", load().IDs())
	}
	// Of two edits within a moment, the second may leave no trace.
	write("  - id: gama\n", time.Second)
	load()
	write("  - id: acme\n", time.Second)
	if now = now.Add(time.Minute); load().IDs()[0] != "acme" {
		t.Errorf("%v", load().IDs())
	}
	write("tenants: [", time.Hour)
	if _, err := latest.Load(path, now); err == nil {
		t.Error("an invalid file was read")
	}
}
