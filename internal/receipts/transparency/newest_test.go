package transparency_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
)

// The newest leaf of each dataset is the same with its small file, without it, and with one that is
// damaged, changed, older than the head or of a larger log.
func TestNewest(t *testing.T) {
	const file = "leaves/newest.json"
	disk := durabletest.NewMem()
	l := open(t, disk, newKey(t, 1))
	var all []transparency.Record
	for round := range 9 {
		for i := range 41 {
			n := round*41 + i + 1
			r := transparency.Record{ClientID: fmt.Sprintf("client%02d", i%(7+round)), Product: "live_intelligence", Version: uint64(n), CommitSHA256: fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, n)))}
			all = append(all, r)
			if _, err := l.Append([]transparency.Record{r}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := l.Newest()
		if err != nil {
			t.Fatal(err)
		}
		checkNewest(t, got, all)
	}
	good, err := durable.ReadFile(disk, file, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"damaged":         "{",
		"another version": string(bytes.Replace(good, []byte(`"version": `), []byte(`"version": 9`), 1)),
		"a larger log":    string(bytes.Replace(good, []byte(`"size": `), []byte(`"size": 9`), 1)),
	} {
		if err := durable.Overwrite(disk, file, []byte(content)); err != nil {
			t.Fatal(err)
		}
		got, err := l.Newest()
		if err != nil {
			t.Fatal(name, err)
		}
		checkNewest(t, got, all)
		after, err := durable.ReadFile(disk, file, 1<<20)
		if err != nil || string(after) != string(good) {
			t.Errorf("%s: the file was not made again: %v", name, err)
		}
	}
	if err := disk.Remove(file); err != nil {
		t.Fatal(err)
	}
	head, err := l.Head()
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.View.Newest(head.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	checkNewest(t, got, all)
}

func checkNewest(t *testing.T, got []transparency.Logged, all []transparency.Record) {
	t.Helper()
	last := map[string]int{}
	for i, r := range all {
		last[r.ClientID] = i
	}
	if len(got) != len(last) || !slices.IsSortedFunc(got, func(a, b transparency.Logged) int { return strings.Compare(a.ClientID, b.ClientID) }) {
		t.Fatalf("%d datasets, want %d: %v", len(got), len(last), got)
	}
	for _, one := range got {
		i := last[one.ClientID]
		if one.Index != int64(i) || one.Version != all[i].Version || one.CommitSHA256 != all[i].CommitSHA256 {
			t.Errorf("%+v, want leaf %d %+v", one, i, all[i])
		}
	}
}

// A file of leaves that lacks some, or has a null in place of one, is damaged for every reader.
func TestLeavesThatAreNotThere(t *testing.T) {
	for _, what := range []string{`"leaves": []`, `"leaves": [null, null, null]`} {
		f, key := durabletest.NewMem(), newKey(t, 1)
		l := open(t, f, key)
		head, err := l.Append(recordsFrom(1, 3))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Remove("leaves/000.json"); err != nil {
			t.Fatal(err)
		}
		if err := durable.Create(f, "leaves/000.json", durable.Bytes([]byte(`{"format": 1, "first": 0, `+what+"}\n"))); err != nil {
			t.Fatal(err)
		}
		if _, err := l.View.Newest(head.Checkpoint); !errors.Is(err, transparency.ErrDamaged) {
			t.Errorf("newest, %s: %v", what, err)
		}
		if _, _, _, err := l.Find("acme", "market_engine", 1, head); !errors.Is(err, transparency.ErrDamaged) {
			t.Errorf("find, %s: %v", what, err)
		}
		a, err := l.Audit(head.Checkpoint, nil, func(int64, *transparency.Record) {})
		if err != nil || len(a.Faults) == 0 {
			t.Errorf("audit, %s: %v, %d faults", what, err, len(a.Faults))
		}
	}
}
