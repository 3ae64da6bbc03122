package durable

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
)

// Over is one file system laid over another, for a trial run of a step. It writes above, reads
// from above or else from below, and changes nothing below. A name that only exists below cannot
// be removed.
type Over struct {
	Above FS
	Below ReadFS
}

var _ FS = Over{}

// Create implements FS.
func (o Over) Create(name string) (File, error) {
	if there, err := Exists(o.Below, name); err != nil || there {
		return nil, cmp.Or(err, error(&fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}))
	}
	if err := o.Above.MkdirAll(path.Dir(name)); err != nil {
		return nil, err
	}
	return o.Above.Create(name)
}

// Open implements FS.
func (o Over) Open(name string) (Reader, error) {
	r, err := o.Above.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return o.Below.Open(name)
	}
	return r, err
}

// Link implements [FS]. A file that only exists below is copied.
func (o Over) Link(oldname, newname string) error {
	if there, err := Exists(o.Below, newname); err != nil || there {
		return cmp.Or(err, error(&fs.PathError{Op: "link", Path: newname, Err: fs.ErrExist}))
	}
	if err := o.Above.MkdirAll(path.Dir(newname)); err != nil {
		return err
	}
	err := o.Above.Link(oldname, newname)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r, err := o.Below.Open(oldname)
	if err != nil {
		return err
	}
	defer r.Close()
	return Create(o.Above, newname, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// Rename implements [FS]. The new name covers the one below; of a folder, each file covers its
// own.
func (o Over) Rename(oldname, newname string) error {
	if err := o.Above.MkdirAll(path.Dir(newname)); err != nil {
		return err
	}
	return o.Above.Rename(oldname, newname)
}

// Remove implements FS.
func (o Over) Remove(name string) error { return o.Above.Remove(name) }

// RemoveAll implements FS.
func (o Over) RemoveAll(name string) error { return o.Above.RemoveAll(name) }

// MkdirAll implements FS.
func (o Over) MkdirAll(name string) error { return o.Above.MkdirAll(name) }

// SyncDir implements FS.
func (o Over) SyncDir(name string) error {
	if there, err := Exists(o.Above, name); err != nil || !there {
		return err
	}
	return o.Above.SyncDir(name)
}

// ReadDir implements FS.
func (o Over) ReadDir(name string) ([]fs.DirEntry, error) {
	above, err := o.Above.ReadDir(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	below, errBelow := o.Below.ReadDir(name)
	if errBelow != nil && (err != nil || !errors.Is(errBelow, fs.ErrNotExist)) {
		return nil, errBelow
	}
	all := slices.Concat(above, below)
	slices.SortStableFunc(all, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return slices.CompactFunc(all, func(a, b fs.DirEntry) bool { return a.Name() == b.Name() }), nil
}

// Stat implements FS.
func (o Over) Stat(name string) (fs.FileInfo, error) {
	info, err := o.Above.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return o.Below.Stat(name)
	}
	return info, err
}

// Lock implements [FS]. It does not lock the file system below.
func (o Over) Lock(name string) (io.Closer, error) { return o.Above.Lock(name) }
