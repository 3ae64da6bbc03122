package repair

import (
	"context"
	"errors"
	"fmt"

	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// ErrUnrepairable: a file is damaged, and its inputs are missing or make another content. A
// person must restore the file, or begin a new history.
var ErrUnrepairable = errors.New("it cannot be rebuilt")

// manifest opens the manifest of a committed snapshot; a damaged one is repaired first.
func (r *rebuilder) manifest(ctx context.Context, c snapshot.Commit) (snapshot.Manifest, error) {
	m, err := snapshot.Open(r.Root, c)
	if !snapshot.IsDamage(err) || r.readOnly {
		return m, err
	}
	if err := r.repairFiles(ctx, c, nil, err); err != nil {
		return m, err
	}
	m, err = snapshot.Open(r.Root, c)
	if snapshot.IsDamage(err) {
		err = fmt.Errorf("%w: %w", err, ErrUnrepairable)
	}
	return m, err
}

// snapshot opens a snapshot, repairs its damaged files and verifies all. A file that only has a
// substitute is still damaged.
func (r *rebuilder) snapshot(ctx context.Context, c snapshot.Commit) (snapshot.Manifest, error) {
	m, err := r.manifest(ctx, c)
	if err != nil {
		return m, err
	}
	if err = snapshot.Verify(r.Root, c.Dir(), m); !snapshot.IsDamage(err) {
		return m, err
	}
	if err := r.repairFiles(ctx, c, &m, err); err != nil {
		return m, err
	}
	err = snapshot.Verify(r.Root, c.Dir(), m)
	if snapshot.IsDamage(err) {
		err = fmt.Errorf("%w: %w (the rebuilt file has the same rows in other bytes)", err, ErrUnrepairable)
	}
	return m, err
}

// repairFiles rebuilds publication c and replaces its damaged files by the very bytes that were
// sealed, or not at all. If only the bytes differ, as from another version of the Parquet
// library, the rebuilt file becomes a substitute. why is the damage. sealed is the manifest, nil
// if it is damaged.
func (r *rebuilder) repairFiles(ctx context.Context, c snapshot.Commit, sealed *snapshot.Manifest, why error) error {
	made, err := r.rebuild(ctx, c, sealed)
	if snapshot.IsDamage(err) || errors.Is(err, publish.ErrNoCycle) || errors.Is(err, ErrUnrepairable) {
		return fmt.Errorf("%w: %w (%w)", why, ErrUnrepairable, err)
	}
	if err != nil {
		return err
	}
	differs := fmt.Errorf("%w: %w (the rebuilt file differs)", why, ErrUnrepairable)
	if sealed == nil {
		if made.manifestSum != c.ManifestSHA256 {
			return differs
		}
		sealed = &made.Manifest
		if err := r.replace(made.SnapshotDir()+"/"+layout.ManifestFile, c.Dir()+"/"+layout.ManifestFile); err != nil {
			return err
		}
	}
	for _, file := range sealed.Files {
		err := snapshot.Verify(r.Root, c.Dir(), sealed.Only(file.Name))
		if snapshot.IsDamage(err) {
			err = r.repairFile(made, c, sealed, file, differs)
		}
		if err != nil {
			return err
		}
	}
	for _, s := range sealed.Segments() {
		if err := r.repairSegment(made, s); err != nil {
			return err
		}
	}
	return nil
}

func (r *rebuilder) repairFile(made rebuilt, c snapshot.Commit, sealed *snapshot.Manifest, file snapshot.File, differs error) error {
	staged, final := made.SnapshotDir()+"/"+file.Name, c.Dir()+"/"+file.Name
	_, sum, err := durable.HashFile(r.Root, staged)
	if err != nil {
		return fmt.Errorf("%w: %w", differs, err)
	}
	if sum == file.SHA256 {
		return r.replace(staged, final)
	}
	key := snapshot.TableKey(file.Name)
	if rows := sealed.Tables[key]; rows.Digest == "" || rows.Digest != made.Manifest.Tables[key].Digest {
		return fmt.Errorf("%w: %s has other rows", differs, final)
	}
	if r.substitutes[c.Version] == nil {
		r.substitutes[c.Version] = map[string]string{}
	}
	r.substitutes[c.Version][file.Name] = staged
	r.Log.Warn("a damaged file was rebuilt with the same rows in other bytes", "tenant", r.ClientID, "product", r.Product, "file", final)
	return nil
}

// repairSegment replaces a damaged segment of the change log or of the steps, if this publication
// wrote it.
func (r *rebuilder) repairSegment(made rebuilt, s snapshot.Segment) error {
	staged, ok := made.Segments[s.File]
	if !ok {
		return nil
	}
	why := snapshot.VerifySegment(r.Root, s)
	if !snapshot.IsDamage(why) {
		return why
	}
	_, sum, err := durable.HashFile(r.Root, staged)
	if err == nil && sum != s.SHA256 {
		err = errors.New("the rebuilt file differs")
	}
	if err != nil {
		return fmt.Errorf("%w: %w (%w)", why, ErrUnrepairable, err)
	}
	return r.replace(staged, s.File)
}

// replace gives a rebuilt file its name and quarantines the damaged one.
func (r *rebuilder) replace(staged, final string) error {
	if err := durable.Replace(r.Root, staged, final, layout.QuarantineDir); err != nil {
		return err
	}
	r.repaired = append(r.repaired, final)
	r.Log.Warn("a damaged file was rebuilt, byte for byte", "tenant", r.ClientID, "product", r.Product, "file", final)
	return nil
}
