package commitlog_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/internal/cluster/store"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/check"
	"mkt/internal/testing/storetest"
	"mkt/publish/durable"
)

func testKey(t testing.TB) *transparency.Key {
	t.Helper()
	text, err := transparency.NewKey(rand.NewChaCha8([32]byte{1}), "example.com/prices")
	check.Must(t, err)
	key, err := transparency.ParseKey(text)
	check.Must(t, err)
	return key
}

// pushed publishes the prices of hours, and returns an object store with the publications.
func (h history) pushed(first int, prices ...string) *store.Store {
	h.t.Helper()
	s := store.New(storetest.NewMemory(), store.Options{Now: time.Now})
	for i, odds := range prices {
		h.cycle(first+i, odds)
	}
	h.push(s)
	return s
}

func (h history) push(s *store.Store) {
	h.t.Helper()
	_, err := s.Dataset("acme", "market_engine").Push(h.t.Context(), h.Mem, store.PushOptions{})
	check.Must(h.t, err)
}

// The log has the newest publications of an object store, of which its own machine has none. Each leaf names the one
// before it. What does not continue the last leaf is refused, and a history that began after it is not.
func TestPublicationsOfAStore(t *testing.T) {
	key, data := testKey(t), t.TempDir()
	var r commitlog.Result
	run := func(s *store.Store, versions ...uint64) {
		t.Helper()
		var err error
		r, err = commitlog.Run(t.Context(), commitlog.Options{Data: data, Key: key, Wait: check.Limit, Now: time.Now, Store: s})
		check.Must(t, err)
		var added []uint64
		for _, a := range r.Added {
			added = append(added, a.Version)
		}
		if !slices.Equal(added, versions) {
			t.Fatalf("the run added %v, want %v; %+v", added, versions, r.Failed)
		}
	}
	h := newHistory(t)
	s := h.pushed(1, "1.90", "1.91")
	copied := h.Mem.PowerCut(0, 1)
	run(s, 2)
	h.cycle(3, "1.92")
	h.cycle(4, "1.93")
	h.push(s)
	run(s, 4)
	run(s)
	if r.Datasets != 1 {
		t.Errorf("%d datasets", r.Datasets)
	}

	older, rewritten := newHistory(t), newHistory(t)
	older.Mem, rewritten.Mem = copied, copied.PowerCut(0, 1)
	for want, other := range map[string]*store.Store{
		"older copy":                older.pushed(0),
		"its history was rewritten": rewritten.pushed(3, "1.92", "1.94", "1.95"),
	} {
		run(other)
		if len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Error, want) {
			t.Errorf("%q: %+v", want, r.Failed)
		}
	}

	again := newHistory(t) // the account was deleted and added again
	run(again.pushed(10, "2.00"), 1)
	root, err := durable.OpenExisting(data)
	check.Must(t, err)
	defer root.Close()
	view, err := transparency.OpenView(root, key.VerifierKey())
	check.Must(t, err)
	head, err := view.Head()
	check.Must(t, err)
	previous := map[uint64]uint64{}
	audited, err := view.Audit(head.Checkpoint, nil, func(_ int64, r *transparency.Record) { previous[r.Version] = r.PreviousVersion })
	check.Must(t, errors.Join(append(audited.Faults, err)...))
	if want := map[uint64]uint64{2: 0, 4: 2, 1: 0}; !maps.Equal(previous, want) {
		t.Errorf("each leaf names the one before it: %v, want %v", previous, want)
	}
}

// A log that its copy in the object store is ahead of, or that is another one, gets no leaf, whoever has the key. The
// copy goes on.
func TestLogBehindItsCopy(t *testing.T) {
	key, data := testKey(t), t.TempDir()
	run := func(data string, s *store.Store) (commitlog.Result, error) {
		t.Helper()
		return commitlog.Run(t.Context(), commitlog.Options{Data: data, Key: key, Wait: check.Limit, Now: time.Now, Store: s})
	}
	h := newHistory(t)
	s := h.pushed(1, "1.90")
	_, err := run(data, s)
	check.Must(t, err)
	before := t.TempDir()
	check.Must(t, os.CopyFS(before, os.DirFS(data)))
	h.cycle(2, "1.91")
	h.push(s)
	if r, err := run(data, s); err != nil || r.Size != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	h.cycle(3, "1.92")
	h.push(s)
	other := t.TempDir()
	for _, odds := range []string{"2.00", "2.01"} { // of another store, which the key should not be used for
		o := newHistory(t)
		_, err = run(other, o.pushed(int(odds[3]-'0'), odds))
		check.Must(t, err)
	}
	for name, wrong := range map[string]struct {
		data string
		err  error
	}{"an older copy": {before, transparency.ErrAhead}, "no log": {t.TempDir(), transparency.ErrAhead}, "another log": {other, transparency.ErrFork}} {
		if r, err := run(wrong.data, s); !errors.Is(err, wrong.err) || len(r.Added) > 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if r, err := run(data, s); err != nil || r.Size != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}
