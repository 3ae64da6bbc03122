package receipt_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

// Both checkers agree on receipts in which one part was changed at random and all that follows was hashed and signed
// again, as only the operator of the log can, and on policies with random changes. The claim is left out of both: it would
// be wrong, and hide what else they accept.
func TestCheckersAgree(t *testing.T) {
	python, dir, n := needs.Python(t), t.TempDir(), 500
	if !testing.Short() {
		n = 20_000
	}
	source, err := os.ReadFile("../../../docs/check_receipt.py")
	check.Must(t, err)
	lenient := strings.Replace(string(source), `need(receipt["says"] == says,`, `need(True,`, 1)
	if lenient == string(source) {
		t.Fatal("the rule on says is not found")
	}
	check.Must(t, os.WriteFile(filepath.Join(dir, "check_receipt.py"), []byte(lenient), 0o600))
	w := newWorld(t, "both")
	policies := policiesOf(w)
	random := rand.New(rand.NewPCG(7, 11))
	var vectors []vector
	var want []string
	verdicts := map[string]int{}
	for i := range n {
		d := &draft{w: w, live: i%5 == 0}
		policy := policies[[]string{"both", "any", "none-known", "two-logs"}[random.IntN(4)]]
		text := func(s string) string { return changedText(random, s) }
		ended := func(s string) string { return strings.TrimSuffix(text(s), "\n") + "\n" } // else it cannot be signed
		lines := func(all []string) []string { return []string{text(strings.Join(all, ""))} }
		[]func(){
			func() { d.content = func(data []byte) []byte { return changedBytes(random, data) } },
			func() { d.content = func(data []byte) []byte { return changedBytes(random, data) } },
			func() { d.entry = text },
			func() { d.commit = text },
			func() { d.commit = text },
			func() { d.leaf = text },
			func() { d.checkpoint = ended },
			func() { d.older = ended },
			func() { d.signed = lines },
			func() { d.olderSigned = lines },
			func() { d.receipt = func(r *receipt.Receipt) { r.Proof = text(r.Proof) } },
			func() { policy = text(policy) },
		}[random.IntN(12)]()
		data := d.parts().Encode()
		verdict := "no"
		if p, err := transparency.ParsePolicy([]byte(policy)); err != nil {
			verdict = "policy"
		} else if r, err := receipt.Parse(data); err == nil {
			if _, err = r.Claim(p); err == nil {
				verdict = "ok"
			}
		}
		name := fmt.Sprint(i)
		check.Must(t, os.WriteFile(filepath.Join(dir, name+".receipt"), data, 0o600))
		check.Must(t, os.WriteFile(filepath.Join(dir, name+".policy"), []byte(policy), 0o600))
		vectors, want = append(vectors, vector{name: name, policy: name, data: data}), append(want, verdict)
		verdicts[verdict]++
	}
	got := checkedByPython(t, python, nil, dir, dir, vectors)
	for i, v := range vectors {
		if i >= len(got) || strings.Replace(got[i][0], "unwitnessed", "ok", 1) != want[i] {
			policy, _ := os.ReadFile(filepath.Join(dir, v.policy+".policy"))
			t.Fatalf("in Go %s, in Python %q:\n%s\n%s", want[i], got[i:min(i+1, len(got))], v.data, policy)
		}
	}
	if len(verdicts) != 3 || verdicts["ok"] < n/20 {
		t.Errorf("%v: too few of one kind", verdicts)
	}
	t.Log(verdicts)
}

// changedText changes one or two characters or lines.
func changedText(random *rand.Rand, s string) string {
	words := strings.Split(`  0 1 A f + — \ " é [ ] { } , : null 1e999 - .5 true NaN ９ = / _`, " ")
	words = append(words, "\t", "\n", "\r", "\x00", "\x1f", "\x7f", "\u0085", "\u00a0", "\u2028", "\u202e", "\u200b", "\ufeff")
	for range 1 + random.IntN(2) {
		all, word := []rune(s), words[random.IntN(len(words))]
		if len(all) == 0 {
			return s
		}
		lines, at := strings.SplitAfter(s, "\n"), random.IntN(len(all))
		i, k := random.IntN(len(lines)), random.IntN(len(lines))
		switch random.IntN(7) {
		case 0:
			s = string(all[:at]) + word + string(all[at+1:])
		case 1:
			s = string(all[:at]) + word + string(all[at:])
		case 2:
			s = string(all[:at]) + string(all[at+1:])
		case 3:
			s = string(all[:at+1]) + string(all[at:])
		case 4:
			s = strings.Join(slices.Insert(lines, k, lines[i]), "")
		case 5:
			s = strings.Join(slices.Delete(lines, i, i+1), "")
		case 6:
			lines[i], lines[k] = lines[k], lines[i]
			s = strings.Join(lines, "")
		}
	}
	return s
}

// changedBytes changes one or two bytes of rows.
func changedBytes(random *rand.Rand, data []byte) []byte {
	for range 1 + random.IntN(2) {
		at := random.IntN(len(data))
		switch other := data[random.IntN(len(data))]; random.IntN(4) {
		case 0:
			data[at] ^= 1 << random.IntN(8)
		case 1:
			data = slices.Delete(data, at, at+1)
		case 2:
			data = slices.Insert(data, at, other)
		case 3:
			data[at] = other
		}
	}
	return data
}
