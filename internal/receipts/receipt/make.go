package receipt

import (
	"bytes"
	"errors"
	"fmt"

	"mkt/internal/receipts/transparency"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

// Errors of [Make].
var (
	// ErrNoRoot: the publication is of a build that did not commit to its fixtures one by one.
	ErrNoRoot = errors.New("the publication has no fixtures_root: a build before receipts made it")
	// ErrRewritten: the log has another commit of this number than the data root.
	ErrRewritten = errors.New("the log has another commit than the data root: one of them was changed, or it is of a deleted account of that name")
	// ErrUnknown: the publication does not have the selection.
	ErrUnknown = errors.New("the publication does not have the selection")
	// ErrUnknownMatch: the live publication does not have the fixture.
	ErrUnknownMatch = errors.New("the publication does not have the match")
	// ErrOtherRows: a canonical cycle that was transformed again has other rows than its publication.
	ErrOtherRows = errors.New("the rows are not those of the publication: they are damaged, or its cycle was transformed again with another result")
	// ErrTooLarge: the receipt would have more than [MaxBytes].
	ErrTooLarge = fmt.Errorf("the receipt would have more than %d MiB", MaxBytes>>20)
	// ErrOlderDigest: the fixture's content digest is of an older format.
	ErrOlderDigest = errors.New("the digest of the fixture is not that of its rows: a build before receipts made it, or the rows are damaged")
)

// Wanted says what a receipt is made of.
type Wanted struct {
	Root                           durable.ReadFS // of the account's product
	Data                           durable.ReadFS // the data root, with the log
	ClientID                       string
	Product                        football.Product
	Commit                         snapshot.Commit      // of the publication, whose snapshot must be kept, see [snapshot.LiveFolder]
	FixtureID, MarketID, Selection string               // of a match in play, the fixture alone
	Policy                         *transparency.Policy // its log must be that of the data root
	// Answer returns the provider's answer with a hash; nil leaves it out.
	Answer func(sha256 string) ([]byte, error)
}

// Make makes a receipt, and checks it. It needs no key. The errors are those above,
// [transparency.ErrNotLogged], [transparency.ErrNoLog], and damage.
func Make(w Wanted) (*Receipt, *Result, error) {
	r := &Receipt{Live: w.Product == football.LiveIntelligence, FixtureID: w.FixtureID, MarketID: w.MarketID, SelectionID: w.Selection}
	if w.Commit.FixturesRoot == "" {
		return nil, nil, ErrNoRoot
	}
	take := r.takeFixture
	if r.Live {
		take = r.takeMatch
	}
	answer, err := take(w)
	if err == nil {
		err = r.takeLog(w)
	}
	if err == nil && w.Answer != nil && answer != nil {
		r.Answer, err = w.Answer(*answer)
	}
	if err != nil {
		return nil, nil, err
	}
	result, claim, err := r.check(w.Policy)
	if err != nil {
		return nil, nil, err
	}
	r.Says = claim
	if len(r.Encode()) > MaxBytes {
		return nil, nil, ErrTooLarge
	}
	return r, result, nil
}

// takeFixture takes the rows of the fixture, and its place among the fixtures. It returns the hash of the
// provider's answer, if there is one.
func (r *Receipt) takeFixture(w Wanted) (answer *string, err error) {
	m, err := snapshot.Open(w.Root, w.Commit)
	if err != nil {
		return nil, err
	}
	row, markets, found, err := snapshot.FixtureOf(w.Root, w.Commit, m, w.FixtureID)
	if err != nil {
		return nil, err
	}
	if !found || !has(markets, w.MarketID, w.Selection) {
		return nil, ErrUnknown
	}
	r.Fixture, r.Content = snapshot.EntryOf(&row).Text(), content.Of(row, markets)
	if durable.Hash(r.Content) != row.ContentDigest {
		return nil, ErrOlderDigest
	}
	var entries []snapshot.FixtureEntry
	index := 0
	for f, err := range snapshot.Rows[table.FixtureRow](w.Root, w.Commit.Dir()+"/"+layout.FixturesFile) {
		if err != nil {
			return nil, err
		}
		if f.FixtureID == w.FixtureID {
			index = len(entries)
		}
		entries = append(entries, snapshot.EntryOf(f))
	}
	r.Path = snapshot.PathOf(entries, index)
	return row.AnswerSHA256, nil
}

// takeMatch does the same for a match in play, from the live tables.
func (r *Receipt) takeMatch(w Wanted) (answer *string, err error) {
	dir, m, err := snapshot.LiveFolder(w.Root, w.Commit)
	if err == nil {
		err = snapshot.Verify(w.Root, dir, m)
	}
	if err != nil {
		return nil, err
	}
	var entries []snapshot.FixtureEntry
	var content []byte
	index := -1
	for rows, err := range snapshot.LiveRows(w.Root, dir) {
		if err != nil {
			return nil, err
		}
		var entry snapshot.FixtureEntry
		entry, content = snapshot.LiveEntryOf(rows, content[:0])
		if rows.Fixture.FixtureID == w.FixtureID {
			index, answer = len(entries), entry.Answer
			r.Fixture, r.Content = entry.Text(), bytes.Clone(content)
		}
		entries = append(entries, entry)
	}
	switch {
	case snapshot.FixturesRoot(entries) != w.Commit.FixturesRoot:
		return nil, fmt.Errorf("%s: %w", dir, ErrOtherRows)
	case index < 0:
		return nil, ErrUnknownMatch
	}
	r.Path = snapshot.PathOf(entries, index)
	return answer, nil
}

func has(markets []table.MarketRow, market, selection string) bool {
	for _, m := range markets {
		for _, s := range m.Selections {
			if m.MarketID == market && s.SelectionID == selection {
				return true
			}
		}
	}
	return false
}

// takeLog takes the commits up to the one in the log, and the proof of that.
func (r *Receipt) takeLog(w Wanted) error {
	view, head, err := w.Policy.OpenLog(w.Data)
	if err != nil {
		return err
	}
	index, record, after, err := view.Find(w.ClientID, string(w.Product), w.Commit.Version, head)
	if err != nil {
		return err
	}
	sum := ""
	for version := w.Commit.Version; version <= record.Version; version++ {
		_, data, err := snapshot.ReadRecord(w.Root, version)
		if err != nil {
			return err
		}
		r.Commits, sum = append(r.Commits, string(data)), durable.Hash(data)
	}
	if sum != record.CommitSHA256 {
		return fmt.Errorf("version %d: %w", record.Version, ErrRewritten)
	}
	leaf, err := record.Leaf()
	if err != nil {
		return err
	}
	under, err := view.Witnessed(index, w.Policy, head)
	if err != nil {
		return err
	}
	proof, err := view.Prove(index, under, head)
	r.Leaf, r.After, r.Proof = leaf.Text(), string(after), string(proof.Encode())
	return err
}
