package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mkt/internal/testing/needs"
	"mkt/publish/durable"
)

// An error that a person has to resolve says how, without a path of the machine, and can
// still be branched on.
func TestErrorsOfTheDiskSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	needs.ReadOnly(t, dir)
	disk, err := durable.OpenExisting(dir)
	must(t, err)
	defer disk.Close()
	_, locked := disk.Lock("lock")
	_, created := disk.Create("file")
	for what, err := range map[string]error{"lock": locked, "create": created, "mkdir": disk.MkdirAll("folder")} {
		if err == nil || !strings.Contains(err.Error(), "read-only file system: mount the disk for writing, then run again") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestErrorsOfRightsSayWhatToDo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "root")
	must(t, os.Mkdir(dir, 0o500))
	loseRights(t, dir)
	disk, err := durable.OpenExisting(dir)
	must(t, err)
	defer disk.Close()
	if _, err := disk.Create("file"); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "run it as the user who owns the files there") {
		t.Error(err)
	}
}
