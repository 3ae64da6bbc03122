package commitlog_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/publish"
	"mkt/publish/repair"
)

// An account that was deleted and added again is logged like any other: its versions begin at 1 again. An older
// copy of a data root is not taken for one.
func TestAccountThatIsAddedAgain(t *testing.T) {
	h := newHistory(t)
	text, err := transparency.NewKey(rand.NewChaCha8([32]byte{1}), "example.com/prices")
	check.Must(t, err)
	key, err := transparency.ParseKey(text)
	check.Must(t, err)
	run := func(want string) {
		t.Helper()
		r, err := h.log(key, nil)
		check.Must(t, err)
		got := ""
		for _, a := range r.Added {
			got += string(rune('0' + a.Version))
		}
		for _, f := range r.Failed {
			got += f.Error
		}
		if got != want && (want == "" || !strings.Contains(got, want)) {
			t.Fatalf("the run did %q, want %q", got, want)
		}
	}
	h.cycle(1, "1.90")
	older := filepath.Join(t.TempDir(), "older")
	account := filepath.Join(h.data, "client_id=acme")
	check.Must(t, os.CopyFS(older, os.DirFS(account)))
	h.cycle(2, "1.91")
	h.cycle(3, "1.92")
	run("3")
	check.Must(t, os.RemoveAll(account))
	check.Must(t, os.CopyFS(account, os.DirFS(older)))
	run("older copy")

	check.Must(t, os.RemoveAll(account))
	again := newHistory(t)
	again.data = h.data
	for number, version := range []string{"1", "2", "3", "4"} {
		again.cycle(10+number, "2.0"+version)
		run(version)
		run("")
	}
	view, head := h.head(key)
	a := h.audit(key, h.data)
	if len(a.Faults) > 0 || a.Commits != 4 || !strings.Contains(strings.Join(a.NotChecked, "\n"), "its publications begin anew: the account was deleted and added again, or its history was rewritten") {
		t.Errorf("%+v", a)
	}
	for deletions, want := range map[time.Duration]int{5 * time.Hour: 0, 12 * time.Hour: 1} { // between the two histories, and not
		a, err := commitlog.AuditLog(view, head, commitlog.AuditOptions{Data: h.data, Deletions: map[string][]time.Time{"acme": {dataroot.Began.Add(deletions)}}})
		check.Must(t, err)
		if len(a.Faults) != want {
			t.Errorf("deleted after %s: %+v", deletions, a)
		}
	}
	if index, found, _, err := view.Find("acme", "market_engine", 2, head); err != nil || found.Version != 2 || index != 2 {
		t.Errorf("the leaf of version 2 is %d with version %+v, %v", index, found, err)
	}
}

// A dataset that was restored from a copy and published on is not logged, however far it gets: the commit that was logged
// last is no ancestor of it. A new history is.
func TestRestoredCopy(t *testing.T) {
	h := newHistory(t)
	text, err := transparency.NewKey(rand.NewChaCha8([32]byte{1}), "example.com/prices")
	check.Must(t, err)
	key, err := transparency.ParseKey(text)
	check.Must(t, err)
	h.cycle(1, "1.90")
	copied := h.Mem.PowerCut(0, 1)
	h.cycle(2, "1.91")
	r, err := h.log(key, nil)
	if err != nil || len(r.Added) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	h.Mem = copied
	for number, want := range []string{"older copy", "its history was rewritten", "its history was rewritten"} {
		check.Must(t, os.RemoveAll(filepath.Join(h.data, "client_id=acme")))
		if number > 0 {
			h.cycle(10+number, "2.00")
		}
		h.copy(".")
		r, err := h.log(key, nil)
		check.Must(t, err)
		if len(r.Added) != 0 || len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Error, want) || !strings.Contains(r.Failed[0].Err.Error(), "--new-history") {
			t.Errorf("after %d more publications: %+v", number, r)
		}
	}
	_, err = repair.NewHistory(t.Context(), publish.Options{ClientID: "acme", Product: "market_engine", Root: h.Mem, Now: func() time.Time { return dataroot.Began.Add(20 * time.Hour) }})
	check.Must(t, err)
	h.copy(".")
	for version := uint64(4); version < 6; version++ {
		if r, err = h.log(key, nil); err != nil || len(r.Failed) != 0 || len(r.Added) != 1 || r.Added[0].Version != version {
			t.Errorf("with a new history: %+v, %v", r, err)
		}
		h.cycle(20+int(version), "2.01")
	}
	a := h.audit(key, h.data)
	if len(a.Faults) != 1 || !strings.Contains(a.Faults[0].What, "leaf 0 has another hash of it") {
		t.Errorf("%+v", a)
	}
}
