package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/emulators"
	"mkt/internal/accounts"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/receipts/witness"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/needs"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// receipted is an account whose publications are logged and witnessed.
type receipted struct {
	*changing
	data   *durable.Disk                      // the data root
	roots  map[football.Product]*durable.Disk // of the account
	log    *transparency.Log
	policy *transparency.Policy
	text   string // of the policy
	random *rand.Rand
}

func newReceipted(t *testing.T) *receipted {
	t.Helper()
	r := &receipted{changing: newChanging(t), roots: map[football.Product]*durable.Disk{}, random: rand.New(rand.NewPCG(1, 2))}
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
func (r *receipted) logNow(p football.Product) {
	r.Helper()
	c, _, err := snapshot.Head(r.roots[p])
	r.must(err)
	r.now = r.now.Add(20 * time.Second)
	_, err = r.log.Append([]transparency.Record{{ClientID: "acme", Product: string(p), Version: c.Version, CommitSHA256: c.SHA256, PublishedAt: c.PublishedAt}})
	r.must(err)
	_, states, err := r.log.Cosign(r.Context(), commitlog.Post, r.policy, func() time.Time { return r.now })
	r.must(err)
	for _, s := range states {
		if s.Error != "" {
			r.Fatalf("witness %s: %s", s.Name, s.Error)
		}
	}
}

// publish publishes a cycle.
func (r *receipted) publish(p football.Product) snapshot.Commit {
	r.Helper()
	r.must(r.cycle(r.acme(), p, r.steps[0], r.steps[1], r.keeping))
	if r.roots[p] == nil {
		root, err := durable.OpenRoot(r.Dataset("acme", p).Dir())
		r.must(err)
		r.Cleanup(func() { root.Close() })
		r.roots[p] = root
	}
	c, _, err := snapshot.Head(r.roots[p])
	r.must(err)
	return c
}

func liveProviders() []string {
	return slices.DeleteFunc(emulators.Names(), func(name string) bool { of, _ := all.Lookup(name); return of.Live == nil })
}

// playLive publishes matches in play of every provider that has them. Some of the publications are logged.
func (r *receipted) playLive() (commits []snapshot.Commit) {
	r.Helper()
	for i, name := range liveProviders() {
		r.connect(r.simulated(name, uint64(20+i)))
		for k := range 9 {
			r.now = r.now.Add(2 * time.Minute)
			commits = append(commits, r.publish(football.LiveIntelligence))
			if k%4 == 0 {
				r.logNow(football.LiveIntelligence)
			}
		}
	}
	return commits
}

// play publishes markets of every provider and begins a new history in between. Some of the publications
// are logged.
func (r *receipted) play() (all []snapshot.Commit) {
	r.Helper()
	r.connect(r.first)
	_, err := accounts.Edit(r.Context(), r.Tenants, func(e *accounts.Editor) error {
		return e.Change("acme", func(t *accounts.Tenant) error { delete(t.Products, football.LiveIntelligence); return nil })
	}) // which not every provider has
	r.must(err)
	for i, name := range emulators.Names() {
		if i > 0 {
			r.connect(r.simulated(name, uint64(i)))
		}
		for k := range 3 {
			r.now = r.now.Add(time.Hour)
			all = append(all, r.publish(football.MarketEngine))
			if k != 1 {
				r.logNow(football.MarketEngine)
			}
		}
		if i == 1 {
			_, err := repair.NewHistory(r.Context(), publish.Options{ClientID: "acme", Product: football.MarketEngine, Root: r.roots[football.MarketEngine], RunID: "another-history", Now: func() time.Time { return r.now.Add(time.Minute) }})
			r.must(err)
			c, _, err := snapshot.Head(r.roots[football.MarketEngine])
			r.must(err)
			all = append(all, c)
			r.logNow(football.MarketEngine)
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
	root := r.roots[football.MarketEngine]
	var fixtures []string
	for row, err := range snapshot.Rows[table.FixtureRow](root, c.Dir()+"/"+layout.FixturesFile) {
		r.must(err)
		if row.MarketCount > 0 {
			fixtures = append(fixtures, row.FixtureID)
		}
	}
	m, err := snapshot.Open(root, c)
	r.must(err)
	id := fixtures[r.random.IntN(len(fixtures))]
	_, markets, _, err := snapshot.FixtureOf(root, c, m, id)
	r.must(err)
	market := markets[r.random.IntN(len(markets))]
	if len(market.Selections) == 0 {
		return r.any(c)
	}
	w := receipt.Wanted{Root: root, Data: r.data, ClientID: "acme", Product: football.MarketEngine, Commit: c, FixtureID: id, MarketID: market.MarketID,
		Selection: market.Selections[r.random.IntN(len(market.Selections))].SelectionID, Policy: r.policy}
	made, _, err := receipt.Make(w)
	r.must(err)
	return made
}

// anyMatch makes a receipt of a random match of a live publication.
func (r *receipted) anyMatch(c snapshot.Commit) *receipt.Receipt {
	r.Helper()
	w := receipt.Wanted{Root: r.roots[football.LiveIntelligence], Data: r.data, ClientID: "acme", Product: football.LiveIntelligence, Commit: c, Policy: r.policy}
	var ids []string
	for row, err := range snapshot.Rows[table.LiveRow](w.Root, c.Dir()+"/"+layout.LiveFile) {
		r.must(err)
		ids = append(ids, row.FixtureID)
	}
	w.FixtureID = ids[r.random.IntN(len(ids))]
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
	switch r.random.IntN(19) {
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
		x.Content = bytes.Clone(x.Content)
		x.Content[r.random.IntN(len(x.Content))] ^= 1 << r.random.IntN(8)
		x.Fixture = word(x.Fixture, durable.Hash(made.Content), durable.Hash(x.Content))
	case 12:
		x.Path = slices.Insert(x.Path, r.random.IntN(len(x.Path)+1), snapshot.Sibling{Hash: sha256.Sum256(other.Content)})
	case 13:
		if len(x.Path) > 0 {
			at := r.random.IntN(len(x.Path))
			x.Path[at].Left = !x.Path[at].Left
		}
	case 14:
		if len(x.Path) > 1 {
			x.Path[0], x.Path[1] = x.Path[1], x.Path[0]
		}
	case 15:
		x.Says = append([]string{word(made.Says[0], "1.", "2.")}, made.Says[1:]...)
	case 16:
		x.After = other.After
	case 17:
		if x.SelectionID, x.MarketID = other.SelectionID, other.MarketID; x.Live {
			x.FixtureID = other.FixtureID
		}
	case 18: // the other kind
		x.Live = !x.Live
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
// of all providers, of prices and of matches in play, and on receipts that were changed.
func TestReceipts(t *testing.T) {
	python := needs.Python(t)
	r := newReceipted(t)
	live := r.playLive()
	all := r.play()
	dir, n := t.TempDir(), 60
	if !testing.Short() {
		n = 10_000
	}
	var names bytes.Buffer
	want := map[string]bool{}
	held, providers, tampered, rows := 0, map[string]bool{}, 0, 0
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
		var made *receipt.Receipt
		if i%2 == 0 {
			made = r.any(all[r.random.IntN(len(all))])
		} else {
			made = r.anyMatch(live[r.random.IntN(len(live))])
		}
		if other == nil {
			other = r.any(all[0])
		}
		got, err := receipt.Check(made.Encode(), r.policy)
		if err != nil || !got.Enough {
			t.Fatalf("%s: %v", made.Says, err)
		}
		if got.Live == nil {
			providers["prices of "+got.Fixture.SourceProvider] = true
		} else {
			providers["matches of "+got.Live.Fixture.SourceProvider] = true
			rows += len(got.Live.Timeline) + len(got.Live.Buckets) + len(got.Live.Counters) + len(got.Live.Periods)
		}
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
	if want := len(emulators.Names()) + len(liveProviders()); len(providers) != want || rows < 10*n/2 {
		t.Errorf("receipts of %v, want %d; matches have %d rows", providers, want, rows)
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
	t.Logf("%d receipts of %d publications with prices and %d live ones: %v; %d changed ones, %d left as they were", n, len(all), len(live), slices.Sorted(maps.Keys(providers)), tampered, held)
}
