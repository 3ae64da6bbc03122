package transparency_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/durabletest"
)

// keysFor returns the verifier key of a log and of three witnesses, with their cosigners.
func keysFor(t testing.TB) (log *transparency.Key, witnesses []*transparency.Cosigner) {
	t.Helper()
	for i := range uint64(3) {
		key, _, err := note.GenerateKey(seeded(50+i), fmt.Sprintf("witness.example/w%d", i))
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 11, 28, 12, int(i), 0, 0, time.UTC)
		c, err := transparency.NewCosigner(key, func() time.Time { return at })
		if err != nil {
			t.Fatal(err)
		}
		witnesses = append(witnesses, c)
	}
	return newKey(t, 1), witnesses
}

// A policy accepts a checkpoint by the quorum, whichever witnesses make it up.
func TestQuorum(t *testing.T) {
	log, w := keysFor(t)
	l := open(t, durabletest.NewMem(), log)
	head, err := l.Append(recordsFrom(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	known := fmt.Sprintf("# three\nlog %s\n\n witness\tw0 %s\nwitness w1 %s https://w1.example/\nwitness w2 %s\n",
		log.VerifierKey(), w[0].VerifierKey(), w[1].VerifierKey(), w[2].VerifierKey())
	for _, c := range []struct {
		rules string
		by    []int
		want  bool
	}{
		{"quorum none", nil, true},
		{"quorum w1", nil, false},
		{"quorum w1", []int{0, 2}, false},
		{"quorum w1", []int{1}, true},
		{"group g any w0 w1\nquorum g", []int{2}, false},
		{"group g any w0 w1\nquorum g", []int{1}, true},
		{"group g 2 w0 w1 w2\nquorum g", []int{2}, false},
		{"group g 2 w0 w1 w2\nquorum g", []int{2, 0}, true},
		{"group a any w0 w1\ngroup g all a w2\nquorum g", []int{0, 1}, false},
		{"group a any w0 w1\ngroup g all a w2\nquorum g", []int{1, 2}, true},
	} {
		t.Run(fmt.Sprintf("%s by %v", c.rules, c.by), func(t *testing.T) {
			p, err := transparency.ParsePolicy([]byte(known + c.rules + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			text := head.Note
			for _, i := range c.by {
				signed, err := note.Sign(&note.Note{Text: head.Checkpoint.String()}, w[i])
				if err != nil {
					t.Fatal(err)
				}
				text = append(text[:len(text):len(text)], signed[len(head.Checkpoint.String())+1:]...)
			}
			opened, by, enough, err := p.Check(text)
			if err != nil || enough != c.want || len(by) != len(c.by) || opened.Checkpoint != head.Checkpoint {
				t.Errorf("enough: %v, by %v, %v", enough, by, err)
			}
			for i := 1; i < len(by); i++ {
				if by[i].At.Before(by[i-1].At) {
					t.Errorf("not the oldest first: %v", by)
				}
			}
		})
	}
}

// A witness alone, another log, or a signature with a changed bit is no checkpoint.
func TestPolicyRefusesCheckpoints(t *testing.T) {
	log, w := keysFor(t)
	l := open(t, durabletest.NewMem(), log)
	head, err := l.Append(recordsFrom(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	p, err := transparency.ParsePolicy(fmt.Appendf(nil, "log %s\nwitness w0 %s\nquorum none\n", log.VerifierKey(), w[0].VerifierKey()))
	if err != nil {
		t.Fatal(err)
	}
	alone, err := note.Sign(&note.Note{Text: head.Checkpoint.String()}, w[0])
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := open(t, durabletest.NewMem(), newKey(t, 9)).Append(recordsFrom(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string][]byte{"a witness alone": alone, "another key": foreign.Note, "nothing": nil} {
		if _, _, _, err := p.Check(text); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	both := append(append([]byte(nil), head.Note...), alone[len(head.Checkpoint.String())+1:]...)
	if _, by, _, err := p.Check(both); err != nil || len(by) != 1 {
		t.Fatalf("%v, %v", by, err)
	}
	for bit := range 8 * len(both) {
		flipped := append([]byte(nil), both...)
		flipped[bit/8] ^= 1 << (bit % 8)
		c, by, _, err := p.Check(flipped)
		if err == nil && (c.Checkpoint != head.Checkpoint || len(by) > 1) {
			t.Fatalf("bit %d of byte %q: %+v by %v", bit%8, both[bit/8], c.Checkpoint, by)
		}
	}
}

// Bad policies are refused with their line.
func TestPolicyRefusesText(t *testing.T) {
	log, w := keysFor(t)
	lines := map[string]string{
		"no quorum":                  "log " + log.VerifierKey(),
		"two quorums":                "quorum none\nquorum none",
		"unknown quorum":             "quorum w9",
		"an unknown word":            "logs x\nquorum none",
		"a cosigner as log":          "log " + w[0].VerifierKey() + "\nquorum none",
		"a log as witness":           "witness w0 " + log.VerifierKey() + "\nquorum none",
		"a name twice":               "witness w0 " + w[0].VerifierKey() + "\nwitness w0 " + w[1].VerifierKey() + "\nquorum none",
		"a key twice":                "witness w0 " + w[0].VerifierKey() + "\nwitness w1 " + w[0].VerifierKey() + "\nquorum none",
		"a witness named none":       "witness none " + w[0].VerifierKey() + "\nquorum none",
		"a member that comes later":  "group g any w0\nwitness w0 " + w[0].VerifierKey() + "\nquorum g",
		"a member of two groups":     "witness w0 " + w[0].VerifierKey() + "\ngroup a any w0\ngroup b any w0\nquorum a",
		"a threshold that is higher": "witness w0 " + w[0].VerifierKey() + "\ngroup a 2 w0\nquorum a",
		"a threshold of zero":        "witness w0 " + w[0].VerifierKey() + "\ngroup a 0 w0\nquorum a",
		"a control character":        "quorum none\r",
		"a key with another id":      "witness w0 witness.example/w0+00000000+" + strings.SplitN(w[0].VerifierKey(), "+", 3)[2] + "\nquorum none",
	}
	for what, text := range lines {
		if _, err := transparency.ParsePolicy([]byte(text + "\n")); err == nil || !strings.HasPrefix(err.Error(), "policy") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func FuzzPolicy(f *testing.F) {
	log, w := keysFor(f)
	f.Add(fmt.Appendf(nil, "log %s\nwitness w0 %s\ngroup g any w0\nquorum g\n", log.VerifierKey(), w[0].VerifierKey()))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := transparency.ParsePolicy(text); err == nil {
			_, _, _, _ = p.Check(text)
		}
	})
}
