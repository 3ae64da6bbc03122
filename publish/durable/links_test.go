package durable_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mkt/internal/testing/needs"
	"mkt/publish/durable"
)

// No operation follows a symbolic link, wherever it leads, and Stat describes the link.
func TestLinksAreNotFollowed(t *testing.T) {
	for where, target := range map[string]string{"inside": "real", "outside": "../outside", "nowhere": "none", "itself": "link"} {
		t.Run(where, func(t *testing.T) {
			top := t.TempDir()
			for _, dir := range []string{"root/real", "outside"} {
				must(t, os.MkdirAll(filepath.Join(top, dir), 0o755))
				must(t, os.WriteFile(filepath.Join(top, dir, "file"), []byte("x"), 0o644))
			}
			must(t, os.Symlink(target, filepath.Join(top, "root", "link")))
			must(t, os.Symlink(target+"/file", filepath.Join(top, "root", "filelink")))
			disk, err := durable.OpenExisting(filepath.Join(top, "root"))
			must(t, err)
			defer disk.Close()
			_, opened := disk.Open("link/file")
			_, itself := disk.Open("filelink")
			_, created := disk.Create("link/new")
			_, listed := disk.ReadDir("link")
			_, stat := disk.Stat("link/file")
			_, locked := disk.Lock("filelink")
			_, within := disk.Within("link")
			_, made := disk.MakeWithin("link/below")
			for what, err := range map[string]error{
				"open below": opened, "open": itself, "create": created, "list": listed, "stat below": stat, "lock": locked, "within": within, "make within": made,
				"mkdir": disk.MkdirAll("link/below"), "sync": disk.SyncDir("link"), "link from": disk.Link("link/file", "a"), "link to": disk.Link("real/file", "link/b"),
				"rename from": disk.Rename("link/file", "c"), "rename to": disk.Rename("real/file", "link/d"), "remove below": disk.Remove("link/file"), "remove all below": disk.RemoveAll("link/file"),
			} {
				if !errors.Is(err, durable.ErrLink) || !errors.Is(err, durable.ErrNotRegular) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if info, err := disk.Stat("link"); err != nil || info.Mode().Type() != fs.ModeSymlink {
				t.Errorf("stat: %v, %v", info, err)
			}
			if there, err := durable.Exists(disk, "link"); !there || err != nil {
				t.Errorf("a name that is taken by a link: %v, %v", there, err)
			}
			must(t, disk.Remove("link"))
			must(t, disk.Remove("filelink"))
			for _, dir := range []string{"root/real", "outside"} {
				if entries, err := os.ReadDir(filepath.Join(top, dir)); err != nil || len(entries) != 1 {
					t.Errorf("%s holds %v, %v", dir, entries, err)
				}
			}
		})
	}
}

// No operation leaves the root, and none is possible after it was closed.
func TestNamesStayInTheRoot(t *testing.T) {
	top := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(top, "root", "folder"), 0o755))
	must(t, os.WriteFile(filepath.Join(top, "file"), []byte("x"), 0o644))
	must(t, os.WriteFile(filepath.Join(top, "root", "mine"), []byte("x"), 0o644))
	disk, err := durable.OpenExisting(filepath.Join(top, "root"))
	must(t, err)
	try := func(name string) map[string]error {
		_, opened := disk.Open(name)
		_, created := disk.Create(name)
		return map[string]error{"open": opened, "create": created, "sync": disk.SyncDir(name), "link from": disk.Link(name, "new"), "link to": disk.Link("mine", name),
			"rename from": disk.Rename(name, "new"), "rename to": disk.Rename("mine", name), "remove": disk.Remove(name)}
	}
	for _, name := range []string{"../file", "folder/../../file", "/file", filepath.Join(top, "file"), "", ".."} {
		for what, err := range try(name) {
			if err == nil {
				t.Errorf("%s %q: done", what, name)
			}
		}
	}
	must(t, os.WriteFile(filepath.Join(top, "root", "folder", "mine"), []byte("y"), 0o644))
	for _, name := range []string{"folder/mine", "./folder//mine", "folder/./mine", "folder/../folder/mine"} {
		if got, err := durable.ReadFile(disk, name, 10); string(got) != "y" {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	if err := disk.Remove("folder/mine/."); err != nil {
		t.Error(err)
	}
	must(t, disk.Close())
	must(t, disk.Close())
	for what, err := range try("mine") {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s after the root was closed: %v", what, err)
		}
	}
}

// The root itself may be reached through links, but nothing below it.
func TestRootBehindALink(t *testing.T) {
	top := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(top, "disk", "client_id=a", "product=b"), 0o755))
	must(t, os.Symlink("disk", filepath.Join(top, "data")))
	data := filepath.Join(top, "data")
	disk, err := durable.OpenWithin(data, "client_id=a/product=b")
	must(t, err)
	must(t, disk.Close())
	must(t, os.Symlink("client_id=a", filepath.Join(top, "disk", "client_id=c")))
	if _, err := durable.OpenWithin(data, "client_id=c/product=b"); !errors.Is(err, durable.ErrLink) {
		t.Errorf("one account through another's: %v", err)
	}
	if _, err := durable.OpenWithin(data, "client_id=d/product=b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

// Files of root, of the reader and of the owner of the root are not reported; those of
// anybody else are.
func TestStrangers(t *testing.T) {
	needs.Root(t, "gives files away")
	dir := t.TempDir()
	must(t, os.Chown(dir, 1000, 1000))
	var names []string
	for _, uid := range []int{0, 1000, 1001, 1002} {
		name := fmt.Sprint(uid)
		names = append(names, name)
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
		must(t, os.Chown(filepath.Join(dir, name), uid, uid))
	}
	disk, err := durable.OpenExisting(dir)
	must(t, err)
	defer disk.Close()
	strange, err := durable.Strangers(disk, 1001, append(names, "missing")...)
	if err != nil || len(strange) != 1 || strange[0] != "1002" {
		t.Errorf("%q, %v", strange, err)
	}
}

// A file with two names is seen twice and counted once, and a copy of it is another file.
func TestLinksSeen(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "copy"), []byte("x"), 0o644))
	must(t, os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")))
	must(t, os.Symlink("a", filepath.Join(dir, "link")))
	var links durable.Links
	for _, c := range []struct {
		name         string
		times, names uint64
	}{{"a", 1, 2}, {"copy", 1, 1}, {"copy", 1, 1}, {"b", 2, 2}, {"a", 3, 2}, {"link", 1, 1}} {
		info, err := os.Lstat(filepath.Join(dir, c.name))
		must(t, err)
		if times, names := links.Seen(info); times != c.times || names != c.names {
			t.Errorf("%s was seen %d times and has %d names, want %d and %d", c.name, times, names, c.times, c.names)
		}
	}
}
