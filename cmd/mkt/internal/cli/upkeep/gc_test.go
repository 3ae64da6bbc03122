package upkeep

import (
	"testing"

	"mkt/internal/testing/check"
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
			check.Must(t, err)
			defer root.Close()
			for _, dir := range []string{"a", "b"} {
				check.Must(t, root.MkdirAll(dir))
				check.Must(t, durable.Create(root, dir+"/own", durable.Bytes(make([]byte, 10))))
			}
			check.Must(t, durable.Create(root, "a/shared", durable.Bytes(make([]byte, 100))))
			check.Must(t, root.Link("a/shared", "b/shared"))
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
