package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mkt/internal/cluster/store/pack"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// Ship implements publish.Store: it stores the segments of the change log and the pack of a
// publication, then commits it. After an error the commit may exist nevertheless, which the next
// [Dataset.Sync] finds out. After a [snapshot.ErrConflict] it does not.
func (d *Dataset) Ship(ctx context.Context, root durable.FS, c snapshot.Commit, record []byte, segments []string) error {
	if err := d.follows(ctx, c); err != nil {
		return err
	}
	for _, name := range segments {
		_, sum, err := durable.HashFile(root, name)
		if err != nil {
			return err
		}
		if err := d.putFile(ctx, root, name, segmentName(name, sum)); err != nil {
			return err
		}
	}
	if err := d.shipPack(ctx, root, c); err != nil {
		return err
	}
	err := d.store.objects.Create(ctx, d.key(commitName(c.Version)), record)
	if errors.Is(err, snapshot.ErrConflict) {
		return fmt.Errorf("commit %d: %w", c.Version, snapshot.ErrConflict)
	}
	if err == nil {
		d.know(durable.Hash(record))
	}
	return err
}

// follows checks whether the store has the commit before c. It asks for every publication,
// whatever this process saw before: objects may have vanished since.
func (d *Dataset) follows(ctx context.Context, c snapshot.Commit) (err error) {
	if c.PreviousSHA256 == "" {
		return nil
	}
	defer func() {
		if err != nil {
			d.forget() // the next Sync looks it up too, before anything is fetched
		}
	}()
	before, err := snapshot.ReadCommit(d.Records(ctx), c.Version-1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.lacks(c.Version - 1)
	case err != nil:
		return err
	case before.SHA256 != c.PreviousSHA256:
		return fmt.Errorf("%s: publication %d: %w", d, c.Version-1, ErrDiverged)
	}
	return d.beginning(ctx)
}

func (d *Dataset) shipPack(ctx context.Context, root durable.FS, c snapshot.Commit) error {
	return d.store.objects.Put(ctx, d.key(pack.Name(c)), func(w io.Writer) error {
		files, err := pack.Write(ctx, root, c, w)
		if err == nil && files == 0 {
			err = errNothingLeft
		}
		return err
	})
}

// errNothingLeft: retention has deleted all of a publication but its record.
var errNothingLeft = errors.New("nothing is left of this publication")

// putFile stores a file under a name.
func (d *Dataset) putFile(ctx context.Context, f durable.ReadFS, name, stored string) error {
	return d.store.objects.Put(ctx, d.key(stored), func(w io.Writer) error {
		r, err := f.Open(name)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(w, r)
		return err
	})
}
