package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// view reads small objects of a dataset under their names in a root. These are commit records:
// package snapshot finds the newest one and searches them. Only one goroutine may use it.
type view struct {
	ctx context.Context
	d   *Dataset
	// failed is the first error of the store, and the error of every later operation. Package
	// snapshot would otherwise take a failed look-up for a damaged file, if another one succeeds.
	failed error
}

var _ durable.ReadFS = (*view)(nil)

// Records returns the dataset's commit records, for the functions of package snapshot. It
// must not be used after ctx has ended.
func (d *Dataset) Records(ctx context.Context) durable.ReadFS { return &view{ctx: ctx, d: d} }

// Open implements durable.ReadFS.
func (v *view) Open(name string) (durable.Reader, error) {
	if v.failed != nil {
		return nil, v.failed
	}
	data, err := v.d.store.objects.Get(v.ctx, v.d.dir+name)
	if err != nil {
		return nil, v.fail(err)
	}
	return nopCloser{bytes.NewReader(data)}, nil
}

// Stat implements durable.ReadFS.
func (v *view) Stat(name string) (fs.FileInfo, error) {
	if v.failed != nil {
		return nil, v.failed
	}
	size, found, err := v.d.store.objects.Exists(v.ctx, v.d.dir+name)
	switch {
	case err != nil:
		return nil, v.fail(err)
	case !found:
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info{path.Base(name), size}, nil
}

func (v *view) fail(err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		v.failed = err
	}
	return err
}

// ReadDir implements [durable.ReadFS]. Readers of records list no folder.
func (v *view) ReadDir(name string) ([]fs.DirEntry, error) {
	return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.ErrUnsupported}
}

// SyncDir implements [durable.ReadFS]: objects in the store are durable.
func (v *view) SyncDir(string) error { return nil }

type nopCloser struct{ *bytes.Reader }

func (nopCloser) Close() error { return nil }

type info struct {
	name string
	size int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return 0o444 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }

// Head returns the newest commit of the dataset, with the bytes of its record; Version is 0 if
// there is none. from is the number of a record known to be in the store, or 0. If there is no
// newer one, this costs one request, and only the Version of the commit is set.
func (d *Dataset) Head(ctx context.Context, from uint64) (snapshot.Commit, []byte, error) {
	records := d.Records(ctx)
	n, err := d.newest(ctx, from)
	if err != nil || n == 0 {
		return snapshot.Commit{}, nil, err
	}
	if n == from {
		return snapshot.Commit{Version: n}, nil, nil
	}
	c, record, err := snapshot.ReadRecord(records, n)
	if snapshot.IsDamage(err) {
		err = damagedRecord(n, err)
	}
	return c, record, err
}

// oneByOne is the number of records looked up one by one: a machine that follows the store lacks
// one or two.
const oneByOne = 4

// newest returns the number of the newest record. Records after from are not compacted, so they
// are looked up. With no from, a listing checks at the end whether there are records further on.
func (d *Dataset) newest(ctx context.Context, from uint64) (uint64, error) {
	if from > 0 {
		for range oneByOne {
			_, found, err := d.store.objects.Exists(ctx, d.key(commitName(from+1)))
			if err != nil || !found {
				return from, err
			}
			from++
		}
		return snapshot.NewestRecord(d.Records(ctx), from)
	}
	for {
		n, err := snapshot.NewestRecord(d.Records(ctx), from)
		if err != nil {
			return 0, err
		}
		beyond, err := d.beyond(ctx, n)
		if err != nil || !beyond {
			return n, err
		}
		_, found, err := d.store.objects.Exists(ctx, d.key(commitName(n+1)))
		switch {
		case err != nil:
			return 0, err
		case !found:
			return 0, d.lacks(n + 1)
		}
		from = n + 1 // it was published meanwhile
	}
}

// beyond reports whether the store has a record after n, or a pack of a version after n+1. The
// pack of n+1 may be waiting for its commit.
func (d *Dataset) beyond(ctx context.Context, n uint64) (bool, error) {
	record, err := d.store.objects.FirstAfter(ctx, d.key(layout.CommitsDir+"/"), d.key(commitName(n)))
	if err != nil || record != "" {
		return record != "", err
	}
	pack, err := d.store.objects.FirstAfter(ctx, d.key("packs/"), d.key(fmt.Sprintf("packs/%020d", n+2)))
	return pack != "", err
}

func (d *Dataset) key(name string) string { return d.dir + name }
