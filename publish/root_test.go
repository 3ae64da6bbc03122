package publish_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/repair"
	"mkt/publish/retention"
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

// A live publication has the root of its canonical cycle, in which each fixture can be shown alone with its rows in all
// tables. A lost manifest gets it again, a new history keeps it, and a cycle of a build without roots gives none.
func TestLiveRoot(t *testing.T) {
	t.Parallel()
	for _, older := range []bool{false, true} {
		f := durabletest.NewMem()
		for n := 1; n <= 3; n++ {
			k := liveTick{n, 5 - n}
			k.transformAs(t, f, older)
			_, err := publish.Run(context.Background(), k.options(f))
			must(t, err)
		}
		head, _, err := snapshot.Head(f)
		must(t, err)
		m, err := snapshot.Open(f, head)
		must(t, err)
		var texts []string
		for rows, err := range snapshot.LiveRows(f, head.Dir()) {
			must(t, err)
			if len(rows.Counters) != 1 || len(rows.Timeline) != 1 || len(rows.Buckets) != 1 || len(rows.Periods) != 1 {
				t.Errorf("%+v", rows)
			}
			texts = append(texts, fmt.Sprintf("mkt.live/v1\nfixture %s\ncontent %s\nfetched %s\nanswer -\n", rows.Fixture.FixtureID, durable.Hash(rows.AppendContent(nil)),
				liveTick{number: 3}.at().Format("2006-01-02T15:04:05.000Z")))
		}
		want := hex.EncodeToString(merkleRoot(texts))
		if older {
			want = ""
		}
		if len(texts) != 2 || m.FixturesRoot != want || head.FixturesRoot != want {
			t.Errorf("older: %v: %d fixtures, root %q in the manifest and %q in the commit, want %q", older, len(texts), m.FixturesRoot, head.FixturesRoot, want)
		}
		before := files(t, f, layout.SnapshotsDir)
		replace(t, f, head.Dir()+"/"+layout.ManifestFile, nil)
		_, err = repair.Run(context.Background(), liveTick{number: 3}.options(f))
		must(t, err)
		if diff := diffFiles(before, files(t, f, layout.SnapshotsDir)); diff != "" {
			t.Errorf("older: %v: rebuilt: %s", older, diff)
		}
		o := liveTick{4, 1}.options(f)
		o.RunID = "history"
		_, err = repair.NewHistory(context.Background(), o)
		must(t, err)
		again, _, err := snapshot.Head(f)
		must(t, err)
		if again.Version != 4 || again.FixturesRoot != want {
			t.Errorf("older: %v: a new history has %+v", older, again)
		}
	}
}

// Rows of a fixture that live.parquet lacks belong to no entry. They are damage, wherever they lie.
func TestLiveRowsWithoutFixture(t *testing.T) {
	t.Parallel()
	for _, missing := range []int{0, 1, 2} {
		f := durabletest.NewMem()
		publishTicks(t, f, retention.Policy{}, liveTick{1, 3})
		head, _, err := snapshot.Head(f)
		must(t, err)
		var rows []table.LiveRow
		must(t, eachRow(f, head.Dir()+"/"+layout.LiveFile, func(row *table.LiveRow) error {
			if row.FixtureID != fixtureID(missing) {
				rows = append(rows, *row)
			}
			return nil
		}))
		must(t, f.Remove(head.Dir()+"/"+layout.LiveFile))
		writeTable(t, f, head.Dir(), layout.LiveFile, "live", &snapshot.Manifest{Tables: map[string]snapshot.Table{}}, rows)
		var failed error
		for _, err := range snapshot.LiveRows(f, head.Dir()) {
			failed = err
		}
		if !errors.Is(failed, snapshot.ErrDamaged) || !strings.Contains(failed.Error(), fixtureID(missing)) {
			t.Errorf("without fixture %d: %v", missing, failed)
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
