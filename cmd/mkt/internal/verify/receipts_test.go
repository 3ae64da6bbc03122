package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/receipt"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/transparency"
)

// afterTampering says why no receipt is ever refused after a tampering: it touches nothing that receipts are made of. After
// a tampering for which it has "", those are refused that rest on the tampered bytes.
var afterTampering = map[string]struct{ markets, ticks string }{
	"flip a bit":                          {},
	"cut short":                           {},
	"zero a part":                         {},
	"append":                              {},
	"delete a file":                       {},
	"delete a folder":                     {ticks: inCanonical},
	"add a file":                          {inManifest, inManifest},
	"add a cycle":                         {inCommits, inCommits},
	"rename a file":                       {},
	"rename a cycle":                      {ticks: inCanonical},
	"swap two files":                      {},
	"edit JSON, hash of it made right":    {},
	"edit a row, manifest made right":     {},
	"edit an answer, headers made right":  {rowsAlone, rowsAlone},
	"drop a segment, manifest made right": {ticks: noSegments}, // the manifest of the newest publication
	"double a segment":                    {rowsAlone, noSegments},
	"link commits anew":                   {},
	"raise a floor":                       {ticks: inCanonical},
}

const (
	inCanonical = "the canonical cycle has the rows of a deleted live snapshot"
	inManifest  = "a receipt is made of files that the manifest names"
	inCommits   = "a receipt is made of a cycle that a commit names"
	rowsAlone   = "a receipt has rows, and no segment of the change log; only with --payload an answer, which is found by its hash"
	noSegments  = "live publications have no change log"
)

// provable is a root whose newest publication is logged, with a receipt of every kept publication.
type provable struct {
	testRoot
	policy   *transparency.Policy
	text     string // of the policy
	head     uint64 // the logged version
	receipts map[uint64][]byte
}

func newProvable(t *testing.T, of func() (testRoot, error)) *provable {
	t.Helper()
	p := &provable{testRoot: built(t, of), receipts: map[uint64][]byte{}}
	private, err := transparency.NewKey(rand.NewChaCha8([32]byte{5}), "example.com/prices")
	check.Must(t, err)
	key, err := transparency.ParseKey(private)
	check.Must(t, err)
	p.text = "log " + key.VerifierKey() + "\nquorum none\n"
	p.policy, err = transparency.ParsePolicy([]byte(p.text))
	check.Must(t, err)
	log, err := transparency.Open(p.data, key)
	check.Must(t, err)
	defer log.Close()
	head, _, err := snapshot.Head(p.root)
	check.Must(t, err)
	p.head = head.Version
	_, err = log.Append([]transparency.Record{{ClientID: "acme", Product: string(p.product), Version: head.Version, CommitSHA256: head.SHA256, PublishedAt: head.PublishedAt}})
	check.Must(t, err)
	for c, err := range snapshot.Backward(p.root, head) {
		check.Must(t, err)
		if kept, err := snapshot.IsKept(p.root, c); err == nil && kept {
			made, err := p.prove(p.root, c.Version)
			check.Must(t, err)
			p.receipts[c.Version] = made
		}
	}
	return p
}

// wanted is a price or a match of a publication, the same one each time.
func (p *provable) wanted(root durable.ReadFS, c snapshot.Commit) (w receipt.Wanted, err error) {
	w = receipt.Wanted{Root: root, Data: p.data, ClientID: "acme", Product: p.product, Commit: c, Policy: p.policy}
	if old := p.receipts[c.Version]; old != nil {
		r, err := receipt.Parse(old)
		if err == nil {
			w.FixtureID, w.MarketID, w.Selection = r.FixtureID, r.MarketID, r.SelectionID
		}
		return w, err
	}
	if p.product == football.LiveIntelligence {
		for rows, err := range snapshot.LiveRows(root, c.Dir()) {
			if err != nil {
				return w, err
			}
			if w.FixtureID == "" || len(rows.Timeline) > 3 {
				w.FixtureID = rows.Fixture.FixtureID
			}
		}
		return w, nil
	}
	for row, err := range snapshot.Rows[table.MarketRow](root, c.Dir()+"/"+layout.MarketsFile) {
		if err != nil {
			return w, err
		}
		if len(row.Selections) > 0 {
			w.FixtureID, w.MarketID, w.Selection = row.FixtureID, row.MarketID, row.Selections[0].SelectionID
		}
	}
	return w, nil
}

// prove makes a receipt of a publication as mkt prove does.
func (p *provable) prove(root durable.ReadFS, version uint64) ([]byte, error) {
	c, err := snapshot.Find(root, snapshot.Numbered(version))
	if err != nil {
		return nil, err
	}
	w, err := p.wanted(root, c)
	if err != nil {
		return nil, err
	}
	r, _, err := receipt.Make(w)
	if err != nil {
		return nil, err
	}
	return r.Encode(), nil
}

// restsOn has the hashes of all that a receipt of a publication is made of: commit records from its own to the logged
// one, and its folder.
func (p *provable) restsOn(root durable.ReadFS, version uint64) map[string]string {
	all := map[string]string{}
	c, err := snapshot.ReadCommit(p.root, version)
	if err != nil {
		return nil
	}
	for v := version; v <= p.head; v++ {
		_, data, err := snapshot.ReadRecord(root, v)
		all[layout.Commit(v)] = fmt.Sprint(durable.Hash(data), err)
	}
	for _, name := range []string{layout.ManifestFile, layout.FixturesFile, layout.MarketsFile, layout.LiveFile, layout.LiveCountersFile, layout.LiveTimelineFile, layout.LiveBucketsFile, layout.LivePeriodsFile} {
		_, sum, err := durable.HashFile(root, c.Dir()+"/"+name)
		all[name] = fmt.Sprint(sum, err)
	}
	return all
}

// forged is a receipt as somebody makes it who may write everything but the log, and does not check what he makes:
// each part is that of the root, if it can be read, else that of the receipt before.
func (p *provable) forged(root durable.ReadFS, version uint64, before []byte) []byte {
	r, err := receipt.Parse(before)
	if err != nil {
		return nil
	}
	for i := range r.Commits {
		if data, err := durable.ReadFile(root, layout.Commit(version+uint64(i)), 1<<20); err == nil {
			r.Commits[i] = string(data)
		}
	}
	c, err := snapshot.ReadCommit(p.root, version)
	if err != nil {
		return nil
	}
	var entries []snapshot.FixtureEntry
	at := -1
	if p.product == football.LiveIntelligence {
		for rows, err := range snapshot.LiveRows(root, c.Dir()) {
			if err != nil {
				break
			}
			entry, content := snapshot.LiveEntryOf(rows, nil)
			if entry.ID == r.FixtureID {
				at, r.Content, r.Fixture = len(entries), content, entry.Text()
			}
			entries = append(entries, entry)
		}
	} else {
		for row, err := range snapshot.Rows[table.FixtureRow](root, c.Dir()+"/"+layout.FixturesFile) {
			if err != nil {
				break
			}
			entry := snapshot.EntryOf(row)
			if row.FixtureID == r.FixtureID {
				var markets []table.MarketRow
				for m, err := range snapshot.FixtureRows[table.MarketRow](root, c.Dir()+"/"+layout.MarketsFile, row.FixtureID) {
					if err != nil {
						break
					}
					markets = append(markets, *m)
				}
				r.Content = table.Content(*row, markets)
				entry.Content = durable.Hash(r.Content)
				at, r.Fixture = len(entries), entry.Text()
			}
			entries = append(entries, entry)
		}
	}
	if at >= 0 {
		r.Path = snapshot.PathOf(entries, at)
	}
	return r.Encode()
}

// tried counts what became of receipts after tamperings.
type tried struct{ refused, same, forged int }

// A receipt that is made after any tampering which verify finds is refused, or has the same bytes as before, and it has
// them if the tampering touched nothing that it rests on. A receipt that was put together without the checks of mkt prove
// is refused by both checkers.
func TestReceiptsOfTamperedRoots(t *testing.T) {
	python := needs.Python(t)
	runs, dir := 2, t.TempDir()
	if !testing.Short() {
		runs = 15
	}
	var names bytes.Buffer
	var all tried
	for product, of := range map[string]func() (testRoot, error){"markets": markets, "ticks": ticks} {
		p := newProvable(t, of)
		check.Must(t, os.WriteFile(filepath.Join(dir, "policy"), []byte(p.text), 0o600))
		for k, how := range tamperings {
			why, known := afterTampering[how.name]
			never := map[string]string{"markets": why.markets, "ticks": why.ticks}[product]
			var n tried
			for seed, done := 0, 0; seed < 200 && (done < runs || never == "" && n.refused == 0); seed++ {
				h := testRoot{p.root.PowerCut(1, 0), p.data, p.product}
				what := how.do(t, h, rand.New(rand.NewPCG(uint64(1000*k+seed), 11)))
				if what == "" {
					continue
				}
				done++
				for _, version := range slices.Sorted(maps.Keys(p.receipts)) {
					if err := p.try(h.root, version, &n, func(data []byte) {
						name := filepath.Join(dir, fmt.Sprintf("%s-%d-%d-%d", product, k, seed, version))
						check.Must(t, os.WriteFile(name, data, 0o600))
						fmt.Fprintln(&names, name)
					}); err != nil {
						t.Errorf("%s: %s: %s: version %d: %v", product, how.name, what, version, err)
					}
				}
			}
			if !known || (n.refused > 0) == (never != "") {
				t.Errorf("%s: %s: %+v; the table says %q", product, how.name, n, never)
			}
			t.Logf("%-7s %-35s %+v", product, how.name, n)
			all.refused, all.same, all.forged = all.refused+n.refused, all.same+n.same, all.forged+n.forged
		}
	}
	cmd := exec.CommandContext(t.Context(), python, "../../../../docs/check_receipt.py", "--batch", filepath.Join(dir, "policy"), "-") // one log
	cmd.Stdin, cmd.Stderr = &names, os.Stderr
	out, err := cmd.Output()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(out)) {
		if lines++; !strings.HasPrefix(line, "no ") {
			t.Errorf("the checker in Python: %s", line)
		}
	}
	if lines != all.forged || all.forged == 0 {
		t.Errorf("%d verdicts on %d receipts", lines, all.forged)
	}
	t.Logf("%+v", all)
}

// try makes the receipt of a publication from a tampered root. add gets one that was put together without checks, unless
// it has the bytes of before.
func (p *provable) try(root durable.ReadFS, version uint64, n *tried, add func([]byte)) error {
	before := p.receipts[version]
	data, err := p.prove(root, version)
	switch {
	case err == nil && !bytes.Equal(data, before):
		return errors.New("it has another receipt")
	case err == nil:
		n.same++
	case maps.Equal(p.restsOn(p.root, version), p.restsOn(root, version)):
		return fmt.Errorf("it does not rest on what was tampered with, and: %w", err)
	default:
		n.refused++
	}
	if data = p.forged(root, version, before); bytes.Equal(data, before) {
		return nil
	}
	n.forged++
	add(data)
	if got, err := receipt.Check(data, p.policy); !errors.Is(err, receipt.ErrInvalid) {
		return fmt.Errorf("forged, it holds: %+v, %w", got, err)
	}
	return nil
}
