package batch

import (
	"testing"

	"mkt/publish/durable"
)

// A file with two names frees its space when both are deleted, in a dry run and otherwise.
func TestFreed(t *testing.T) {
	for name, c := range map[string]struct {
		deleted []string
		want    int64
	}{
		"own files":          {[]string{"a/own", "b/own"}, 20},
		"one name of a file": {[]string{"a"}, 10},
		"both names":         {[]string{"a", "b"}, 120},
		"a missing name":     {[]string{"c"}, 0},
	} {
		for _, dryRun := range []bool{true, false} {
			root, err := durable.OpenRoot(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			for _, dir := range []string{"a", "b"} {
				if err := root.MkdirAll(dir); err != nil {
					t.Fatal(err)
				}
				if err := durable.Create(root, dir+"/own", durable.Bytes(make([]byte, 10))); err != nil {
					t.Fatal(err)
				}
			}
			if err := durable.Create(root, "a/shared", durable.Bytes(make([]byte, 100))); err != nil {
				t.Fatal(err)
			}
			if err := root.Link("a/shared", "b/shared"); err != nil {
				t.Fatal(err)
			}
			space := freed{dryRun: dryRun}
			for _, deleted := range c.deleted {
				space.add(root, deleted)
				if !dryRun {
					root.RemoveAll(deleted)
				}
			}
			if space.bytes != c.want {
				t.Errorf("%s, dry run %t: %d bytes, want %d", name, dryRun, space.bytes, c.want)
			}
		}
	}
}
