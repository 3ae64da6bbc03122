package snapshot

import (
	"encoding/hex"
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"mkt/publish/table"
)

// FixtureEntry is what fixtures_root says of one fixture of a publication.
type FixtureEntry struct {
	ID        string
	Content   string    // its content digest
	FetchedAt time.Time // its provider_fetched_at
	Answer    *string   // SHA-256 of the provider's answer with its markets; nil if not recorded
}

// Text returns the entry of the Merkle tree. Another format begins otherwise.
func (e FixtureEntry) Text() string {
	answer := "-"
	if e.Answer != nil {
		answer = *e.Answer
	}
	return fmt.Sprintf("mkt.fixture/v1\nfixture %s\ncontent %s\nfetched %s\nanswer %s\n", e.ID, e.Content, e.FetchedAt.UTC().Format(entryTime), answer)
}

// EntryOf returns the entry of a fixture's row.
func EntryOf(row *table.FixtureRow) FixtureEntry {
	return FixtureEntry{ID: row.FixtureID, Content: row.ContentDigest, FetchedAt: row.ProviderFetchedAt, Answer: row.AnswerSHA256}
}

// entryTime is the form of times in entries: UTC, with milliseconds.
const entryTime = "2006-01-02T15:04:05.000Z"

// FixturesRoot returns the root of the Merkle tree over the fixtures of a publication, in the
// order of fixtures.parquet, in hex. With it one fixture can be shown without the others. Source of
// the hashing: RFC 6962, section 2.1.
func FixturesRoot(entries []FixtureEntry) string {
	stored := storedHashes(entries)
	root, err := tlog.TreeHash(int64(len(entries)), stored)
	if err != nil {
		panic(err) // all hashes are there
	}
	return hex.EncodeToString(root[:])
}

// ProveFixture returns the hashes that lead from the entry of an index to the root.
func ProveFixture(entries []FixtureEntry, index int) (tlog.RecordProof, error) {
	return tlog.ProveRecord(int64(len(entries)), int64(index), storedHashes(entries))
}

// hashes are the hashes of a tree, by their index.
type hashes []tlog.Hash

func (h hashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at >= int64(len(h)) {
			return nil, fmt.Errorf("hash %d of %d", at, len(h))
		}
		found[i] = h[at]
	}
	return found, nil
}

func storedHashes(entries []FixtureEntry) hashes {
	all := make(hashes, 0, 2*len(entries))
	for i, e := range entries {
		more, err := tlog.StoredHashes(int64(i), []byte(e.Text()), all)
		if err != nil {
			panic(err) // the hashes before are there
		}
		all = append(all, more...)
	}
	return all
}
