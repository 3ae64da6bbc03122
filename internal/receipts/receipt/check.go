package receipt

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"mkt/internal/receipts/transparency"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

// Result is what a receipt proves.
type Result struct {
	Says      string             `json:"says"`    // the claim, a line for each of its parts, with the witnesses as checked
	Dataset   string             `json:"dataset"` // the pseudonym
	Version   uint64             `json:"version"`
	Published string             `json:"published_at"` // by the operator's clock
	Fixture   table.FixtureRow   `json:"-"`
	Market    table.MarketRow    `json:"-"`
	Selection table.SelectionRow `json:"-"`
	Live      *content.LiveRows  `json:"-"` // of a match in play; else nil, and the three before are set
	Log       string             `json:"log"`
	Index     int64              `json:"index"` // of the leaf
	// Witnesses are the witnesses of the policy that have cosigned, oldest first. Enough reports whether
	// the policy is satisfied with them, and their times do not contradict each other.
	Witnesses []transparency.Cosignature `json:"witnesses"`
	Enough    bool                       `json:"enough"`
	// NotAfter is the time by which the quorum of the policy had cosigned a log with the publication.
	// NotBefore is the time from which on a quorum had cosigned the checkpoint that the leaf names: it was
	// logged later. Both are times of witnesses; nil if there is no quorum of them.
	NotAfter  *time.Time `json:"not_after"`
	NotBefore *time.Time `json:"not_before"`
	Answer    bool       `json:"answer"` // the receipt has the provider's answer
}

// Check checks a receipt under a policy. The error is [ErrInvalid] if the receipt does not hold. A
// receipt that holds but is not witnessed as the policy demands is no error: see Result.Enough.
func Check(data []byte, p *transparency.Policy) (*Result, error) {
	r, err := Parse(data)
	if err != nil {
		return nil, err
	}
	result, claim, err := r.check(p)
	if err == nil && !slices.Equal(claim, r.Says) {
		return nil, invalid("its words are not those of its content")
	}
	return result, err
}

// Contradicts reports whether the times of the witnesses contradict each other: the log was cosigned with the
// publication before it was logged. The clock of a witness is wrong then, and no time is proven.
func (res *Result) Contradicts() bool {
	return res.NotAfter != nil && res.NotBefore != nil && res.NotBefore.After(*res.NotAfter)
}

// check checks everything but the claim, which it derives from the rest.
func (r *Receipt) check(p *transparency.Policy) (result *Result, claim []string, err error) {
	c := checker{receipt: r, policy: p}
	for _, step := range []func() error{c.content, c.path, c.commits, c.log, c.previous, c.bound, c.answer} {
		if err := step(); err != nil {
			return nil, nil, err
		}
	}
	claim = c.claim()
	c.result.Says = c.result.says(claim, p)
	c.result.Enough = c.result.Enough && !c.result.Contradicts()
	return &c.result, claim, nil
}

type checker struct {
	receipt *Receipt
	policy  *transparency.Policy
	result  Result
	entry   entry
	commit  commit // of the publication
	last    commit // the one in the log
	lastSum [32]byte
	signers []signer
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// entry is the entry of a fixture, see [snapshot.FixtureEntry].
type entry struct{ form, fixture, content, fetched, answer string }

func (e entry) text() string {
	return fmt.Sprintf("%s\nfixture %s\ncontent %s\nfetched %s\nanswer %s\n", e.form, e.fixture, e.content, e.fetched, e.answer)
}

func parseEntry(form, text string) (e entry, ok bool) {
	e.form = form
	lines := strings.Split(text, "\n")
	if len(lines) != 6 {
		return e, false
	}
	for i, to := range []*string{&e.fixture, &e.content, &e.fetched, &e.answer} {
		_, *to, _ = strings.Cut(lines[i+1], " ")
	}
	return e, e.text() == text && isTime(e.fetched, millisecondsPattern) && answerPattern.MatchString(e.answer)
}

var answerPattern = regexp.MustCompile(`^(-|[0-9a-f]{64})$`)

// content checks that the rows are those of the fixture's entry, and finds the selection or the match.
func (c *checker) content() error {
	r, sum := c.receipt, sha256.Sum256(c.receipt.Content)
	form, ok := snapshot.FixtureEntryForm, false
	if r.Live {
		form = snapshot.LiveEntryForm
	}
	if c.entry, ok = parseEntry(form, r.Fixture); !ok {
		return invalid("the entry of the fixture is not of its form")
	}
	if c.entry.fixture != r.FixtureID || c.entry.content != hex.EncodeToString(sum[:]) {
		return invalid("the content is not that of the fixture's entry")
	}
	if !football.IsFixtureID(r.FixtureID) {
		return invalid("the id of the fixture is not of its form")
	}
	if r.Live {
		return c.match()
	}
	if !football.IsMarketID(r.MarketID) || !football.IsSelectionID(r.SelectionID) {
		return invalid("the id of the market or the selection is not of its form")
	}
	fixture, markets, err := content.Parse(r.Content)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if fixture.FixtureID != r.FixtureID {
		return invalid("the content is that of another fixture")
	}
	c.result.Fixture = fixture
	n := 0
	for _, m := range markets {
		if m.FixtureID != r.FixtureID {
			return invalid("the content has a market of another fixture")
		}
		for _, s := range m.Selections {
			if m.MarketID == r.MarketID && s.SelectionID == r.SelectionID {
				c.result.Market, c.result.Selection, n = m, s, n+1
			}
		}
	}
	if n != 1 {
		return invalid("the fixture has the selection %d times", n)
	}
	return nil
}

// match checks the rows of a match in play.
func (c *checker) match() error {
	rows, err := content.ParseLive(c.receipt.Content)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if rows.Fixture.FixtureID != c.receipt.FixtureID {
		return invalid("the content is that of another fixture")
	}
	c.result.Live = &rows
	return nil
}

// path checks that the entry is one of the fixtures of the publication.
func (c *checker) path() error {
	r := c.receipt
	if len(r.Commits) == 0 {
		return invalid("it has no commit")
	}
	var err error
	if c.commit, err = parseCommit(r.Commits[0]); err != nil {
		return err
	}
	if c.result.Published = c.commit.text("published_at"); !isTime(c.result.Published, timePattern) {
		return invalid("the commit has no time of publication")
	}
	if root := snapshot.RootBy(r.Fixture, r.Path); hex.EncodeToString(root[:]) != c.commit.text("fixtures_root") {
		return invalid("the fixture is not below the fixtures_root of the commit")
	}
	return nil
}

// commit is a commit record. Members on which a receipt does not rest may be anything.
type commit struct {
	version uint64
	members map[string]json.RawMessage
}

// text returns a member that is a text, and "" for anything else.
func (c commit) text(name string) (text string) {
	if json.Unmarshal(c.members[name], &text) != nil {
		return ""
	}
	return text
}

// parseCommit reads a commit record. Names are exact and occur once in their object, so that every reader
// sees the same.
func parseCommit(text string) (c commit, err error) {
	if strings.Contains(text, `\`) || !isUnambiguous(text) {
		return c, invalid("a commit is no JSON object, has a member twice, or a backslash")
	}
	if json.Unmarshal([]byte(text), &c.members) != nil {
		return c, invalid("a commit is no JSON object")
	}
	if json.Unmarshal(c.members["version"], &c.version) != nil || c.version == 0 || c.version >= 1<<63 {
		return c, invalid("a commit has no version")
	}
	return c, nil
}

var (
	timePattern         = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$`)
	millisecondsPattern = regexp.MustCompile(`^.{19}\.[0-9]{3}Z$`)
)

// isTime reports whether a text is a time from 1970 to 9999, spelled as the patterns say.
func isTime(text string, pattern *regexp.Regexp) bool {
	at, err := time.Parse(time.RFC3339Nano, text)
	return err == nil && at.Year() >= 1970 && timePattern.MatchString(text) && pattern.MatchString(text)
}

// maxDepth bounds how deep objects and lists lie in each other in a commit.
const maxDepth = 64

// isUnambiguous reports whether a text is JSON without an object that has a member twice.
func isUnambiguous(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // of any size
	var value func(depth int) bool
	value = func(depth int) bool {
		t, err := d.Token()
		open, isOpen := t.(json.Delim)
		if err != nil || !isOpen || depth == maxDepth {
			return err == nil && !isOpen
		}
		seen := map[json.Token]bool{}
		for d.More() {
			if open == '{' {
				name, err := d.Token()
				if err != nil || seen[name] {
					return false
				}
				seen[name] = true
			}
			if !value(depth + 1) {
				return false
			}
		}
		_, err = d.Token()
		return err == nil
	}
	return value(0) && errors.Is(onlyError(d.Token()), io.EOF)
}

func onlyError(_ json.Token, err error) error { return err }

// commits checks the chain from the commit of the publication to the one in the log.
func (c *checker) commits() error {
	c.last, c.lastSum = c.commit, sha256.Sum256([]byte(c.receipt.Commits[0]))
	for _, text := range c.receipt.Commits[1:] {
		next, err := parseCommit(text)
		if err != nil {
			return err
		}
		if next.text("previous_sha256") != hex.EncodeToString(c.lastSum[:]) || next.version != c.last.version+1 {
			return invalid("a commit does not follow the one before it")
		}
		c.last, c.lastSum = next, sha256.Sum256([]byte(text))
	}
	c.result.Version = c.commit.version
	return nil
}

// log checks that the last commit is in the log, and the signatures of its checkpoint.
func (c *checker) log() error {
	leaf, err := transparency.ParseLeaf(c.receipt.Leaf)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if leaf.Version != c.last.version || leaf.Commit != c.lastSum {
		return invalid("the leaf of the log is of another commit")
	}
	proof, err := transparency.ParseProof([]byte(c.receipt.Proof))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if !bytes.Equal(proof.Encode(), []byte(c.receipt.Proof)) {
		return invalid("the proof is spelled in another way than proofs are")
	}
	head, by, enough, err := c.open(proof.Signed)
	if err != nil {
		return err
	}
	if err := proof.Check(leaf.Entry(), head.Checkpoint); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	c.signers, err = signersOf(proof.Signed, head.Origin)
	res := &c.result
	res.Dataset, res.Log, res.Index, res.Witnesses, res.Enough = hex.EncodeToString(leaf.Dataset[:]), head.Origin, proof.Index, by, enough
	res.NotAfter, _ = c.policy.Within(by)
	return err
}

// previous checks that the publication comes after the one that the leaf before of the dataset has, and continues it.
// Of each number a dataset has so only one publication, unless two of its leaves cover that number.
func (c *checker) previous() error {
	leaf, err := transparency.ParseLeaf(c.receipt.Leaf)
	if err != nil {
		return err
	}
	before := leaf.Previous
	if before.Version > 0 && c.commit.version <= before.Version {
		return invalid("the leaf of the log covers the publications after %d, and this is %d", before.Version, c.commit.version)
	}
	if before.Version > 0 && c.commit.version == before.Version+1 && c.commit.text("previous_sha256") != hex.EncodeToString(before.Commit[:]) {
		return invalid("the publication does not follow that of the leaf before it")
	}
	return nil
}

// open opens a signed checkpoint under the policy. No line may have the name of a witness of the policy
// without its valid signature.
func (c *checker) open(signed []byte) (head transparency.Signed, by []transparency.Cosignature, enough bool, err error) {
	if head, by, enough, err = c.policy.Check(signed); err != nil {
		return head, nil, false, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	signers, err := signersOf(signed, head.Origin)
	for i, s := range signers {
		for _, before := range signers[:i] {
			if before.name == s.name && before.hash == s.hash {
				return head, nil, false, invalid("a witness has signed the checkpoint twice")
			}
		}
		if c.policy.Names(s.name) && !verified(head, s) {
			return head, nil, false, invalid("a signature has the name of a witness of the policy, and another key")
		}
	}
	return head, by, enough, err
}

// bound checks the checkpoint that the leaf names.
func (c *checker) bound() error {
	leaf, err := transparency.ParseLeaf(c.receipt.Leaf)
	if err != nil {
		return err
	}
	text := c.receipt.After
	if text == "" {
		if leaf.After != [32]byte{} {
			return invalid("the checkpoint that the leaf names is missing")
		}
		return nil
	}
	if sha256.Sum256([]byte(text)) != leaf.After {
		return invalid("the leaf names another checkpoint")
	}
	older, by, _, err := c.open([]byte(text))
	if err != nil {
		return fmt.Errorf("the checkpoint that the leaf names: %w", err)
	}
	if older.Origin != c.result.Log || older.Size > c.result.Index {
		return invalid("the checkpoint that the leaf names is not older than the leaf")
	}
	_, c.result.NotBefore = c.policy.Within(by)
	return nil
}

// answer checks that the provider's answer is the one that the fixture was read from.
func (c *checker) answer() error {
	if len(c.receipt.Answer) == 0 {
		return nil
	}
	sum := sha256.Sum256(c.receipt.Answer)
	if c.entry.answer != hex.EncodeToString(sum[:]) {
		return invalid("the answer is not the one that the fixture was read from")
	}
	c.result.Answer = true
	return nil
}

// signer is a witness by the lines of its cosignatures.
type signer struct {
	name string
	hash uint32
	at   time.Time
}

// signersOf returns the witnesses that a signed checkpoint names, in their order. The signatures need not be
// valid. The log itself has signed once.
func signersOf(signed []byte, origin string) (all []signer, err error) {
	_, lines, _ := strings.Cut(string(signed), "\n\n")
	byLog := 0
	for line := range strings.Lines(lines) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if len(words) != 3 || words[0] != "—" {
			return nil, invalid("a signature of the checkpoint is not of its form")
		}
		blob, err := base64.StdEncoding.Strict().DecodeString(words[2])
		if err != nil {
			return nil, invalid("a signature of the checkpoint is not in base64")
		}
		if words[1] == origin {
			if byLog++; byLog > 1 {
				return nil, invalid("the checkpoint has two signatures with the name of the log")
			}
			continue
		}
		if len(blob) != 4+8+64 {
			return nil, invalid("a signature of the checkpoint is no cosignature")
		}
		at := binary.BigEndian.Uint64(blob[4:])
		if at > 1<<37 {
			return nil, invalid("the time of a cosignature is out of range")
		}
		all = append(all, signer{words[1], binary.BigEndian.Uint32(blob), time.Unix(int64(at), 0).UTC()})
	}
	return all, nil
}

func verified(head transparency.Signed, s signer) bool {
	for _, known := range head.Signatures {
		if known.Name == s.name && known.Hash == s.hash {
			return true
		}
	}
	return false
}
