package verify

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// publications reads the snapshots that are kept, oldest first.
func (v *verifier) publications(ctx context.Context) error {
	if err := v.count(); err != nil {
		return err
	}
	gone := missing{v: v, code: "SNAPSHOT_MISSING", dir: layout.SnapshotsDir, fix: func(layout.CycleID) string { return v.fixMend() }}
	defer gone.tell()
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
		gone.see(c, !there && !v.covers(snapshotKind, c.CycleID))
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
			v.manifestFollows(v.order[i-1], here)
		}
		if before != nil && here != nil && before.commit.Version == c.Version-1 && here.fixtures != nil && before.fixtures != nil {
			if err := v.difference(before, here); err != nil {
				return err
			}
		}
		before = here
	}
	return v.uncommitted()
}

// count foresees how much there is to read.
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

// dataset is a snapshot as it is compared with its neighbour.
type dataset struct {
	commit   snapshot.Commit
	manifest snapshot.Manifest
	fixtures map[string]string // id → content digest; nil when the table cannot be read, or there is none
}

// publication reads one snapshot; nil when it cannot be judged.
func (v *verifier) publication(c snapshot.Commit) (*dataset, error) {
	defer v.step()
	v.report.Checked.Snapshots++
	name := c.Dir() + "/" + layout.ManifestFile
	m, err := snapshot.Open(v.Root, c)
	if isBad(err) {
		v.fault("MANIFEST_DAMAGED", name, v.fixMend(), err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if m.ClientID != v.ClientID || m.Product != v.Product {
		v.find("MANIFEST_DAMAGED", name, "take the folder away: it was copied here", "it is of %s %s", m.ClientID, m.Product)
	}
	d := &dataset{commit: c, manifest: m}
	for _, s := range m.Changes {
		v.segments[s.File] = s
	}
	if c.CanonicalSHA256 != "" && c.CanonicalSHA256 != m.CanonicalSHA256 {
		v.find("MANIFEST_DAMAGED", name, fixBackup, "it names another canonical cycle than its commit")
	}
	if err := v.folder(c.Dir(), m, layout.ManifestFile, folderCodes{"FILE_MISSING", "FILE_DAMAGED"}); err != nil {
		return nil, err
	}
	d.fixtures, err = v.fixturesOf(c.Dir(), m)
	return d, err
}

// folderCodes are what is told of a folder's files.
type folderCodes struct{ missing, damaged string }

// folder holds every file of a folder against its manifest, and its rows against
// the manifest's summary; what else lies there is told.
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
			v.find("UNKNOWN_FILE", dir+"/"+e.Name(), fixUnknown, "its manifest does not name it")
		}
	}
	return err
}

func (v *verifier) file(dir string, m snapshot.Manifest, file snapshot.File, codes folderCodes) error {
	name := dir + "/" + file.Name
	v.report.Checked.Files++
	err := snapshot.Verify(v.Root, dir, snapshot.Manifest{Files: []snapshot.File{file}})
	switch there, _ := durable.Exists(v.Root, name); {
	case isBad(err) && !there:
		v.find(codes.missing, name, v.fixMend(), "its manifest names it, and it is not there")
		return nil
	case isBad(err):
		v.fault(codes.damaged, name, v.fixMend(), err)
		return nil
	case err != nil:
		return err
	}
	v.report.Checked.Bytes += file.Bytes
	return v.rows(name, m, file)
}

// rows holds a table's rows against what its manifest says of them.
func (v *verifier) rows(name string, m snapshot.Manifest, file snapshot.File) error {
	key, summarize := tableOf(file.Name)
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
		v.fault("ROWS_DIFFER", name, v.fixMend(), err)
		return nil
	}
	v.report.Checked.Rows += got.Rows
	want := m.Tables[key]
	switch {
	case got.Rows != want.Rows:
		v.find("ROWS_DIFFER", name, v.fixMend(), "%d rows, its manifest says %d", got.Rows, want.Rows)
	case got.Digest != want.Digest:
		v.find("ROWS_DIFFER", name, v.fixMend(), "its rows have another digest than its manifest says")
	}
	return nil
}

// manifestFollows holds a manifest against the commit before its own.
func (v *verifier) manifestFollows(before snapshot.Commit, here *dataset) {
	if here.manifest.PreviousManifestSHA256 != before.ManifestSHA256 {
		v.find("MANIFEST_CHAIN", here.commit.Dir()+"/"+layout.ManifestFile, fixBackup, "it carries another hash than that of version %d's manifest", before.Version)
	}
}

// fixturesOf reads which fixtures a snapshot has.
func (v *verifier) fixturesOf(dir string, m snapshot.Manifest) (map[string]string, error) {
	if _, ok := m.Tables["fixtures"]; !ok {
		return nil, nil
	}
	r, err := v.Root.Open(path.Join(dir, layout.FixturesFile))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrNotRegular) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	rows, err := table.NewReader[table.FixtureRow](r, r.Size())
	if err != nil {
		return nil, nil // told of the file
	}
	defer rows.Close()
	all := map[string]string{}
	for row, err := range rows.All {
		if err != nil {
			return nil, nil
		}
		all[row.FixtureID] = row.ContentDigest
	}
	return all, nil
}

// isBad tells damage from a fault of reading.
func isBad(err error) bool {
	return snapshot.IsFault(err) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrNotRegular)
}

// unlessBad is a fault of reading, nil when the file itself is at fault.
func unlessBad(err error) error {
	if isBad(err) {
		return nil
	}
	return err
}
