package receipt_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table/content"
)

var update = flag.Bool("update", false, "rewrite the vectors")

// vectorsDir has the test vectors for checkers of others. docs/receipt-format.md describes it.
const vectorsDir = "../../../docs/receipts-vectors"

// vector is a receipt and a policy with the verdict that a checker must give.
type vector struct {
	verdict string // ok, unwitnessed, no, or policy: it cannot be read
	name    string // of the file of the receipt; or, of a policy that cannot be read, of the policy
	policy  string // "" for both
	shows   string
	data    []byte // of the receipt; nil for the one named price
}

// The vectors have the verdicts that docs/receipt-format.md demands, in both checkers, and are made byte for byte.
func TestVectors(t *testing.T) {
	w := newWorld(t, "both")
	policies := policiesOf(w)
	all := append(receiptsOf(w), draftsOf(w, policies)...)
	for _, p := range brokenPolicies {
		all = append(all, vector{"policy", "price", p[0], p[1], nil})
	}
	files, table := map[string][]byte{}, "verdict\treceipt\tpolicy\tnot after\tnot before\tshows\n"
	for name, text := range policies {
		files[name+".policy"] = []byte(text)
	}
	for i := range all {
		v := &all[i]
		v.policy = cmp.Or(v.policy, "both")
		if v.data != nil {
			if before := files[v.name+".receipt"]; before != nil && !bytes.Equal(before, v.data) {
				t.Errorf("two receipts are named %s", v.name)
			}
			files[v.name+".receipt"] = v.data
		}
		verdict, after, before := checked(t, files[v.name+".receipt"], policies[v.policy])
		if verdict != v.verdict {
			t.Errorf("%s under %s (%s): %s, want %s", v.name, v.policy, v.shows, verdict, v.verdict)
		}
		table += fmt.Sprintf("%s\t%s.receipt\t%s.policy\t%s\t%s\t%s\n", v.verdict, v.name, v.policy, after, before, v.shows)
	}
	files["vectors.tsv"] = []byte(table)
	if *update {
		check.Must(t, os.RemoveAll(vectorsDir))
		check.Must(t, os.MkdirAll(vectorsDir, 0o755))
		for name, data := range files {
			check.Must(t, os.WriteFile(filepath.Join(vectorsDir, name), data, 0o644))
		}
	}
	kept, err := os.ReadDir(vectorsDir)
	check.Must(t, err)
	for _, entry := range kept {
		data, err := os.ReadFile(filepath.Join(vectorsDir, entry.Name()))
		check.Must(t, err)
		if !bytes.Equal(data, files[entry.Name()]) {
			t.Errorf("%s is made otherwise now", entry.Name())
		}
	}
	if len(kept) != len(files) {
		t.Errorf("%d files, want %d", len(kept), len(files))
	}
	for name, args := range map[string][]string{"plain Python": {"-S"}, "Python": nil} { // with -S there are no packages
		t.Run(name, func(t *testing.T) {
			var modules []string
			if args == nil {
				modules = []string{"cryptography"}
			}
			got := checkedByPython(t, needs.Python(t, modules...), args, vectorsDir+"/..", "receipts-vectors", all)
			want := strings.SplitAfter(table, "\n")[1:]
			for i, v := range all {
				if f := strings.Split(want[i], "\t"); i >= len(got) || strings.Join(got[i], "\t") != strings.Join([]string{f[0], f[3], f[4]}, "\t") {
					t.Fatalf("%s under %s (%s): %q, want %q", v.name, v.policy, v.shows, got[i:min(i+1, len(got))], f)
				}
			}
		})
	}
}

// checked returns the verdict of this package, and the bounds of time.
func checked(t *testing.T, data []byte, policy string) (verdict, after, before string) {
	p, err := transparency.ParsePolicy([]byte(policy))
	if err != nil {
		return "policy", "-", "-"
	}
	result, err := receipt.Check(data, p)
	if err != nil && !errors.Is(err, receipt.ErrInvalid) {
		t.Errorf("another error: %v", err)
	}
	if err != nil {
		return "no", "-", "-"
	}
	if verdict = "unwitnessed"; result.Enough {
		verdict = "ok"
	}
	form := func(at *time.Time) string {
		if at == nil {
			return "unknown"
		}
		return at.Format(time.RFC3339)
	}
	return verdict, form(result.NotAfter), form(result.NotBefore)
}

// callAll calls docs/check_receipt.py for each line of the standard input, in one process.
const callAll = `
import sys, check_receipt
for line in sys.stdin:
    if check_receipt.main(line.split()) == 2:
        print("policy")
`

// checkedByPython returns the same of check_receipt.py in a folder: verdict, and the bounds of time.
func checkedByPython(t *testing.T, python string, args []string, dir, files string, vectors []vector) (all [][]string) {
	var calls strings.Builder
	for _, v := range vectors {
		fmt.Fprintf(&calls, "--batch %s/%s.policy %s/%s.receipt\n", files, v.policy, files, v.name)
	}
	cmd := exec.CommandContext(t.Context(), python, slices.Concat(args, []string{"-B", "-c", callAll})...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(calls.String())
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &errs)
	}
	for line := range strings.Lines(string(out)) {
		verdict, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		after, before := "-", "-"
		if _, times, holds := strings.Cut(line, ": published not after "); holds {
			times = strings.NewReplacer("an unknown time", "unknown", "; how long before is not proven", ", logged not before unknown").Replace(times)
			after, before, _ = strings.Cut(strings.TrimSpace(times), ", logged not before ")
		}
		all = append(all, []string{verdict, after, before})
	}
	return all
}

// receiptsOf returns receipts as mkt prove makes them.
func receiptsOf(w *world) []vector {
	w.publish(1, 2, 3)
	w.logNow()
	c := w.publish(1, 2, 3, 4)
	w.publish(2)
	w.logNow()
	withAnswer := w.wanted(c, 2, mkA, slNull)
	withAnswer.Answer = func(string) ([]byte, error) { return answerOf(2, 2), nil }
	first := w.wanted(w.commit(1), 1, mkA, slPrice)
	price := w.make(w.wanted(c, 3, mkRaw, slPrice))
	k := w.tick(2, 3)
	w.logOf(football.LiveIntelligence)
	match, empty := w.make(w.wantedLive(k, 2)), w.make(w.wantedLive(k, 3))
	w.changeMatch = withdraw
	k = w.tick(4)
	w.logOf(football.LiveIntelligence)
	return []vector{
		{"ok", "price", "", "the price of a RAW market; two commits", price},
		{"ok", "price", "any", "any of the two witnesses is enough", price},
		{"ok", "price", "one", "a cosignature of a witness that the policy does not know is not verified", price},
		{"ok", "price", "none", "a policy that demands nobody proves no time", price},
		{"ok", "price", "none-known", "the same, with witnesses that have cosigned", price},
		{"ok", "price", "256-witnesses", "as many witnesses as a policy may have", price},
		{"ok", "price", "two-logs", "a policy with another log as well", price},
		{"unwitnessed", "price", "third", "a witness that the policy demands has not cosigned", price},
		{"no", "price", "other-log", "a log of that name with another key", price},
		{"no", "price", "other-key", "a witness of that name with another key", price},
		{"ok", "answer", "", "with the answer of the provider; two selections, a price that is null", w.make(withAnswer)},
		{"ok", "first", "", "the first leaf of a log names no older checkpoint; columns that were not sent", w.make(first)},
		{"ok", "match", "", "a match in play", match},
		{"ok", "match-empty", "", "a match without clock, score and lists", empty},
		{"ok", "match-withdrawn", "", "a match with ids of entries, a revision and withdrawn entries", w.make(w.wantedLive(k, 4))},
	}
}

// policiesOf returns the policies by name, also those that cannot be read.
func policiesOf(w *world) map[string]string {
	key := func(seed byte, name string) (log, witness string) {
		private, public, err := note.GenerateKey(rand.NewChaCha8([32]byte{seed, name[0]}), name)
		check.Must(w.t, err)
		c, err := transparency.NewCosigner(private, nil)
		check.Must(w.t, err)
		return public, c.VerifierKey()
	}
	words := strings.Fields(w.text)
	log, one, two := "log "+words[1]+"\n", "witness one "+words[4]+"\n", "witness two "+words[8]+"\n"
	otherLog, _ := key(20, "example.com/prices")
	secondLog, _ := key(21, "other.example/log")
	_, otherOne := key(22, "one.example/w")
	_, third := key(23, "three.example/w")
	known, both, any := log+one+two, "group both all one two\nquorum both\n", "group any any one two\nquorum any\n"
	many := ""
	for i := range 254 {
		_, k := key(byte(i+1), fmt.Sprint("w", i, ".example/w"))
		many += fmt.Sprintf("witness w%d %s\n", i, k)
	}
	twin, twins := twinKeys("two.example/w")
	return map[string]string{
		"both": known + both, "any": "# any\n\n" + log + "\t" + one + " " + two + any, "one": log + one + "quorum one\n",
		"none": log + "quorum none\n", "none-known": known + "quorum none\n",
		"third":     log + one + "witness third " + third + " https://three.example\ngroup all 2 one third\nquorum all\n",
		"other-log": "log " + otherLog + "\n" + one + two + any, "other-key": log + "witness one " + otherOne + "\n" + two + any,
		"two-logs": "log " + secondLog + "\n" + known + both, "256-witnesses": known + many + both,

		"257-witnesses": known + many + "witness third " + third + "\n" + both, "crlf": strings.ReplaceAll(known+both, "\n", "\r\n"),
		"not-utf-8": "# \xff\n" + known + both, "blank-in-name": known + "witness third " + named(third, "three.example/\u00a0w", 4) + "\n" + both,
		"key-id": known + "witness third " + strings.Replace(third, third[16:24], "00000000", 1) + "\n" + both, "key-twice": known + strings.Replace(one, " one ", " again ", 1) + both,
		"key-ids-equal": known + "witness twin " + twin + "\nwitness twins " + twins + "\n" + both, "control": "# \a\n" + known + both, "no-quorum": known + "group both all one two\n", "two-quorums": known + both + "quorum none\n",
		"unknown-quorum": known + "quorum three\n", "threshold-0": known + "group g 0 one two\nquorum g\n", "threshold-3": known + "group g 3 one two\nquorum g\n",
		"two-groups": known + both + "group g any one\n", "witness-with-key-of-log": known + "witness third " + secondLog + "\n" + both, "unknown-word": known + both + "quorums both\n",
	}
}

var brokenPolicies = [][2]string{
	{"257-witnesses", "more than 256 witnesses"}, {"crlf", "a carriage return"}, {"control", "a control character in a comment"}, {"not-utf-8", "a comment that is not UTF-8"}, {"blank-in-name", "U+00A0 in the name of a key"},
	{"key-id", "a key id that is not that of the key"}, {"key-twice", "a key under two names"}, {"key-ids-equal", "two keys of one name and one key id"}, {"no-quorum", "no quorum"},
	{"two-quorums", "a second quorum"}, {"unknown-quorum", "a quorum that nothing has defined"}, {"threshold-0", "a group that needs nobody"}, {"threshold-3", "a group that needs more than it has"},
	{"two-groups", "a member of two groups"}, {"witness-with-key-of-log", "the key of a log as that of a witness"}, {"unknown-word", "a line that begins with another word"},
}

// named returns a verifier key under another name, with the key id of that.
func named(key, name string, kind byte) string {
	data, _ := base64.StdEncoding.DecodeString(strings.SplitN(key, "+", 3)[2])
	return verifierKey(name, append([]byte{kind}, data[1:]...))
}

func verifierKey(name string, key []byte) string {
	sum := sha256.Sum256(append([]byte(name+"\n"), key...))
	return fmt.Sprintf("%s+%x+%s", name, sum[:4], base64.StdEncoding.EncodeToString(key))
}

// twinKeys returns two keys of one name that have the same key id.
func twinKeys(name string) (one, two string) {
	seen := map[string][]byte{}
	for i := uint64(0); ; i++ {
		key := binary.BigEndian.AppendUint64(append([]byte{4}, make([]byte, 24)...), i)
		text := verifierKey(name, key)
		id := text[len(name)+1 : len(name)+9]
		if before := seen[id]; before != nil {
			return verifierKey(name, before), text
		}
		seen[id] = key
	}
}

// draftsOf returns receipts that were put together by hand. Each breaks one rule, or keeps one to the letter.
func draftsOf(w *world, policies map[string]string) (all []vector) {
	add := func(verdict, name, policy, shows string, d *draft) {
		w.t.Helper()
		d.w = w
		p, err := transparency.ParsePolicy([]byte(policies[cmp.Or(policy, "both")]))
		check.Must(w.t, err)
		all = append(all, vector{verdict, name, policy, shows, d.make(p)})
	}
	r := (&draft{w: w}).replaced
	in := (&draft{w: w}).bytes
	id := fixtureID(2)

	add("ok", "plain", "", "the receipt that those below change", &draft{})
	add("ok", "plain-match", "", "the same of a match in play", &draft{live: true})

	// The file.
	file := func(name, shows string, change func(string) string) { add("no", name, "", shows, &draft{file: change}) }
	file("format-1", "the format of builds before 0.1.0", r("mkt.receipt/v2", "mkt.receipt/v1"))
	file("other-kind", "a price as a match in play", r("mkt.receipt/v2", "mkt.live-receipt/v2"))
	file("says-other-price", "another price in says", r(`decimal \"1.51\"`, `decimal \"2.51\"`))
	file("says-one-line", "says in one line", func(s string) string { return strings.Replace(s, "\",\n\"match: ", "\", \"match: ", 1) })
	file("says-text", "says as one text", func(s string) string {
		return `{"says": "price: decimal \"1.51\"",` + s[strings.Index(s, "\n\"format\""):]
	})
	file("no-end", "no line feed at the end", func(s string) string { return strings.TrimSuffix(s, "\n") })
	file("blank-at-end", "a blank after the end", func(s string) string { return s + " " })
	file("escape", "an escape that need not be", r("example.com/prices", `example.com\/prices`))
	file("member-twice", "a member twice", r(`"fixture_id"`, `"answer": "",`+"\n"+`"fixture_id"`))
	file("member-more", "a member that is not of the format", r(`"fixture_id"`, `"note": "",`+"\n"+`"fixture_id"`))
	add("ok", "control-characters", "", "a name with what moves a cursor and turns the direction of reading: escaped", &draft{content: in("\u2028", "\u202e")})
	add("no", "control-characters-raw", "", "the same, not escaped", &draft{content: in("\u2028", "\u202e"), file: func(s string) string { return strings.ReplaceAll(s, `\\u202e`, "\u202e") }})

	// Ids.
	sentence := "sl_of HOME at 9.99, as the operator has confirmed"
	forged := func(name, shows, old, id string, to func(*draft)) {
		d := &draft{content: func(data []byte) []byte {
			return bytes.ReplaceAll(data, append([]byte{byte(len(old))}, old...), append([]byte{byte(len(id))}, id...))
		}, says: strings.NewReplacer(old, id)}
		to(d)
		add("no", name, "", shows, d)
	}
	forged("id-sentence", "the id of a selection that is a sentence", slPrice, sentence, func(d *draft) { d.selection = sentence })
	forged("id-letters", "the id of a selection with a letter that ids do not have", slPrice, slPrice[:28]+"1", func(d *draft) { d.selection = slPrice[:28] + "1" })
	forged("id-suffix", "the id of a market with a suffix that is too short", mkA, mkA+"~short", func(d *draft) { d.market = mkA + "~short" })
	forged("id-fixture", "the id of a fixture in upper case", id, strings.ToUpper(id), func(d *draft) { d.fixture = strings.ToUpper(id) })

	// The fixture's entry.
	entry := func(verdict, name, shows string, change func(string) string) {
		add(verdict, name, "", shows, &draft{entry: change})
	}
	sum := durable.Hash(answerOf(1, 2))
	entry("ok", "entry-without-answer", "the hash of the answer is not known", r("answer "+sum, "answer -"))
	entry("no", "entry-answer-words", "an answer that is no hash", r("answer "+sum, "answer foo bar"))
	entry("no", "entry-answer-empty", "an answer that is empty", r("answer "+sum, "answer "))
	entry("no", "entry-answer-upper-case", "an answer in upper case", r("answer "+sum, "answer "+strings.ToUpper(sum)))
	entry("no", "entry-name", "another name of a line", r("\nfetched ", "\nFetched "))
	entry("no", "entry-fixture", "the entry of another fixture", r(id, fixtureID(4)))
	entry("no", "entry-content", "the entry of other rows", func(s string) string {
		at := strings.Index(s, "content ") + len("content ")
		return s[:at] + strings.Repeat("0", 64) + s[at+64:]
	})
	entry("no", "entry-line-more", "a further line", r("\nfetched", "\nnote x\nfetched"))
	entry("no", "entry-of-match", "the entry of a match", r("mkt.fixture/v1", "mkt.live/v1"))
	add("no", "entry-time", "", "a retrieval with two decimals", &draft{entry: r("58.123Z", "58.12Z"), says: strings.NewReplacer("58.123Z", "58.12Z")})
	add("no", "entry-day", "", "a retrieval on a day that does not exist", &draft{entry: r("2026-11-28T09", "2026-11-31T09"), says: strings.NewReplacer("2026-11-28T09:59:58", "2026-11-31T09:59:58")})
	add("no", "answer-of-another", "", "the answer of another fixture", &draft{receipt: func(r *receipt.Receipt) { r.Answer = answerOf(1, 1) }})

	// The rows.
	rows := func(name, shows, from, to string) { add("no", name, "", shows, &draft{content: in(from, to)}) }
	rows("rows-length", "a length that is not in its shortest form", "\x00\x00\x1d"+id, "\x00\x00\x9d\x00"+id)
	rows("rows-integer", "an integer of more than 32 bits", "\x02\x00\x00\x00\x00\x00\x00", "\x02\x00\x00\x00\x00\x00\x01")
	rows("rows-column", "a column that is not due", "\x0c\x00\x01k", "\x0d\x00\x01k")
	rows("rows-depth", "a depth that the column does not have", "\x05\x00\x03", "\x05\x01\x03")
	rows("rows-boolean", "a boolean that is 2", "\x1d\x01\x01\x00", "\x1d\x01\x02\x00")
	rows("rows-text", "a text that is not UTF-8", "\x0c\x00\x01k", "\x0c\x00\x01\xff")
	rows("rows-count", "another market_count", "\x05\x00\x03", "\x05\x00\x04")
	rows("rows-market-of-another", "a market of another fixture", "\x00\x00\x1d"+id+"\x01\x00", "\x00\x00\x1d"+fixtureID(3)+"\x01\x00")
	rows("selection-twice", "two selections with the id", "\x1d"+slNull, "\x1d"+slPrice)
	add("no", "rows-end", "", "a byte after the rows", &draft{content: func(data []byte) []byte { return append(data, 0) }})
	add("no", "rows-time", "", "a kick-off in the year 10000", &draft{content: func(data []byte) []byte {
		at := bytes.Index(data, []byte{4, 1})
		return slices.Concat(data[:at+2], binary.LittleEndian.AppendUint64(nil, 253402300800000), data[at+10:])
	}})
	add("no", "rows-kick-off", "", "a kick-off that is null and not left out", &draft{content: func(data []byte) []byte {
		at := bytes.Index(data, []byte{4, 1})
		return slices.Concat(data[:at], []byte{4, 0}, data[at+10:])
	}, says: strings.NewReplacer("kick-off 2026-12-02T13:00:00.000Z", "kick-off null")})
	add("no", "match-end", "", "a byte after the rows of a match", &draft{live: true, content: func(data []byte) []byte { return append(data, 63) }})
	timeline := func(verdict, name, shows string, rows func(*content.LiveRows), data func([]byte) []byte) {
		d := &draft{live: true, content: func([]byte) []byte {
			match := w.match(2)
			withdraw(&match)
			rows(&match)
			return with(data, match.AppendContent(nil))
		}}
		if match := w.match(2); verdict == "no" {
			withdraw(&match)
			rows(&match)
			if n := len(match.Fixture.Withdrawn); n > 0 {
				d.says = strings.NewReplacer(" halves", fmt.Sprintf(" halves; withdrawn entries: %d", n))
			}
		}
		add(verdict, name, "", shows, d)
	}
	same := func(*content.LiveRows) {}
	noneWithdrawn := func(l *content.LiveRows) { l.Fixture.Withdrawn = nil }
	timeline("ok", "match-none-withdrawn", "ids of entries and a revision, nothing withdrawn", noneWithdrawn, nil)
	timeline("ok", "match-entry-id-empty", "an id that is an empty text is not null", func(l *content.LiveRows) { l.Timeline[0].EntryID = text("") }, nil)
	timeline("no", "match-entry-id-null", "an id of an entry that is null and not left out", func(l *content.LiveRows) { l.Timeline[2].EntryID = nil }, func(data []byte) []byte {
		at := bytes.LastIndex(data, []byte{49, 0}) + 2
		return slices.Concat(data[:at], []byte{63, 0}, data[at:])
	})
	timeline("no", "match-entry-id-twice", "an id of an entry twice", same, in("\x3f\x01\x09en_0abc-0", "\x3f\x01\x09en_0abc-0\x3f\x01\x09en_0abc-0"))
	timeline("no", "match-revision-null", "a revision that is null and not left out", func(l *content.LiveRows) { l.Fixture.TimelineRevision = nil }, in("\x41\x01\x09en_0abc-5", "\x40\x00\x41\x01\x09en_0abc-5"))
	timeline("no", "match-withdrawn-empty", "an empty list of withdrawn entries that is not left out", noneWithdrawn, func(data []byte) []byte {
		at := bytes.Index(data, []byte("\x20\x00\x07attacks"))
		var empty []byte
		for column := byte(65); column <= 75; column++ {
			empty = append(empty, column, 0)
		}
		return slices.Concat(data[:at], empty, data[at:])
	})
	timeline("no", "match-withdrawn-null", "a minute of a withdrawn entry that is null and not left out", same, in("\x43\x11\x04NONE", "\x43\x11\x04NONE\x44\x11"))
	timeline("no", "match-withdrawn-lacks", "a withdrawn entry without its side", same, in("\x43\x11\x04NONE", ""))
	timeline("no", "match-withdrawn-repetition", "a second withdrawn entry that does not continue the list", same, in("\x41\x11\x09en_0abc-s", "\x41\x01\x09en_0abc-s"))
	timeline("no", "match-withdrawn-time", "a withdrawal in the year 10000", func(l *content.LiveRows) {
		l.Fixture.Withdrawn[0].WithdrawnAt = time.UnixMilli(253402300800000).UTC()
	}, nil)
	add("no", "match-of-another", "", "the rows of another match", &draft{live: true, content: in(id, fixtureID(4))})

	// The path and the commits.
	siblings := func(name, shows string, change func([]snapshot.Sibling) []snapshot.Sibling) {
		plain := (&draft{w: w}).parts()
		add("no", name, "", shows, &draft{siblings: func([]snapshot.Sibling) []snapshot.Sibling { return plain.Path }, receipt: func(r *receipt.Receipt) { r.Path = change(slices.Clone(r.Path)) }})
	}
	siblings("path-order", "the path in another order", func(p []snapshot.Sibling) []snapshot.Sibling { slices.Reverse(p); return p })
	siblings("path-side", "an element on the other side", func(p []snapshot.Sibling) []snapshot.Sibling { p[0].Left = false; return p })
	siblings("path-short", "an element less", func(p []snapshot.Sibling) []snapshot.Sibling { return p[:1] })
	file("path-word", "an element that is neither left nor right", r(`"right `, `"Right `))
	file("path-unused-bits", "base64 of a hash with an unused bit that is set", func(s string) string {
		at := strings.Index(s, `=", "right `)
		return s[:at-1] + string(s[at-1]+1) + s[at:]
	})
	commit := func(verdict, name, shows, from, to string, says ...string) {
		add(verdict, name, "", shows, &draft{commit: r(from, to), says: strings.NewReplacer(says...)})
	}
	deep := func(n int) string { return `"x": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + `, "last_seq"` }
	commit("ok", "commit-other-members", "members that do not count may be anything", `"last_seq"`, `"previous_sha256": 1, "Version": null, "x": 1e999, "y": -0.0, "z": 123456789012345678901234567890, "last_seq"`)
	commit("ok", "commit-64-deep", "lists as deep as they may be", `"last_seq"`, deep(63))
	commit("no", "commit-65-deep", "a list that is too deep", `"last_seq"`, deep(64))
	commit("no", "commit-member-twice", "a member twice", `"last_seq"`, `"x": {"a": 1, "a": 1}, "last_seq"`)
	commit("no", "commit-backslash", "a backslash", `"last_seq"`, `"\u006cast_seq"`)
	commit("no", "commit-nan", "a number that JSON does not have", `: 7`, `: NaN`)
	version := func(name, shows, to string) {
		add("no", name, "", shows, &draft{commit: r(`"version": 5`, `"version": `+to), leaf: r("version 5", "version "+to), says: strings.NewReplacer("publication 5", "publication "+to)})
	}
	version("commit-version-0", "version 0", "0")
	version("commit-version-large", "a version that is too large", "9223372036854775808")
	commit("no", "commit-version-fraction", "a version with a fraction", `"version": 5`, `"version": 5.0`)
	commit("ok", "commit-9-decimals", "nine decimals", `02.000Z`, `02.123456789Z`)
	commit("no", "commit-10-decimals", "ten decimals", `02.000Z`, `02.1234567891Z`, "02.000Z", "02.1234567891Z")
	commit("no", "commit-leap-second", "a leap second", `10:00:02.000Z`, `09:59:60.000Z`, "10:00:02.000Z", "09:59:60.000Z")
	commit("no", "commit-time-null", "no time of publication", `"2026-11-28T10:00:02.000Z"`, `null`)
	follow := func(change func(string) string) []func(string) string { return []func(string) string{change} }
	add("ok", "following", "", "a commit that follows, with members that do not count", &draft{following: follow(r("{", `{"published_at": 1, "fixtures_root": [], `))})
	add("no", "following-version", "", "a commit of another version", &draft{following: follow(r(`"version": 6`, `"version": 7`)), leaf: r("version 6", "version 7")})
	add("no", "following-another", "", "a commit that follows another", &draft{following: follow(func(s string) string {
		at := strings.Index(s, `sha256": "`) + len(`sha256": "`)
		return s[:at] + strings.Repeat("0", 64) + s[at+64:]
	})})

	// The log.
	add("no", "leaf-version", "", "a leaf of another version", &draft{leaf: r("version 5", "version 6")})
	add("no", "leaf-dataset", "", "a dataset in upper case", &draft{leaf: r("dataset 010203", "dataset 01020A"), says: strings.NewReplacer("dataset 010203", "dataset 01020A")})
	add("no", "leaf-zeros", "", "a leading zero", &draft{leaf: r("version 5", "version 05")})
	none, before := "previous 0 "+strings.Repeat("0", 64), strings.Repeat("a", 64)
	add("ok", "previous-older", "", "the leaf before has an older publication, and not the one before this", &draft{leaf: r(none, "previous 3 "+before)})
	add("ok", "previous-next", "", "the publication follows that of the leaf before", &draft{leaf: r(none, "previous 4 "+before), commit: r(`"last_seq": 7`, `"previous_sha256": "`+before+`"`)})
	add("no", "previous-other", "", "the publication follows another than that of the leaf before", &draft{leaf: r(none, "previous 4 "+before), commit: r(`"last_seq": 7`, `"previous_sha256": "`+strings.Repeat("b", 64)+`"`)})
	add("no", "previous-covers", "", "the leaf covers later publications", &draft{following: []func(string) string{func(s string) string { return s }}, leaf: r(none, "previous 5 "+before)})
	add("no", "previous-not-older", "", "the leaf before is not of an older publication", &draft{leaf: r(none, "previous 5 "+before)})
	add("no", "previous-of-none", "", "a commit of a leaf before that is not there", &draft{leaf: r(none, "previous 0 "+before)})
	add("no", "leaf-line-more", "", "a further line", &draft{leaf: func(s string) string { return s + "x y\n" }})
	add("ok", "log-of-one", "", "a log with one leaf, and a proof without hashes", &draft{size: 1, index: -1, noOlder: true})
	add("no", "proof-index", "", "another index", &draft{receipt: func(x *receipt.Receipt) { x.Proof = r("index 3", "index 2")(x.Proof) }, says: strings.NewReplacer("entry 3", "entry 2")})
	add("no", "proof-form", "", "another form of proof", &draft{receipt: func(x *receipt.Receipt) { x.Proof = r("tlog-proof@v1", "tlog-proof@v2")(x.Proof) }})
	add("no", "proof-zeros", "", "an index with a leading zero", &draft{receipt: func(x *receipt.Receipt) { x.Proof = r("index 3", "index 03")(x.Proof) }})
	add("no", "proof-extra", "", "a proof with extra data", &draft{receipt: func(x *receipt.Receipt) { x.Proof = r("index 3", "extra eA==\nindex 3")(x.Proof) }})
	add("no", "proof-short", "", "a proof with a hash less", &draft{receipt: func(x *receipt.Receipt) {
		lines := strings.SplitAfter(x.Proof, "\n")
		x.Proof = strings.Join(slices.Delete(lines, 2, 3), "")
	}})
	signed := func(verdict, name, policy, shows string, change func([]string) []string) {
		add(verdict, name, policy, shows, &draft{signed: change})
	}
	cosigned := func(name string, size int) string {
		blob := bytes.Repeat([]byte{1}, size)
		copy(blob[4:12], []byte{0, 0, 0, 0, 0x6b, 0, 0, 0})
		return "— " + name + " " + base64.StdEncoding.EncodeToString(blob) + "\n"
	}
	add("ok", "checkpoint-extension", "", "a checkpoint with a line of extension", &draft{checkpoint: func(s string) string { return s + "an extension\n" }})
	add("no", "checkpoint-control", "", "a control character in it", &draft{checkpoint: func(s string) string { return s + "an extension\a\n" }})
	signed("ok", "unknown-witness", "", "a name that the policy does not know, with a signature that nobody verifies", func(l []string) []string { return append(l, cosigned("liar.example/w", 76)) })
	signed("no", "unknown-witness-short", "", "the same, of another length", func(l []string) []string { return append(l, cosigned("liar.example/w", 75)) })
	signed("no", "unknown-witness-blank", "", "U+00A0 in the name of a signature", func(l []string) []string { return append(l, cosigned("liar\u00a0.example/w", 76)) })
	signed("ok", "line-of-another-log", "two-logs", "a line with the name of another log of the policy is a cosignature, which nobody verifies", func(l []string) []string {
		line := cosigned("other.example/log", 76)
		for _, f := range strings.Fields(policies["two-logs"])[:2] {
			if _, id, is := strings.Cut(f, "other.example/log+"); is {
				blob, _ := base64.StdEncoding.DecodeString(strings.Fields(line)[2])
				n, _ := new(big.Int).SetString(id[:8], 16)
				copy(blob, n.Bytes())
				line = "— other.example/log " + base64.StdEncoding.EncodeToString(blob) + "\n"
			}
		}
		return append(l, line)
	})
	hundred := func(n int) func([]string) []string {
		return func(l []string) []string {
			for i := len(l); i < n; i++ {
				l = append(l, cosigned(fmt.Sprint("w", i), 76))
			}
			return l
		}
	}
	signed("ok", "100-signatures", "", "as many signatures as there may be", hundred(100))
	signed("no", "101-signatures", "", "more signatures than there may be", hundred(101))
	signed("no", "not-signed", "", "the log has not signed", func(l []string) []string { return l[1:] })
	signed("no", "signed-twice", "", "two lines with the name of the log", func(l []string) []string { return append(l, cosigned("example.com/prices", 68)) })
	signed("no", "cosigned-twice", "", "a cosignature twice", func(l []string) []string { return append(l, l[1]) })
	signed("no", "cosignature-invalid", "any", "a cosignature that is not valid, of a witness that is not needed", func(l []string) []string {
		return append(l[:2], w.sign("another\n1\n"+base64.StdEncoding.EncodeToString(make([]byte, 32))+"\n", [2]time.Duration{0, time.Hour})[1])
	})
	signed("no", "cosignature-unused-bits", "", "base64 of a signature with an unused bit that is set", func(l []string) []string {
		at := strings.Index(l[0], "=")
		return append([]string{l[0][:at-1] + string(l[0][at-1]+1) + l[0][at:]}, l[1:]...)
	})
	signed("no", "signature-malleable", "", "a signature whose number is larger by the order of the group", func(l []string) []string { return append([]string{malleable(l[0])}, l[1:]...) })
	add("no", "cosignature-time", "", "the time of a cosignature is beyond 2^37 seconds", &draft{signed: func(l []string) []string {
		line := cosigned("late.example/w", 76)
		blob, _ := base64.StdEncoding.DecodeString(strings.Fields(line)[2])
		copy(blob[4:12], []byte{0, 0, 0, 0x20, 0, 0, 0, 1})
		return append(l, "— late.example/w "+base64.StdEncoding.EncodeToString(blob)+"\n")
	}})
	add("unwitnessed", "one-cosignature", "", "one of two witnesses has cosigned", &draft{at: [2]time.Duration{2 * time.Hour, 0}})
	add("ok", "one-cosignature", "any", "the same, where one is enough", &draft{at: [2]time.Duration{2 * time.Hour, 0}})

	// The lower bound.
	add("no", "after-missing", "", "the checkpoint that the leaf names is missing", &draft{receipt: func(r *receipt.Receipt) { r.After = "" }})
	add("no", "after-another", "", "another checkpoint than the one that the leaf names", &draft{receipt: func(r *receipt.Receipt) { r.After = r.After[:strings.LastIndex(r.After, "— ")] }})
	add("no", "after-size", "", "its size with a leading zero", &draft{older: r("\n2\n", "\n02\n")})
	add("no", "after-root", "", "its root has 30 bytes", &draft{older: func(s string) string {
		return s[:strings.LastIndex(s[:len(s)-1], "\n")+1] + strings.Repeat("A", 40) + "\n"
	}})
	add("no", "after-more", "", "a checkpoint that the leaf does not name", &draft{noOlder: true, receipt: func(x *receipt.Receipt) { x.After = (&draft{w: w}).parts().After }})
	add("no", "after-larger", "", "a checkpoint that is not older than the leaf", &draft{index: 1})
	add("no", "after-of-another-log", "two-logs", "a checkpoint of another log of the policy", &draft{older: r("example.com/prices", "other.example/log"), olderSigned: func(l []string) []string {
		private, _, err := note.GenerateKey(rand.NewChaCha8([32]byte{21, 'o'}), "other.example/log")
		check.Must(w.t, err)
		signer, err := note.NewSigner(private)
		check.Must(w.t, err)
		signed, err := note.Sign(&note.Note{Text: w.older}, signer)
		check.Must(w.t, err)
		return append([]string{string(signed[len(w.older)+1:])}, l[1:]...)
	}})
	add("ok", "after-not-witnessed", "", "the older checkpoint is not witnessed: there is no lower bound", &draft{olderSigned: func(l []string) []string { return l[:2] }})
	add("unwitnessed", "times-contradict", "", "logged not before a time that is later than the one it was published not after", &draft{olderAt: [2]time.Duration{3 * time.Hour, 3 * time.Hour}})
	add("ok", "times-equal", "", "both times are the same", &draft{olderAt: [2]time.Duration{2*time.Hour + 5*time.Second, 2*time.Hour + 5*time.Second}})
	return all
}

// malleable adds the order of the group to the number in a signature of Ed25519, which does not change what it stands for.
func malleable(line string) string {
	words := strings.Fields(line)
	blob, _ := base64.StdEncoding.DecodeString(words[2])
	number := slices.Clone(blob[36:])
	slices.Reverse(number)
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	copy(blob[36:], new(big.Int).Add(order, new(big.Int).SetBytes(number)).FillBytes(make([]byte, 32)))
	slices.Reverse(blob[36:])
	return "— " + words[1] + " " + base64.StdEncoding.EncodeToString(blob) + "\n"
}
