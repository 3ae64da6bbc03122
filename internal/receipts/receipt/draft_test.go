package receipt_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
	"mkt/publish/table/content"
)

// draft is a receipt that is put together by hand, with the keys of the log and of the witnesses. Each function changes
// one part before the next is made of it; nil leaves it as it is.
type draft struct {
	w                               *world
	live                            bool
	content                         func([]byte) []byte
	fixture, market, selection      string // ids; "" for those of the rows
	entry, commit, leaf, checkpoint func(string) string
	following                       []func(string) string // commits after the first
	siblings                        func([]snapshot.Sibling) []snapshot.Sibling
	index, size                     int                           // of the leaf and of the log; 3 and 7 if zero, and the first leaf is -1
	at, olderAt                     [2]time.Duration              // of the cosignatures of both witnesses, after the start; 0 leaves one out
	signed, olderSigned             func(lines []string) []string // the signature lines, the log's first
	older                           func(string) string           // the text of the older checkpoint
	noOlder                         bool
	receipt                         func(*receipt.Receipt)
	says                            *strings.Replacer // of the claim of the receipt without changes
	file                            func(string) string
}

func with[T any](change func(T) T, value T) T {
	if change == nil {
		return value
	}
	return change(value)
}

// replaced replaces a text that must be there.
func (d *draft) replaced(from, to string) func(string) string {
	return func(text string) string {
		if !strings.Contains(text, from) {
			d.w.t.Fatalf("%q has no %q", text, from)
		}
		return strings.Replace(text, from, to, 1)
	}
}

// bytes does the same in the rows.
func (d *draft) bytes(from, to string) func([]byte) []byte {
	return func(data []byte) []byte { return []byte(d.replaced(from, to)(string(data))) }
}

// sign returns the signature lines of a checkpoint.
func (w *world) sign(text string, at [2]time.Duration) []string {
	signer, err := note.NewSigner(w.private[0])
	check.Must(w.t, err)
	signers := []note.Signer{signer}
	for i, after := range at {
		if after != 0 {
			c, err := transparency.NewCosigner(w.private[1+i], func() time.Time { return start.Add(after) })
			check.Must(w.t, err)
			signers = append(signers, c)
		}
	}
	var lines []string
	for _, s := range signers {
		signed, err := note.Sign(&note.Note{Text: text}, s)
		check.Must(w.t, err)
		lines = append(lines, string(signed[len(text)+1:]))
	}
	return lines
}

// make returns the file. Its claim is that of its parts, if they hold under the policy, else that of the receipt
// without changes: a checker that lacks the rule accepts it.
func (d *draft) make(p *transparency.Policy) []byte {
	made := d.parts()
	claim, err := made.Claim(p)
	if err != nil {
		plain := draft{w: d.w, live: d.live}
		claim, err = plain.parts().Claim(d.w.policy)
		check.Must(d.w.t, err)
		claim[4] = cmp.Or(witnessedOf(made.Proof), claim[4])
		for i := range claim {
			if d.says != nil {
				claim[i] = d.says.Replace(claim[i])
			}
		}
	}
	made.Says = claim
	return []byte(with(d.file, string(made.Encode())))
}

func (d *draft) parts() *receipt.Receipt {
	w, t := d.w, d.w.t
	w.cycles, w.now = 1, start.Add(time.Hour)
	row, markets := w.fixture(2)
	r := &receipt.Receipt{Live: d.live, FixtureID: cmp.Or(d.fixture, row.FixtureID)}
	form := snapshot.FixtureEntryForm
	if d.live {
		match := w.match(2)
		r.Content, form = match.AppendContent(nil), snapshot.LiveEntryForm
	} else {
		r.Content, r.MarketID, r.SelectionID = content.Of(row, markets), cmp.Or(d.market, mkA), cmp.Or(d.selection, slPrice)
	}
	r.Content = with(d.content, r.Content)
	r.Fixture = with(d.entry, fmt.Sprintf("%s\nfixture %s\ncontent %s\nfetched 2026-11-28T09:59:58.123Z\nanswer %s\n", form, r.FixtureID, durable.Hash(r.Content), durable.Hash(answerOf(1, 2))))
	r.Path = with(d.siblings, []snapshot.Sibling{{Left: true, Hash: tlog.RecordHash([]byte("one"))}, {Hash: tlog.RecordHash([]byte("two"))}})
	root := snapshot.RootBy(r.Fixture, r.Path)

	r.Commits = []string{with(d.commit, fmt.Sprintf("{\"version\": 5, \"published_at\": \"2026-11-28T10:00:02.000Z\", \"fixtures_root\": \"%x\", \"last_seq\": 7}\n", root))}
	for i, change := range d.following {
		r.Commits = append(r.Commits, change(fmt.Sprintf("{\"version\": %d, \"previous_sha256\": \"%s\"}\n", 6+i, durable.Hash([]byte(r.Commits[i])))))
	}
	leaf := transparency.Leaf{Dataset: [32]byte{1, 2, 3}, Version: uint64(5 + len(d.following))}
	sum, err := hex.DecodeString(durable.Hash([]byte(r.Commits[len(d.following)])))
	check.Must(t, err)
	leaf.Commit = [32]byte(sum)

	index, size := max(0, cmp.Or(d.index, 3)), cmp.Or(d.size, 7) // -1 for index 0
	entries := make([][]byte, size)
	for i := range entries {
		other := transparency.Leaf{Version: uint64(1 + i)}
		entries[i] = other.Entry()
	}
	if !d.noOlder {
		at := d.olderAt
		if at == [2]time.Duration{} {
			at = [2]time.Duration{59 * time.Minute, 59*time.Minute + 5*time.Second}
		}
		w.older = with(d.older, w.checkpointOf(entries[:2]))
		r.After = w.older + "\n" + strings.Join(with(d.olderSigned, w.sign(w.older, at)), "")
		sum, err = hex.DecodeString(durable.Hash([]byte(r.After)))
		check.Must(t, err)
		leaf.After = [32]byte(sum)
	}
	r.Leaf = with(d.leaf, leaf.Text())
	sum, err = hex.DecodeString(durable.Hash([]byte(r.Leaf)))
	check.Must(t, err)
	entries[index] = sum
	at := d.at
	if at == [2]time.Duration{} {
		at = [2]time.Duration{2 * time.Hour, 2*time.Hour + 5*time.Second}
	}
	text := with(d.checkpoint, w.checkpointOf(entries))
	hashes, err := tlog.ProveRecord(int64(size), int64(index), treeOf(t, entries))
	check.Must(t, err)
	proof := transparency.Proof{Index: int64(index), Hashes: hashes, Signed: []byte(text + "\n" + strings.Join(with(d.signed, w.sign(text, at)), ""))}
	r.Proof = string(proof.Encode())
	if d.receipt != nil {
		r.Content = bytes.Clone(r.Content)
		d.receipt(r)
	}
	return r
}

func (w *world) checkpointOf(entries [][]byte) string {
	root, err := tlog.TreeHash(int64(len(entries)), treeOf(w.t, entries))
	check.Must(w.t, err)
	return transparency.Checkpoint{Origin: "example.com/prices", Size: int64(len(entries)), Root: root}.String()
}

// witnessedOf returns the line of the claim on a signed checkpoint, whatever its lines are; "" if there is no cosignature.
func witnessedOf(proof string) string {
	var all []string
	for line := range strings.Lines(proof) {
		words := strings.Split(strings.TrimSpace(line), " ")
		if words[0] != "—" || words[1] == "example.com/prices" {
			continue
		}
		blob, _ := base64.StdEncoding.DecodeString(words[2])
		all = append(all, fmt.Sprintf(`"%s" at %s`, words[1], time.Unix(int64(binary.BigEndian.Uint64(blob[4:])), 0).UTC().Format(time.RFC3339)))
	}
	if len(all) == 0 {
		return ""
	}
	return "witnessed: in the name of " + strings.Join(all, ", ") + "; only a check against a policy verifies that"
}

// treeOf returns the stored hashes of a log.
func treeOf(t testing.TB, entries [][]byte) tlog.HashReader {
	var all []tlog.Hash
	reader := tlog.HashReaderFunc(func(at []int64) (found []tlog.Hash, err error) {
		for _, i := range at {
			found = append(found, all[i])
		}
		return found, nil
	})
	for i, e := range entries {
		hashes, err := tlog.StoredHashes(int64(i), e, reader)
		check.Must(t, err)
		all = append(all, hashes...)
	}
	return reader
}
