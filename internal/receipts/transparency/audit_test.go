package transparency_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
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

// An operator adds a leaf that conceals the one before it. Whoever has the leaves finds it, and so does, in a copy of the
// log alone, whoever has receipts of both.
func TestAuditOfAConcealedLeaf(t *testing.T) {
	for _, c := range []struct {
		conceal bool
		faults  int
	}{{false, 0}, {true, 1}} {
		disk := durabletest.NewMem()
		l := open(t, disk, newKey(t, 1))
		if _, err := l.Append(recordsFrom(2, 1)); err != nil {
			t.Fatal(err)
		}
		if c.conceal {
			if err := durable.Overwrite(disk, "leaves/newest.json", fmt.Appendf(nil, `{"format": 3, "size": 1, "sha256": %q}`, durable.Hash([]byte("null")))); err != nil {
				t.Fatal(err)
			}
		}
		head, err := l.Append(recordsFrom(4, 1))
		if err != nil {
			t.Fatal(err)
		}
		var shown []transparency.ShownLeaf
		a, err := l.Audit(head.Checkpoint, nil, func(index int64, r *transparency.Record) {
			leaf, err := r.Leaf()
			if err != nil {
				t.Error(err)
			}
			shown = append(shown, transparency.ShownLeaf{Index: index, Leaf: leaf})
		})
		if err != nil || len(a.Faults) != c.faults || c.conceal && !strings.Contains(a.Faults[0].Error(), "it names version 0 as the one before it, and that leaf has 2") {
			t.Errorf("concealed: %v: %v, %v", c.conceal, a.Faults, err)
		}
		if err := disk.RemoveAll("leaves"); err != nil {
			t.Fatal(err)
		}
		faults, err := l.AuditShown(head.Checkpoint, append(shown, shown[0]))
		if err != nil || len(faults) != c.faults || c.conceal && !strings.Contains(faults[0].Error(), "leaves 0 and 1 of the dataset") {
			t.Errorf("concealed: %v: with receipts: %v, %v", c.conceal, faults, err)
		}
		shown[0].Leaf.Version++
		if faults, err := l.AuditShown(head.Checkpoint, shown[:1]); err != nil || len(faults) != 1 || !strings.Contains(faults[0].Error(), "it is not the entry of the log") {
			t.Errorf("a leaf that is not in the log: %v, %v", faults, err)
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
