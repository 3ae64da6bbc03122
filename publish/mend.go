package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// ErrBeyondMending: what is to be built upon is damaged and cannot be made again
// out of what is left. A person restores the file, or begins a new history.
var ErrBeyondMending = errors.New("damaged, and what it was made from is not there any more: " +
	"restore it from a backup, or begin a new history with mkt recover --new-history")

// openMended opens the manifest of a committed snapshot; a damaged one is put
// back first.
func (r *run) openMended(ctx context.Context, c snapshot.Commit) (snapshot.Manifest, error) {
	m, err := snapshot.Open(r.Root, c)
	if !isDamage(err) || r.asIs {
		return m, err
	}
	if err := r.mend(ctx, c, nil, err); err != nil {
		return m, err
	}
	return snapshot.Open(r.Root, c)
}

// previousFile is where the rows of the published snapshot's file are read: the
// file itself, held against its manifest, after it was put back if need be.
func (r *run) previousFile(ctx context.Context, name string) (string, error) {
	at := r.base.Dir() + "/" + name
	if r.standIns[name] == "" {
		err := snapshot.Verify(r.Root, r.base.Dir(), only(*r.previous, name))
		if !isDamage(err) || r.asIs {
			return at, err
		}
		if err := r.mend(ctx, r.base, r.previous, err); err != nil {
			return "", err
		}
	}
	return cmp.Or(r.standIns[name], at), nil
}

// verifyMended reads all files of a snapshot, after the damaged ones were put back.
// Rows in other bytes will not do here: the file is still not what was sealed.
func (r *run) verifyMended(ctx context.Context, c snapshot.Commit, m snapshot.Manifest) error {
	err := snapshot.Verify(r.Root, c.Dir(), m)
	if !isDamage(err) {
		return err
	}
	if err := r.mend(ctx, c, &m, err); err != nil {
		return err
	}
	err = snapshot.Verify(r.Root, c.Dir(), m)
	if isDamage(err) {
		return fmt.Errorf("%w: %w (made again it has the same rows in other bytes)", err, ErrBeyondMending)
	}
	return err
}

// only is a manifest with no other file in it.
func only(m snapshot.Manifest, name string) snapshot.Manifest {
	one := snapshot.Manifest{}
	for _, file := range m.Files {
		if file.Name == name {
			one.Files = append(one.Files, file)
		}
	}
	return one
}

// mend makes publication c again and puts its files in the place of those that
// are damaged: the very bytes that were sealed, or none. Rows that are the same in
// other bytes, as another build of the Parquet library writes them, stand in for
// the file in this run. why is the damage that was met.
func (r *run) mend(ctx context.Context, c snapshot.Commit, sealed *snapshot.Manifest, why error) error {
	made, err := r.again(ctx, c, sealed)
	if err != nil && (isDamage(err) || errors.Is(err, ErrNoCycle) || errors.Is(err, ErrBeyondMending)) {
		return fmt.Errorf("%w: %w (%w)", why, ErrBeyondMending, err)
	}
	if err != nil {
		return err
	}
	lost := fmt.Errorf("%w: %w (made again it is another)", why, ErrBeyondMending)
	if sealed == nil {
		if made.sum != c.ManifestSHA256 {
			return lost
		}
		sealed = &made.manifest
		if err := r.putBack(made.staging+"/snapshot/"+layout.ManifestFile, c.Dir()+"/"+layout.ManifestFile); err != nil {
			return err
		}
	}
	for _, file := range sealed.Files {
		if err := snapshot.Verify(r.Root, c.Dir(), only(*sealed, file.Name)); !isDamage(err) {
			if err != nil {
				return err
			}
			continue
		}
		if err := r.mendFile(made, *sealed, file, c.Dir()+"/"+file.Name); err != nil {
			return fmt.Errorf("%w: %w", lost, err)
		}
	}
	for _, s := range sealed.Changes {
		if err := r.mendSegment(made, s); err != nil {
			return err
		}
	}
	return nil
}

// mendFile puts one file back, or lets the remade one stand in.
func (r *run) mendFile(made remade, sealed snapshot.Manifest, file snapshot.File, final string) error {
	staged := made.staging + "/snapshot/" + file.Name
	_, sum, err := durable.HashFile(r.Root, staged)
	if err != nil {
		return err
	}
	if sum == file.SHA256 {
		return r.putBack(staged, final)
	}
	key := tableKey(file.Name)
	if rows := sealed.Tables[key]; rows.Digest == "" || rows.Digest != made.manifest.Tables[key].Digest {
		return fmt.Errorf("%s: other rows", final)
	}
	r.standIns[file.Name] = staged
	r.Log.Warn("a damaged file was made again in other bytes, with the same rows", "tenant", r.ClientID, "product", r.Product, "file", final)
	return nil
}

// tableKey is the name that manifests have for a file's table.
func tableKey(file string) string { return strings.TrimSuffix(file, ".parquet") }

// mendSegment puts a segment of the change log back that this publication made.
func (r *run) mendSegment(made remade, s snapshot.Segment) error {
	staged, its := made.staged[s.File]
	if !its {
		return nil
	}
	why := snapshot.VerifySegment(r.Root, s)
	if !isDamage(why) {
		return why
	}
	_, sum, err := durable.HashFile(r.Root, staged)
	if err == nil && sum != s.SHA256 {
		err = errors.New("made again it is another")
	}
	if err != nil {
		return fmt.Errorf("%w: %w (%w)", why, ErrBeyondMending, err)
	}
	return r.putBack(staged, s.File)
}

// putBack gives a remade file its name; what is there is set aside.
func (r *run) putBack(staged, final string) error {
	dir := final[:strings.LastIndexByte(final, '/')]
	if err := durable.MkdirAllSync(r.Root, dir); err != nil {
		return err
	}
	there, err := durable.Exists(r.Root, final)
	if err != nil {
		return err
	}
	if there {
		if _, err := durable.SetAside(r.Root, final, layout.AsideDir); err != nil {
			return err
		}
	}
	if err := r.Root.Link(staged, final); err != nil {
		return err
	}
	*r.mended = append(*r.mended, final)
	r.Log.Warn("a damaged file was made again, byte for byte", "tenant", r.ClientID, "product", r.Product, "file", final)
	return r.Root.SyncDir(dir)
}
