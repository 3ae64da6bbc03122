package publish_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/bits"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"mkt/publish"
	"mkt/publish/durable/durabletest"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// merkleRoot is the hash of RFC 6962, section 2.1, as it is written there.
func merkleRoot(entries []string) []byte {
	switch n := len(entries); n {
	case 0:
		sum := sha256.Sum256(nil)
		return sum[:]
	case 1:
		sum := sha256.Sum256([]byte("\x00" + entries[0]))
		return sum[:]
	default:
		k := 1 << (bits.Len(uint(n-1)) - 1) // the largest power of two smaller than n
		sum := sha256.Sum256(append(append([]byte{1}, merkleRoot(entries[:k])...), merkleRoot(entries[k:])...))
		return sum[:]
	}
}

// Manifest and commit have the root over the fixtures of the dataset, refreshed or carried over, and
// each fixture can be shown alone.
func TestFixturesRoot(t *testing.T) {
	t.Parallel()
	f := durabletest.NewMem()
	answer := fmt.Sprintf("%064x", 7)
	for number, c := range []cycle{
		{refreshed: []int{1}}, {refreshed: []int{1, 2, 3}}, {refreshed: []int{5, 6, 7, 8}, bare: []int{9}, partly: true}, {over: []int{1, 2, 3, 5, 6, 7, 8, 9}}, {refreshed: upTo(12)},
	} {
		c.number = number + 1
		if number == 2 {
			c.content = func(n int) (table.FixtureRow, []table.MarketRow) {
				row, markets := c.fixture(n)
				row.AnswerSHA256 = &answer
				return row, markets
			}
		}
		publishCycle(t, f, c)
		head, _, err := snapshot.Head(f)
		must(t, err)
		m, err := snapshot.Open(f, head)
		must(t, err)
		var texts []string
		var entries []snapshot.FixtureEntry
		for row, err := range snapshot.Rows[table.FixtureRow](f, head.Dir()+"/"+layout.FixturesFile) {
			must(t, err)
			named := "-"
			if number == 2 && row.ProviderFetchedAt.After(c.at()) && row.MarketCount > 0 { // refreshed by this cycle
				named = answer
			}
			at := row.ProviderFetchedAt.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.000Z")
			texts = append(texts, fmt.Sprintf("mkt.fixture/v1\nfixture %s\ncontent %s\nfetched %s\nanswer %s\n", row.FixtureID, row.ContentDigest, at, named))
			entries = append(entries, snapshot.EntryOf(row))
		}
		want := hex.EncodeToString(merkleRoot(texts))
		if m.FixturesRoot != want || head.FixturesRoot != want {
			t.Errorf("cycle %d, %d fixtures: root %s in the manifest and %s in the commit, want %s", c.number, len(texts), m.FixturesRoot, head.FixturesRoot, want)
		}
		root := tlog.Hash(merkleRoot(texts))
		for i := range texts {
			path := snapshot.PathOf(entries, i)
			var proof tlog.RecordProof // its hashes are the same, by another implementation
			for _, s := range path {
				proof = append(proof, s.Hash)
			}
			err := tlog.CheckRecord(proof, int64(len(texts)), root, int64(i), tlog.RecordHash([]byte(texts[i])))
			if err != nil || tlog.Hash(snapshot.RootBy(texts[i], path)) != root {
				t.Errorf("cycle %d, fixture %d: %v, or another root", c.number, i, err)
			}
		}
	}
}

// A lost manifest gets its root again, and that of a build without roots gets none.
func TestFixturesRootIsRebuilt(t *testing.T) {
	t.Parallel()
	for _, without := range []bool{false, true} {
		f := durabletest.NewMem()
		for number := range 3 {
			publishCycle(t, f, cycle{number: number + 1, refreshed: upTo(number + 2)}, func(o *publish.Options) { o.WithoutRoot = without })
		}
		head, _, err := snapshot.Head(f)
		must(t, err)
		if without != (head.FixturesRoot == "") {
			t.Fatalf("without roots: %v, root %q", without, head.FixturesRoot)
		}
		before := files(t, f, layout.SnapshotsDir)
		replace(t, f, head.Dir()+"/"+layout.ManifestFile, nil)
		_, err = repair.Run(context.Background(), options(f, cycle{number: 3}, "repair"))
		must(t, err)
		if diff := diffFiles(before, files(t, f, layout.SnapshotsDir)); diff != "" {
			t.Errorf("without roots: %v: %s", without, diff)
		}
	}
}
