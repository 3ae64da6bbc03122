package verify

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

func (v *verifier) publications(ctx context.Context) error {
	if err := v.count(); err != nil {
		return err
	}
	gone := missing{v: v, code: "SNAPSHOT_MISSING", dir: layout.SnapshotsDir, fix: v.fixRepair()}
	defer gone.report()
	var before *dataset
	for i, c := range v.order {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !v.wanted(c.CycleID) {
			before = nil
			continue
		}
		there, err := durable.Exists(v.Root, c.Dir())
		if err != nil {
			return err
		}
		gone.add(c, !there && !v.covers(snapshotKind, c.CycleID))
		var here *dataset
		if there {
			err := v.folderOf(snapshotKind, c.Dir(), c.CycleID, func() (err error) {
				here, err = v.publication(c)
				return err
			})
			if err != nil {
				return err
			}
		}
		if i > 0 && here != nil && v.order[i-1].Version == c.Version-1 {
			v.checkManifestLink(v.order[i-1], here)
		}
		// A new history has no event of the dataset before it, and may repeat an older one than the last.
		follows := before != nil && before.commit.Version == c.Version-1 && (c.HistoryID == before.commit.HistoryID || c.Republishes == before.commit.Version)
		if follows && here != nil && here.fixtures != nil && before.fixtures != nil {
			if err := v.difference(before, here); err != nil {
				return err
			}
		}
		before = here
	}
	return v.uncommitted()
}

func (v *verifier) count() error {
	for _, dir := range []string{layout.SnapshotsDir, layout.CanonicalDir, layout.RawDir} {
		entries, err := v.names(dir)
		if err != nil {
			return err
		}
		v.total += len(entries)
	}
	return nil
}

// dataset is a snapshot to compare with the one before it.
type dataset struct {
	commit   snapshot.Commit
	manifest snapshot.Manifest
	fixtures []fixture // sorted by id; nil if the table cannot be read or there is none
}

type fixture struct{ id, digest string }

// publication checks one snapshot. It returns nil if the manifest is damaged.
func (v *verifier) publication(c snapshot.Commit) (*dataset, error) {
	defer v.step()
	v.report.Checked.Snapshots++
	name := c.Dir() + "/" + layout.ManifestFile
	m, err := snapshot.Open(v.Root, c)
	if isFileFault(err) {
		v.addFault("MANIFEST_DAMAGED", name, v.fixRepair(), err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if m.ClientID != v.ClientID || m.Product != v.Product {
		v.addFinding("MANIFEST_DAMAGED", name, "remove the folder: it was copied here", "it belongs to %s %s", m.ClientID, m.Product)
	}
	d := &dataset{commit: c, manifest: m}
	if c.CanonicalSHA256 != "" && c.CanonicalSHA256 != m.CanonicalSHA256 {
		v.addFinding("MANIFEST_DAMAGED", name, fixBackup, "it names another canonical cycle than its commit")
	}
	if err := v.folder(c.Dir(), m, layout.ManifestFile, folderCodes{"FILE_MISSING", "FILE_DAMAGED"}); err != nil {
		return nil, err
	}
	if err := v.selections(c.Dir(), m); err != nil {
		return nil, err
	}
	if c.FixturesRoot != m.FixturesRoot {
		v.addFinding("FIXTURES_ROOT", name, fixBackup, "it has another fixtures_root than its commit")
	}
	if v.Product == football.LiveIntelligence {
		return d, v.liveRoot(c.Dir(), m)
	}
	d.fixtures, err = v.fixturesOf(c.Dir(), m)
	return d, err
}

type folderCodes struct{ missing, damaged string }

// folder checks every file of a folder against its manifest, and its rows against the
// manifest's summary. It reports other files.
func (v *verifier) folder(dir string, m snapshot.Manifest, header string, codes folderCodes) error {
	known := map[string]bool{header: true}
	for _, file := range m.Files {
		known[file.Name] = true
		if err := v.file(dir, m, file, codes); err != nil {
			return err
		}
	}
	entries, err := v.names(dir)
	for _, e := range entries {
		if !known[e.Name()] {
			v.addFinding("UNKNOWN_FILE", dir+"/"+e.Name(), fixUnknown, "its manifest does not name it")
		}
	}
	return err
}

func (v *verifier) file(dir string, m snapshot.Manifest, file snapshot.File, codes folderCodes) error {
	name := dir + "/" + file.Name
	v.report.Checked.Files++
	err := snapshot.VerifyFile(v.Root, dir, file)
	switch there, _ := durable.Exists(v.Root, name); {
	case isFileFault(err) && !there:
		v.addFinding(codes.missing, name, v.fixRepair(), "its manifest names it, and it is missing")
		return nil
	case isFileFault(err):
		v.addFault(codes.damaged, name, v.fixRepair(), err)
		return nil
	case err != nil:
		return err
	}
	v.report.Checked.Bytes += file.Bytes
	return v.rows(name, m, file)
}

func (v *verifier) rows(name string, m snapshot.Manifest, file snapshot.File) error {
	summarize := tables[file.Name]
	if summarize == nil {
		return nil
	}
	r, err := v.Root.Open(name)
	if err != nil {
		return snapshot.Fault(name, err)
	}
	defer r.Close()
	got, err := summarize(r, r.Size())
	if err != nil {
		v.addFault("ROWS_DIFFER", name, v.fixRepair(), err)
		return nil
	}
	v.report.Checked.Rows += got.Rows
	want := m.Tables[snapshot.TableKey(file.Name)]
	switch {
	case got.Rows != want.Rows:
		v.addFinding("ROWS_DIFFER", name, v.fixRepair(), "it has %d rows, its manifest says %d", got.Rows, want.Rows)
	case got.Digest != want.Digest:
		v.addFinding("ROWS_DIFFER", name, v.fixRepair(), "its rows have another digest than its manifest says")
	}
	return nil
}

// checkManifestLink checks a manifest against the commit before its own.
func (v *verifier) checkManifestLink(before snapshot.Commit, here *dataset) {
	if here.manifest.PreviousManifestSHA256 != before.ManifestSHA256 {
		v.addFinding("MANIFEST_CHAIN", here.commit.Dir()+"/"+layout.ManifestFile, fixBackup, "it carries another hash than that of version %d's manifest", before.Version)
	}
}

// fixturesOf reads the fixtures of a snapshot, and checks that they have the root of its manifest. It
// returns nil if there is no readable table, which is already a finding.
func (v *verifier) fixturesOf(dir string, m snapshot.Manifest) ([]fixture, error) {
	if _, ok := m.Tables["fixtures"]; !ok {
		return nil, nil
	}
	all, entries := []fixture{}, []snapshot.FixtureEntry{}
	for row, err := range snapshot.Rows[table.FixtureRow](v.Root, dir+"/"+layout.FixturesFile) {
		if durable.IsExhausted(err) {
			return nil, err
		}
		if err != nil {
			return nil, nil
		}
		all = append(all, fixture{row.FixtureID, row.ContentDigest})
		entries = append(entries, snapshot.EntryOf(row))
	}
	v.root(dir, m, entries)
	return all, nil
}

func (v *verifier) root(dir string, m snapshot.Manifest, entries []snapshot.FixtureEntry) {
	if m.FixturesRoot != "" && m.FixturesRoot != snapshot.FixturesRoot(entries) {
		v.addFinding("FIXTURES_ROOT", dir+"/"+layout.ManifestFile, v.fixRepair(), "its fixtures_root is not that of its fixtures")
	}
}

// liveRoot checks that the rows of a live snapshot have the root of its manifest. Tables that cannot be read are
// already a finding.
func (v *verifier) liveRoot(dir string, m snapshot.Manifest) error {
	if m.FixturesRoot == "" {
		return nil
	}
	var entries []snapshot.FixtureEntry
	var content []byte
	for rows, err := range snapshot.LiveRows(v.Root, dir) {
		if durable.IsExhausted(err) {
			return err
		}
		if err != nil {
			return nil
		}
		var entry snapshot.FixtureEntry
		entry, content = snapshot.LiveEntryOf(rows, content[:0])
		entries = append(entries, entry)
	}
	v.root(dir, m, entries)
	return nil
}

// isFileFault reports whether an error is about the file itself, and not about reading.
func isFileFault(err error) bool {
	return snapshot.IsFault(err) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrNotRegular)
}

// unlessFileFault returns err, or nil if it is about the file itself.
func unlessFileFault(err error) error {
	if isFileFault(err) {
		return nil
	}
	return err
}

type summarizer = func(io.ReaderAt, int64) (table.Summary, error)

// tables has a function for every kind of file, which counts and digests its rows.
var tables = map[string]summarizer{
	layout.FixturesFile:     table.Summarize[table.FixtureRow],
	layout.MarketsFile:      table.Summarize[table.MarketRow],
	layout.ListingFile:      table.Summarize[table.ListingRow],
	layout.LiveFile:         table.Summarize[table.LiveRow],
	layout.LiveCountersFile: table.Summarize[table.LiveCounterRow],
	layout.LiveTimelineFile: table.Summarize[table.LiveTimelineRow],
	layout.LiveBucketsFile:  table.Summarize[table.LiveBucketRow],
	layout.LivePeriodsFile:  table.Summarize[table.LivePeriodRow],
	layout.LiveStatesFile:   table.Summarize[table.LiveStateRow],
}
