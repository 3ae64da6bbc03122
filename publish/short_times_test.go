package publish_test

import (
	"bytes"
	"testing"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Earlier builds wrote times without the zeros at the end of their fractions. Such a publication stays
// valid: its lost manifest is rebuilt to the very bytes, and the next publication, whose times have one
// width, is built on it.
func TestShortTimesOfEarlierBuilds(t *testing.T) {
	t.Parallel()
	f := durabletest.NewMem()
	publishCycle(t, f, cycle{number: 1, refreshed: []int{1, 2, 3}})
	m, _, err := snapshot.ReadManifest(f, published(1)+"/"+layout.ManifestFile)
	must(t, err)
	manifest, err := layout.EncodeShortTimes(m)
	must(t, err)
	c, err := snapshot.ReadCommit(f, 1)
	must(t, err)
	c.ManifestSHA256 = durable.Hash(manifest)
	record, err := layout.EncodeShortTimes(c)
	must(t, err)
	replace(t, f, layout.Commit(1), record)
	c.SHA256 = durable.Hash(record)
	must(t, snapshot.WriteCurrent(f, c))
	replace(t, f, published(1)+"/"+layout.ManifestFile, nil)

	repairAll(t, f)
	got, err := durable.ReadFile(f, published(1)+"/"+layout.ManifestFile, 1<<20)
	must(t, err)
	if !bytes.Equal(got, manifest) {
		t.Errorf("rebuilt as\n%s\nwant\n%s", got, manifest)
	}
	publishCycle(t, f, cycle{number: 2, refreshed: []int{1, 4}, failed: []int{2, 3}})
	next, record, err := snapshot.ReadRecord(f, 2)
	must(t, err)
	if next.PreviousSHA256 != c.SHA256 || !bytes.Contains(record, []byte(`:00.000Z"`)) || bytes.Contains(record, []byte(`:00Z"`)) {
		t.Errorf("the next record: %s", record)
	}
}
