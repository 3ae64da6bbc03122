package receipt_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/publish/snapshot"
)

// Publication 2 was logged, then written again with another price, and logged together with publications 3 and 4. Witnesses
// have cosigned both leaves, but neither checker accepts a receipt of the second publication 2 or of the 3 that follows it:
// the leaf names the commit of the leaf before.
func TestHistoryThatWasRewritten(t *testing.T) {
	python := needs.Python(t)
	w := newWorld(t, "both")
	w.publish(2)
	restored := w.data.PowerCut(0, 1) // a copy: all of it is durable
	real := w.publish(2)
	w.logNow()
	genuine := w.make(w.wanted(real, 2, mkA, slPrice))
	logged := w.data

	w.data, w.cycles = restored, 5
	rewritten := []snapshot.Commit{w.publish(2), w.publish(2), w.publish(2)}
	w.logNow()
	head, err := w.log.Head()
	check.Must(t, err)
	_, record, _, err := w.log.Find("acme", "market_engine", 4, head)
	check.Must(t, err)
	if record.PreviousVersion != 2 || record.PreviousSHA256 != real.SHA256 {
		t.Fatalf("the second leaf names publication %d before it", record.PreviousVersion)
	}

	of := w.wanted(rewritten[2], 2, mkA, slPrice)
	of.Data = logged
	last, _, err := receipt.Make(of)
	check.Must(t, err)
	other := newWorld(t, "none") // its log has the rewritten history alone
	other.data = restored
	other.log, err = transparency.Open(restored, other.key)
	check.Must(t, err)
	other.logNow()
	dir := t.TempDir()
	policy, file := filepath.Join(dir, "policy"), filepath.Join(dir, "receipt")
	check.Must(t, os.WriteFile(policy, []byte(w.text), 0o600))
	verdict := func(data []byte) string {
		check.Must(t, os.WriteFile(file, data, 0o600))
		out, err := exec.CommandContext(t.Context(), python, "../../../docs/check_receipt.py", "--batch", policy, file).Output()
		if err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Fatal(err)
		}
		return string(out)
	}
	for i, want := range []string{"covers", "follow", ""} {
		r, _, err := receipt.Make(other.wanted(rewritten[i], 2, mkA, slPrice))
		check.Must(t, err)
		r.Leaf, r.After, r.Proof = last.Leaf, last.After, last.Proof
		published, _, _ := strings.Cut(r.Says[3], " of dataset ")
		_, of, _ := strings.Cut(last.Says[3], " of dataset ")
		r.Says[3], r.Says[4] = published+" of dataset "+of, last.Says[4]
		_, err = receipt.Check(r.Encode(), w.policy)
		got := verdict(r.Encode())
		if want == "" && (err != nil || !strings.HasPrefix(got, "ok ")) {
			t.Errorf("publication 4: %v; %s", err, got)
		}
		if want != "" && (!errors.Is(err, receipt.ErrInvalid) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(got, "no ") || !strings.Contains(got, want)) {
			t.Errorf("rewritten publication %d: %v; %s", 2+i, err, got)
		}
	}
	if got := verdict(genuine); !strings.HasPrefix(got, "ok ") {
		t.Errorf("the genuine receipt: %s", got)
	}
}
