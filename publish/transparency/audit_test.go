package transparency_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"mkt/publish/durable"
	"mkt/publish/durable/durabletest"
	"mkt/publish/transparency"
)

// An audit computes the same roots as the log, at every size, and finds every changed byte of its
// tiles, entries and leaves.
func TestAudit(t *testing.T) {
	disk := durabletest.NewMem()
	l := open(t, disk, newKey(t, 1))
	older := []transparency.Checkpoint{}
	for size := 0; size < 300; {
		n := 1 + size%37
		head, err := l.Append(recordsFrom(size, n))
		if err != nil {
			t.Fatal(err)
		}
		older, size = append(older, head.Checkpoint), size+n
	}
	head := older[len(older)-1]
	audit := func() transparency.Audited {
		t.Helper()
		next := int64(0)
		a, err := l.Audit(head, older, func(index int64, r *transparency.Record) {
			if index != next || r.Version != uint64(index) {
				t.Errorf("leaf %d has version %d, want %d", index, r.Version, next)
			}
			next++
		})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := audit(); a.Entries != head.Size || !a.Leaves || len(a.Faults) > 0 {
		t.Fatalf("%+v", a)
	}
	if a := func() transparency.Audited {
		a, err := l.Audit(older[3], append([]transparency.Checkpoint{head}, older[:4]...), func(int64, *transparency.Record) {})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}(); len(a.Faults) != 1 || !strings.Contains(a.Faults[0].Error(), "entries were removed") {
		t.Errorf("a log that is shorter than an older checkpoint: %v", a.Faults)
	}
	for _, name := range filesBelow(t, disk, "log/tile") {
		_, width, partial := strings.Cut(name, ".p/")
		if partial && width != fmt.Sprint(head.Size%256) && width != fmt.Sprint(head.Size/256) {
			continue // of an older head
		}
		was, err := durable.ReadFile(disk, name, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{0, len(was) / 2, len(was) - 1} {
			changed := append([]byte(nil), was...)
			changed[at] ^= 1
			if err := durable.Overwrite(disk, name, changed); err != nil {
				t.Fatal(err)
			}
			if a := audit(); len(a.Faults) == 0 {
				t.Errorf("%s: byte %d was changed, and nothing was found", name, at)
			}
		}
		if err := disk.Remove(name); err != nil {
			t.Fatal(err)
		}
		if a := audit(); len(a.Faults) == 0 {
			t.Errorf("%s was deleted, and nothing was found", name)
		}
		if err := durable.Overwrite(disk, name, was); err != nil {
			t.Fatal(err)
		}
	}
	if a := audit(); len(a.Faults) > 0 {
		t.Fatalf("the log is whole again, and has faults: %v", a.Faults)
	}
}

// Another history with the same key is found by a checkpoint of the first one, and by no other means.
func TestAuditOfARewrittenLog(t *testing.T) {
	key := newKey(t, 1)
	first, second := open(t, durabletest.NewMem(), key), open(t, durabletest.NewMem(), key)
	old, err := first.Append(recordsFrom(1, 300))
	if err != nil {
		t.Fatal(err)
	}
	list := recordsFrom(1, 400)
	list[299].CommitSHA256 = list[0].CommitSHA256
	rewritten, err := second.Append(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		older  []transparency.Checkpoint
		faults int
	}{{nil, 0}, {[]transparency.Checkpoint{old.Checkpoint}, 1}} {
		a, err := second.Audit(rewritten.Checkpoint, c.older, func(int64, *transparency.Record) {})
		if err != nil || len(a.Faults) != c.faults || c.faults > 0 && !strings.Contains(a.Faults[0].Error(), "first 300 entries") {
			t.Errorf("%d older checkpoints: %v, %v", len(c.older), a.Faults, err)
		}
	}
}

func filesBelow(t *testing.T, f durable.ReadFS, dir string) (list []string) {
	t.Helper()
	entries, err := f.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, filesBelow(t, f, dir+"/"+e.Name())...)
		} else if e.Type()&fs.ModeType == 0 {
			list = append(list, dir+"/"+e.Name())
		}
	}
	return list
}
