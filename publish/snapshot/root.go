package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"math/bits"
	"time"

	"mkt/publish/durable"
	"mkt/publish/table"
	"mkt/publish/table/content"
)

// FixtureEntry is the statement of fixtures_root on one fixture of a publication.
type FixtureEntry struct {
	Live      bool // the content is [content.LiveRows], not a fixture with its markets
	ID        string
	Content   string    // its content digest
	FetchedAt time.Time // its provider_fetched_at
	Answer    *string   // SHA-256 of the provider's answer with its markets; nil if not recorded
}

// The first lines of entries. Each kind of content has its own.
const (
	FixtureEntryForm = "mkt.fixture/v1"
	LiveEntryForm    = "mkt.live/v1"
)

// Text returns the entry of the Merkle tree.
func (e FixtureEntry) Text() string {
	form, answer := FixtureEntryForm, "-"
	if e.Live {
		form = LiveEntryForm
	}
	if e.Answer != nil {
		answer = *e.Answer
	}
	return form + "\nfixture " + e.ID + "\ncontent " + e.Content + "\nfetched " + e.FetchedAt.UTC().Format(entryTime) + "\nanswer " + answer + "\n"
}

// EntryOf returns the entry of a fixture's row.
func EntryOf(row *table.FixtureRow) FixtureEntry {
	return FixtureEntry{ID: row.FixtureID, Content: row.ContentDigest, FetchedAt: row.ProviderFetchedAt, Answer: row.AnswerSHA256}
}

// LiveEntryOf returns the entry of a fixture's live rows, whose content it appends to scratch. A state in play is
// read from many answers, so that its entry names none.
func LiveEntryOf(rows *content.LiveRows, scratch []byte) (FixtureEntry, []byte) {
	content := rows.AppendContent(scratch)
	return FixtureEntry{Live: true, ID: rows.Fixture.FixtureID, Content: durable.Hash(content[len(scratch):]), FetchedAt: rows.Fixture.ProviderFetchedAt}, content
}

// entryTime is the form of times in entries: UTC, with milliseconds.
const entryTime = "2006-01-02T15:04:05.000Z"

// FixturesRoot returns the root of the Merkle tree over the fixtures of a publication, in the
// order of fixtures.parquet or live.parquet, in hex. With it one fixture can be shown without the others. Source of
// the hashing: RFC 6962, section 2.1.
func FixturesRoot(entries []FixtureEntry) string {
	root := rootOf(hashesOf(entries))
	return hex.EncodeToString(root[:])
}

// Sibling is the hash of the other half of a subtree, on the way from an entry to the root.
type Sibling struct {
	Left bool // it is hashed before the half with the entry
	Hash [sha256.Size]byte
}

// PathOf returns the way from the entry of an index to the root. It tells neither the index nor how many
// fixtures there are.
func PathOf(entries []FixtureEntry, index int) []Sibling {
	return pathOf(hashesOf(entries), index)
}

// RootBy returns the root to which a way leads from an entry's text.
func RootBy(entry string, path []Sibling) [sha256.Size]byte {
	h := entryHash(entry)
	for _, s := range path {
		if s.Left {
			h = nodeHash(s.Hash, h)
		} else {
			h = nodeHash(h, s.Hash)
		}
	}
	return h
}

// Entries and nodes are told apart by their first byte.
func entryHash(text string) [sha256.Size]byte { return sha256.Sum256([]byte("\x00" + text)) }

func nodeHash(left, right [sha256.Size]byte) [sha256.Size]byte {
	var both [1 + 2*sha256.Size]byte
	both[0] = 1
	copy(both[1:], left[:])
	copy(both[1+sha256.Size:], right[:])
	return sha256.Sum256(both[:])
}

func hashesOf(entries []FixtureEntry) [][sha256.Size]byte {
	all := make([][sha256.Size]byte, len(entries))
	for i, e := range entries {
		all[i] = entryHash(e.Text())
	}
	return all
}

func rootOf(all [][sha256.Size]byte) [sha256.Size]byte {
	switch len(all) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return all[0]
	}
	half := leftOf(len(all))
	return nodeHash(rootOf(all[:half]), rootOf(all[half:]))
}

func pathOf(all [][sha256.Size]byte, index int) []Sibling {
	if len(all) == 1 {
		return nil
	}
	half := leftOf(len(all))
	if index < half {
		return append(pathOf(all[:half], index), Sibling{false, rootOf(all[half:])})
	}
	return append(pathOf(all[half:], index-half), Sibling{true, rootOf(all[:half])})
}

// leftOf is the size of the left subtree of a tree: the largest power of two that is smaller.
func leftOf(n int) int { return 1 << (bits.Len(uint(n-1)) - 1) }
