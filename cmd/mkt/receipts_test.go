package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/commitlog"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/provider/emulators"
	"mkt/internal/needs"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/durable/durabletest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/receipt"
	"mkt/publish/repair"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/transparency"
	"mkt/publish/transparency/witness"
)

// receipted is an account whose publications are logged and witnessed.
type receipted struct {
	*changing
	data, root *durable.Disk // the data root, and the account's markets
	log        *transparency.Log
	policy     *transparency.Policy
	text       string // of the policy
	random     *rand.Rand
}

func newReceipted(t *testing.T) *receipted {
	t.Helper()
	r := &receipted{changing: newChanging(t), random: rand.New(rand.NewPCG(1, 2))}
	var err error
	r.data, err = durable.OpenRoot(r.Data)
	r.must(err)
	t.Cleanup(func() { r.data.Close() })
	bytes := rand.NewChaCha8([32]byte{7})
	private, err := transparency.NewKey(bytes, "example.com/prices")
	r.must(err)
	key, err := transparency.ParseKey(private)
	r.must(err)
	r.text = "log " + key.VerifierKey() + "\n"
	for _, name := range []string{"one", "two"} {
		private, _, err := note.GenerateKey(bytes, name+".example/w")
		r.must(err)
		w, err := witness.New(witness.Options{Root: durabletest.NewMem(), Key: private, Logs: []string{key.VerifierKey()}, Now: func() time.Time { return r.now }, Log: slog.New(slog.DiscardHandler)})
		r.must(err)
		server := httptest.NewServer(w)
		t.Cleanup(server.Close)
		r.text += "witness " + name + " " + w.VerifierKey() + " " + server.URL + "\n"
	}
	r.text += "group any any one two\nquorum any\n"
	r.policy, err = transparency.ParsePolicy([]byte(r.text))
	r.must(err)
	r.log, err = transparency.Open(r.data, key)
	r.must(err)
	t.Cleanup(func() { r.log.Close() })
	return r
}

// logNow logs the newest publication, and asks the witnesses.
func (r *receipted) logNow() {
	r.Helper()
	c, _, err := snapshot.Head(r.root)
	r.must(err)
	r.now = r.now.Add(20 * time.Second)
	_, err = r.log.Append([]transparency.Record{{ClientID: "acme", Product: string(football.MarketEngine), Version: c.Version, CommitSHA256: c.SHA256, PublishedAt: c.PublishedAt}})
	r.must(err)
	_, states, err := r.log.Cosign(r.Context(), commitlog.Post, r.policy, func() time.Time { return r.now })
	r.must(err)
	for _, s := range states {
		if s.Error != "" {
			r.Fatalf("witness %s: %s", s.Name, s.Error)
		}
	}
}

// play publishes markets of every provider, some publications of which are logged, and begins a new history
// in between.
func (r *receipted) play() (all []snapshot.Commit) {
	r.Helper()
	_, err := tenants.Edit(r.Context(), r.Tenants, func(e *tenants.Editor) error { return e.UnsetProduct("acme", football.LiveIntelligence) }) // which not every provider has
	r.must(err)
	for i, name := range emulators.Names() {
		if i > 0 {
			r.connect(r.simulated(name, uint64(i)))
		}
		for k := range 3 {
			r.now = r.now.Add(time.Hour)
			r.must(r.cycle(r.acme(), football.MarketEngine, r.steps[0], r.steps[1], r.keeping))
			if r.root == nil {
				var err error
				r.root, err = durable.OpenRoot(r.Dataset("acme", football.MarketEngine).Dir())
				r.must(err)
				r.Cleanup(func() { r.root.Close() })
			}
			c, _, err := snapshot.Head(r.root)
			r.must(err)
			all = append(all, c)
			if k != 1 {
				r.logNow()
			}
		}
		if i == 1 {
			_, err := repair.NewHistory(r.Context(), publish.Options{ClientID: "acme", Product: football.MarketEngine, Root: r.root, RunID: "another-history", Now: func() time.Time { return r.now.Add(time.Minute) }})
			r.must(err)
			c, _, err := snapshot.Head(r.root)
			r.must(err)
			all = append(all, c)
			r.logNow()
		}
	}
	return all
}

// keeping is the stage publish without retention.
func (r *receipted) keeping(ctx context.Context, t batch.Task) (batch.Report, error) {
	s, err := publish.Run(ctx, publish.Options{ClientID: t.Tenant.ID, Product: t.Product, Cycle: t.Cycle, Root: t.Root, Now: r.Now, Version: version})
	return batch.NewReport("publish", s.Cycle, 0), err
}

// any makes a receipt of a random price of a publication.
func (r *receipted) any(c snapshot.Commit) *receipt.Receipt {
	r.Helper()
	var fixtures []string
	for row, err := range snapshot.Rows[table.FixtureRow](r.root, c.Dir()+"/"+layout.FixturesFile) {
		r.must(err)
		if row.MarketCount > 0 {
			fixtures = append(fixtures, row.FixtureID)
		}
	}
	m, err := snapshot.Open(r.root, c)
	r.must(err)
	id := fixtures[r.random.IntN(len(fixtures))]
	_, markets, _, err := snapshot.FixtureOf(r.root, c, m, id)
	r.must(err)
	market := markets[r.random.IntN(len(markets))]
	if len(market.Selections) == 0 {
		return r.any(c)
	}
	w := receipt.Wanted{Root: r.root, Data: r.data, ClientID: "acme", Product: football.MarketEngine, Commit: c, FixtureID: id, MarketID: market.MarketID,
		Selection: market.Selections[r.random.IntN(len(market.Selections))].SelectionID, Policy: r.policy}
	made, _, err := receipt.Make(w)
	r.must(err)
	return made
}

// tamper changes a receipt in a random way. It may leave it as it is.
func (r *receipted) tamper(made, other *receipt.Receipt) []byte {
	x := *made
	x.Commits = append([]string(nil), made.Commits...)
	x.Path = slices.Clone(made.Path)
	word := func(text, from, to string) string { return strings.Replace(text, from, to, 1) }
	digit := func(text string) string { // another digit in place of one
		at := r.random.IntN(len(text))
		for ; text[at] < '0' || text[at] > '9'; at = (at + 1) % len(text) {
		}
		return text[:at] + fmt.Sprint((int(text[at]-'0')+1)%10) + text[at+1:]
	}
	switch r.random.IntN(18) {
	case 0:
		x.Commits[0] = digit(x.Commits[0])
	case 1:
		x.Commits = append(x.Commits, x.Commits[0])
	case 2:
		x.Commits = x.Commits[1:]
	case 3:
		x.Leaf = digit(x.Leaf)
	case 4:
		x.Proof = digit(x.Proof)
	case 5: // a cosignature of another checkpoint
		lines, others := strings.SplitAfter(x.Proof, "\n"), strings.SplitAfter(other.Proof, "\n")
		lines[len(lines)-2] = others[len(others)-2]
		x.Proof = strings.Join(lines, "")
	case 6: // a cosignature less: the words name it
		lines := strings.SplitAfter(x.Proof, "\n")
		x.Proof = strings.Join(lines[:len(lines)-2], "")
	case 7:
		x.Proof = other.Proof
	case 8:
		x.Fixture = other.Fixture
	case 9:
		x.Fixture, x.Content, x.FixtureID, x.MarketID, x.SelectionID = other.Fixture, other.Content, other.FixtureID, other.MarketID, other.SelectionID
	case 10:
		x.Content = append(bytes.Clone(x.Content), 0)
	case 11:
		x.Content = bytes.Replace(x.Content, []byte("1."), []byte("2."), 1)
		x.Fixture = word(x.Fixture, durable.Hash(made.Content), durable.Hash(x.Content))
	case 12:
		x.Path = slices.Insert(x.Path, r.random.IntN(len(x.Path)), other.Path[0])
	case 13:
		at := r.random.IntN(len(x.Path))
		x.Path[at].Left = !x.Path[at].Left
	case 14:
		if len(x.Path) > 1 {
			x.Path[0], x.Path[1] = x.Path[1], x.Path[0]
		}
	case 15:
		x.Says = word(x.Says, "1.", "2.")
	case 16:
		x.After = other.After
	case 17:
		x.SelectionID, x.MarketID = other.SelectionID, other.MarketID
	}
	data := x.Encode()
	switch r.random.IntN(4) {
	case 0:
		data[r.random.IntN(len(data))] ^= 1 << r.random.IntN(8)
	case 1: // the same in another spelling
		var all map[string]any
		if json.Unmarshal(data, &all) == nil && r.random.IntN(8) == 0 {
			data, _ = json.Marshal(all)
		}
	}
	return data
}

// The checker in Python, which was written from the format's page, and this program agree on receipts
// of all providers, and on what was made of them by tampering.
func TestReceipts(t *testing.T) {
	python := needs.Python(t, "cryptography")
	r := newReceipted(t)
	all := r.play()
	dir, n := t.TempDir(), 60
	if !testing.Short() {
		n = 10_000
	}
	var names bytes.Buffer
	want := map[string]bool{}
	held, providers, tampered := 0, map[string]bool{}, 0
	add := func(name string, data []byte) {
		file := filepath.Join(dir, name)
		r.must(os.WriteFile(file, data, 0o600))
		fmt.Fprintln(&names, file)
		_, err := receipt.Check(data, r.policy)
		if err != nil && !errors.Is(err, receipt.ErrInvalid) {
			t.Fatal(err)
		}
		want[file] = err == nil
	}
	var other *receipt.Receipt
	for i := range n {
		made := r.any(all[r.random.IntN(len(all))])
		if other == nil {
			other = r.any(all[0])
		}
		got, err := receipt.Check(made.Encode(), r.policy)
		if err != nil || !got.Enough {
			t.Fatalf("%s: %v", made.Says, err)
		}
		providers[got.Fixture.SourceProvider] = true
		add(fmt.Sprintf("%05d", i), made.Encode())
		data := r.tamper(made, other)
		add(fmt.Sprintf("%05d-changed", i), data)
		if bytes.Equal(data, made.Encode()) {
			held++
		} else if tampered++; want[filepath.Join(dir, fmt.Sprintf("%05d-changed", i))] {
			t.Errorf("%05d holds, although it was changed", i)
		}
		other = made
	}
	if len(providers) != len(emulators.Names()) {
		t.Errorf("receipts of %v", providers)
	}
	policy := filepath.Join(dir, "policy.txt")
	r.must(os.WriteFile(policy, []byte(r.text), 0o600))
	cmd := exec.CommandContext(t.Context(), python, "../../docs/check_receipt.py", "--batch", policy, "-")
	cmd.Stdin, cmd.Stderr = &names, os.Stderr
	out, err := cmd.Output()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(out)) {
		lines++
		words := strings.Fields(strings.ReplaceAll(line, ":", " "))
		if len(words) < 2 || want[words[1]] != (words[0] == "ok") {
			t.Errorf("in Go it holds: %v; in Python: %s", want[words[1]], line)
		}
	}
	if lines != len(want) {
		t.Errorf("%d verdicts on %d files", lines, len(want))
	}
	t.Logf("%d receipts of %d publications of %d providers, %d changed ones, %d left as they were", n, len(all), len(providers), tampered, held)
}
