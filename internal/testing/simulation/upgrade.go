package simulation

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// oldRoot is what a released version wrote, of the account acme, relative to this package.
const oldRoot = "../../../publish/testdata/backcompat/1"

// upgrade gives a machine the data root of an older version: it is the first one with this version. The
// provider told the account what that root has. It returns the newest version there.
func upgrade(m *machine, j job) (version uint64) {
	root := within(m.disk, j.dir())
	err := copyOld(root)
	if err == nil {
		version, err = know(root, j)
	}
	if err != nil {
		m.w.Fatal(err)
	}
	cycles, err := fs.Glob(os.DirFS(oldRoot), layout.SnapshotsDir+"/*")
	if err != nil || len(cycles) == 0 {
		m.w.Fatal("no cycle in ", oldRoot, err)
	}
	for _, dir := range cycles { // the kept root has no cycles but the published ones
		for _, kind := range []string{layout.RawDir, layout.CanonicalDir} {
			m.lose(j.dir() + "/" + strings.Replace(dir, layout.SnapshotsDir, kind, 1))
		}
	}
	m.w.note("%s: %s begins with the data root of an older version", m.name, j)
	return version
}

// copyOld copies the old root, as if its ids were made with the key of this world: each file that names the
// key, or the hash of such a file, has another hash.
func copyOld(to durable.FS) error {
	old := os.DirFS(oldRoot)
	var names []string
	for _, pattern := range []string{"changes/*", "snapshots/*/*.parquet", "snapshots/*/*.json", "commits/*", "CURRENT"} {
		some, err := fs.Glob(old, pattern)
		if err != nil || len(some) == 0 {
			return fmt.Errorf("no file %s in %s: %w", pattern, oldRoot, err)
		}
		names = append(names, some...)
	}
	changed := []string{`"id_key_fingerprint": "key"`, `"id_key_fingerprint": "` + key.Fingerprint() + `"`}
	for _, name := range names {
		data, err := fs.ReadFile(old, name)
		if err != nil {
			return err
		}
		now := []byte(strings.NewReplacer(changed...).Replace(string(data)))
		if !bytes.Equal(now, data) {
			changed = append(changed, fmt.Sprintf("%x", sha256.Sum256(data)), fmt.Sprintf("%x", sha256.Sum256(now)))
		}
		if err := durable.MkdirAllSync(to, path.Dir(name)); err != nil {
			return err
		}
		if err := durable.Create(to, name, durable.Bytes(now)); err != nil {
			return err
		}
	}
	return nil
}

// know adds the fixtures and prices of a root to what the provider told the account, and returns its newest version.
func know(root durable.FS, j job) (version uint64, err error) {
	c, found, err := snapshot.Head(root)
	if err != nil || !found {
		return 0, err
	}
	for row, err := range snapshot.Rows[table.FixtureRow](root, c.Dir()+"/"+layout.FixturesFile) {
		if err != nil {
			return 0, err
		}
		j.words[row.ProviderFixtureID] = true
	}
	for row, err := range snapshot.Rows[table.MarketRow](root, c.Dir()+"/"+layout.MarketsFile) {
		if err != nil {
			return 0, err
		}
		for i := range row.Selections {
			for _, price := range []*string{row.Selections[i].OddsDecimalText, row.Selections[i].OddsFractional} {
				if price != nil {
					j.words[*price] = true
				}
			}
		}
	}
	return c.Version, nil
}
