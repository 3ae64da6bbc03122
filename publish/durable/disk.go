package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Disk is the real file system below one folder. It cannot name a file outside
// it, not even through a symbolic link. Safe for concurrent use.
type Disk struct {
	root     *os.Root
	unsynced bool
}

var _ FS = (*Disk)(nil)

// rootLevels is how many levels of parents OpenRoot syncs: product=, client_id=
// and the data root.
const rootLevels = 3

// OpenRoot opens a folder as a root, and makes it and its parents when missing.
func OpenRoot(dir string) (*Disk, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, explain("mkdir", filepath.Base(dir), err)
	}
	for level, parent := 0, dir; level < rootLevels && parent != filepath.Dir(parent); level++ {
		parent = filepath.Dir(parent)
		if err := syncPath(parent); err != nil && !errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
	}
	return OpenExisting(dir)
}

// OpenUnsynced is OpenRoot with syncs that do nothing: what is written may be
// lost in a power cut, though not when the process dies. For data roots that are
// made to be looked at and thrown away.
func OpenUnsynced(dir string) (*Disk, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, explain("mkdir", filepath.Base(dir), err)
	}
	d, err := OpenExisting(dir)
	if err == nil {
		d.unsynced = true
	}
	return d, err
}

// OpenExisting opens a folder as a root; a missing one is fs.ErrNotExist. For
// readers, who make nothing.
func OpenExisting(dir string) (*Disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, explain("open", filepath.Base(dir), err)
	}
	return &Disk{root: root}, nil
}

func syncPath(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Close frees the root's file descriptor. Files that are open stay open.
func (d *Disk) Close() error { return d.root.Close() }

// Create implements FS.
func (d *Disk) Create(name string) (File, error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, explain("create", name, err)
	}
	return &diskFile{f, name, d.unsynced}, nil
}

// Open implements FS. What is not a regular file is ErrNotRegular.
func (d *Disk) Open(name string) (Reader, error) {
	// Without O_NONBLOCK a pipe laid in the way would hold the reader for ever.
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, explain("open", name, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &diskReader{f, info.Size()}, nil
}

// Link implements FS.
func (d *Disk) Link(oldname, newname string) error {
	return explain("link", newname, d.root.Link(oldname, newname))
}

// Rename implements FS.
func (d *Disk) Rename(oldname, newname string) error {
	return explain("rename", newname, d.root.Rename(oldname, newname))
}

// Remove implements FS.
func (d *Disk) Remove(name string) error { return explain("remove", name, d.root.Remove(name)) }

// RemoveAll implements FS.
func (d *Disk) RemoveAll(name string) error { return explain("remove", name, d.root.RemoveAll(name)) }

// MkdirAll implements FS.
func (d *Disk) MkdirAll(name string) error {
	return explain("mkdir", name, d.root.MkdirAll(name, 0o755))
}

// SyncDir implements FS.
func (d *Disk) SyncDir(name string) error {
	if d.unsynced {
		return nil
	}
	f, err := d.root.Open(name)
	if err != nil {
		return explain("sync", name, err)
	}
	defer f.Close()
	return explain("sync", name, f.Sync())
}

// ReadDir implements FS.
func (d *Disk) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(d.root.FS(), name)
	return entries, explain("list", name, err)
}

// Stat implements FS.
func (d *Disk) Stat(name string) (fs.FileInfo, error) {
	info, err := d.root.Stat(name)
	return info, explain("look at", name, err)
}

// Lock implements FS by flock(2).
func (d *Disk) Lock(name string) (io.Closer, error) {
	f, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, explain("open", name, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
}

// diskFile words what a full disk does to a write, a sync or a close.
type diskFile struct {
	file     *os.File
	name     string
	unsynced bool
}

func (f *diskFile) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, explain("write", f.name, err)
}

func (f *diskFile) Sync() error {
	if f.unsynced {
		return nil
	}
	return explain("sync", f.name, f.file.Sync())
}

func (f *diskFile) Close() error { return explain("close", f.name, f.file.Close()) }

type diskReader struct {
	*os.File
	size int64
}

func (r *diskReader) Size() int64 { return r.size }

// explain adds to the system's word for what a person must mend what to do
// about it. No absolute path is in the text.
func explain(op, name string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return NoSpace(op, name)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s %s: %w: mount the disk for writing, then run again (mount, dmesg)", op, name, syscall.EROFS)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s %s: %w: run it as the user who owns the files there (ls -l; mkt doctor names them)", op, name, syscall.EACCES)
	}
	return err
}
