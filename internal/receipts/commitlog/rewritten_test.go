package commitlog_test

import (
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/internal/receipts/witness"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
)

// history is a data root on the disk, to which publications are copied from one in memory.
type history struct {
	*dataroot.Root
	t    testing.TB
	data string
}

func newHistory(t testing.TB) history {
	return history{dataroot.New(t, football.MarketEngine), t, t.TempDir()}
}

// cycle publishes a price an hour after the one before.
func (h history) cycle(number int, odds string) {
	h.t.Helper()
	offer := strings.Replace(dataroot.Offered, `"1.90"`, `"`+odds+`"`, 1)
	if offer == dataroot.Offered && odds != "1.90" {
		h.t.Fatal("the offer does not have the price")
	}
	h.Cycle(time.Duration(number)*time.Hour, nil, dataroot.Listing(dataroot.Listed("9001", "Fulham", "Arsenal")), dataroot.Offer("9001", offer))
	h.copy(".")
}

func (h history) copy(dir string) {
	h.t.Helper()
	entries, err := h.Mem.ReadDir(dir)
	check.Must(h.t, err)
	check.Must(h.t, os.MkdirAll(filepath.Join(h.data, "client_id=acme", "product=market_engine", dir), 0o755))
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		to := filepath.Join(h.data, "client_id=acme", "product=market_engine", name)
		if e.IsDir() {
			h.copy(name)
			continue
		}
		data, err := durable.ReadFile(h.Mem, name, 1<<24)
		check.Must(h.t, err)
		check.Must(h.t, os.WriteFile(to, data, 0o600))
	}
}

func (h history) log(key *transparency.Key, p *transparency.Policy) (commitlog.Result, error) {
	h.t.Helper()
	now := func() time.Time { return dataroot.Began.Add(24 * time.Hour) }
	return commitlog.Run(h.t.Context(), commitlog.Options{Data: h.data, Key: key, Policy: p, Wait: check.Limit, Now: now, Post: commitlog.Post})
}

func (h history) head(key *transparency.Key) (*transparency.View, transparency.Signed) {
	h.t.Helper()
	root, err := durable.OpenExisting(h.data)
	check.Must(h.t, err)
	h.t.Cleanup(func() { root.Close() })
	view, err := transparency.OpenView(root, key.VerifierKey())
	check.Must(h.t, err)
	head, err := view.Head()
	check.Must(h.t, err)
	return view, head
}

// audit audits the log of one history against the publications of another, which may be the same.
func (h history) audit(key *transparency.Key, data string, older ...transparency.Checkpoint) commitlog.Audit {
	h.t.Helper()
	view, head := h.head(key)
	a, err := commitlog.AuditLog(view, head, commitlog.AuditOptions{Older: older, Data: data})
	check.Must(h.t, err)
	return a
}

// The operator rewrites a price of last week, with every hash, every commit and the log, and has all
// keys. Without anything from outside the result is perfect. An older checkpoint finds it, a witness
// refuses it, and the log as it was names the publications.
func TestRewrittenPrice(t *testing.T) {
	text, err := transparency.NewKey(rand.NewChaCha8([32]byte{1}), "example.com/prices")
	check.Must(t, err)
	key, err := transparency.ParseKey(text)
	check.Must(t, err)
	policy := witnessed(t, key)

	real, forged := newHistory(t), newHistory(t)
	real.cycle(0, "1.90")
	forged.Mem = real.Mem.PowerCut(0, 1) // a copy: all of it is durable
	forged.copy(".")
	result, err := real.log(key, policy)
	if err != nil || len(result.Added) != 1 || !result.Witnessed {
		t.Fatalf("%+v, %v", result, err)
	}
	real.cycle(1, "1.85")
	result, err = real.log(key, policy)
	if err != nil || result.Size != 2 || !result.Witnessed {
		t.Fatalf("%+v, %v", result, err)
	}
	_, old := real.head(key)
	real.cycle(2, "1.80")
	if result, err = real.log(key, policy); err != nil || result.Size != 3 {
		t.Fatalf("%+v, %v", result, err)
	}
	if a := real.audit(key, real.data, old.Checkpoint); len(a.Faults) > 0 || a.Entries != 3 || a.Leaves != 3 || a.Commits != 3 || len(a.NotChecked) > 0 {
		t.Fatalf("the true history: %+v", a)
	}

	_, err = forged.log(key, nil)
	check.Must(t, err)
	for i, odds := range []string{"1.58", "1.80"} { // 1.85 was published
		forged.cycle(1+i, odds)
		_, err = forged.log(key, nil)
		check.Must(t, err)
	}
	if a := forged.audit(key, forged.data); len(a.Faults) > 0 || a.Commits != 3 || !slices.ContainsFunc(a.NotChecked, func(s string) bool { return strings.Contains(s, "--from") }) {
		t.Errorf("without an older checkpoint: %+v", a)
	}
	if a := forged.audit(key, forged.data, old.Checkpoint); len(a.Faults) != 1 || !strings.Contains(a.Faults[0].What, "first 2 entries are not those of a checkpoint that the log has signed: its history was rewritten") {
		t.Errorf("with an older checkpoint: %+v", a.Faults)
	}
	a := real.audit(key, forged.data)
	var versions []uint64
	for _, f := range a.Faults {
		if f.ClientID != "acme" || f.Product != "market_engine" || !strings.Contains(f.What, "its history was rewritten") {
			t.Errorf("%+v", f)
		}
		versions = append(versions, f.Version)
	}
	if !slices.Equal(versions, []uint64{3, 2}) || a.Commits != 1 {
		t.Errorf("the log as it was names the versions %v, and %d are as they were", versions, a.Commits)
	}
	if _, err := forged.log(key, policy); err == nil || !strings.Contains(err.Error(), transparency.ErrFork.Error()) {
		t.Errorf("the witness: %v", err)
	}
}

// witnessed returns a policy of one witness, which runs until the test ends.
func witnessed(t *testing.T, key *transparency.Key) *transparency.Policy {
	t.Helper()
	private, _, err := note.GenerateKey(rand.NewChaCha8([32]byte{2}), "witness.example")
	check.Must(t, err)
	w, err := witness.New(witness.Options{Root: durabletest.NewMem(), Key: private, Logs: []string{key.VerifierKey()}, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	check.Must(t, err)
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	p, err := transparency.ParsePolicy([]byte("log " + key.VerifierKey() + "\nwitness a " + w.VerifierKey() + " " + server.URL + "\nquorum a\n"))
	check.Must(t, err)
	return p
}
