package reader

import (
	"os"
	"path/filepath"
	"testing"

	"mkt/publish/durable"
)

// A file that is replaced, written, removed, made or given other rights is seen at the next
// look, whichever of several it is, and nothing else is.
func TestSightings(t *testing.T) {
	dir := t.TempDir()
	f, err := durable.OpenUnsynced(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := durable.Overwrite(f, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "1")
	s := sightings{}
	if s.look(f, "a", "b") {
		t.Error("the first look finds the same")
	}
	for name, change := range map[string]func() error{
		"nothing":  nil,
		"replaced": func() error { write("a", "2"); return nil },
		"written":  func() error { return os.WriteFile(path("a"), []byte("longer"), 0o644) },
		"rights":   func() error { return os.Chmod(path("a"), 0o600) },
		"made":     func() error { return os.WriteFile(path("b"), nil, 0o644) },
		"removed":  func() error { return os.Remove(path("b")) },
		"a folder": func() error { return os.Mkdir(path("b"), 0o755) },
	} {
		os.RemoveAll(path("b"))
		if name == "removed" {
			write("b", "1")
		}
		os.Chmod(path("a"), 0o644)
		s.look(f, "a", "b")
		if change != nil {
			if err := change(); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := s.look(f, "a", "b"), change == nil; got != want {
			t.Errorf("%s: the same is %v", name, got)
		}
		if !s.look(f, "a", "b") {
			t.Errorf("%s: the look after it differs", name)
		}
	}
}
