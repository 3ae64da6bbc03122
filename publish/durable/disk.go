package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Disk is the real file system below one folder. It cannot name a file outside the
// folder (os.Root), and it follows no symbolic link inside it (see plain). The folder
// itself may be reached through links. It is safe for concurrent use.
type Disk struct {
	root     *os.Root
	folder   *os.File // the same folder
	fd       int      // of folder
	unsynced bool

	open   sync.RWMutex // held while fd is used
	closed bool
}

func newDisk(root *os.Root, unsynced bool) (*Disk, error) {
	folder, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Disk{root: root, folder: folder, fd: int(folder.Fd()), unsynced: unsynced}, nil
}

var _ FS = (*Disk)(nil)

// rootLevels is the number of levels of parents synced by [OpenRoot]: product=, client_id= and
// the data root.
const rootLevels = 3

// rootMode is the mode of a new root. Only its user and its group may read below it: serve may be
// another user of the group.
const rootMode = 0o750

// OpenRoot opens a folder as a root. It creates the folder and its parents if they are
// missing.
func OpenRoot(dir string) (*Disk, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, rootMode); err != nil {
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

// OpenUnsynced is [OpenRoot] with syncs that do nothing: a power cut may lose data, the end of
// the process does not. It is for temporary data roots.
func OpenUnsynced(dir string) (*Disk, error) {
	if err := os.MkdirAll(dir, rootMode); err != nil {
		return nil, explain("mkdir", filepath.Base(dir), err)
	}
	d, err := OpenExisting(dir)
	if err == nil {
		d.unsynced = true
	}
	return d, err
}

// OpenExisting opens a folder as a root. The error is [fs.ErrNotExist] if it is missing.
func OpenExisting(dir string) (*Disk, error) {
	// os.OpenRoot would block on a pipe until somebody writes to it.
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: filepath.Base(dir), Err: errNotFolder}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, explain("open", filepath.Base(dir), err)
	}
	return newDisk(root, false)
}

// Within opens a folder below this root as a root of its own, which follows no link out of
// either. The error is [fs.ErrNotExist] if it is missing, and [ErrLink] for a link on the way.
func (d *Disk) Within(name string) (*Disk, error) {
	if err := d.plain("open", name+"/"); err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, explain("open", name, err)
	}
	return newDisk(root, d.unsynced)
}

// OpenWithin is [OpenExisting] and [Disk.Within] in one, for a folder below a data root. Only the
// data root itself may be a link.
func OpenWithin(data, name string) (*Disk, error) {
	d, err := OpenExisting(data)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Within(name)
}

// MakeWithin is [Disk.Within] for writers: it first makes the folder, durably.
func (d *Disk) MakeWithin(name string) (*Disk, error) {
	if err := MkdirAllSync(d, name); err != nil {
		return nil, err
	}
	return d.Within(name)
}

func syncPath(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Close frees the root's file descriptors. Open files stay open.
func (d *Disk) Close() error {
	d.open.Lock()
	defer d.open.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	return errors.Join(d.root.Close(), d.folder.Close())
}

// plain returns an error if a parent in a name is not a folder; the error is [ErrLink] for a
// symbolic link. Somebody with write access can still create a link after the check: os.Root then
// keeps the operation inside the root.
func (d *Disk) plain(op, name string) error {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if err := d.isFolder(op, name[:i]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Disk) isFolder(op, name string) error {
	info, err := d.root.Lstat(name)
	switch {
	case err != nil:
		return explain(op, name, err)
	case info.Mode().Type() == fs.ModeSymlink:
		return &fs.PathError{Op: op, Path: name, Err: ErrLink}
	case !info.IsDir():
		return &fs.PathError{Op: op, Path: name, Err: errNotFolder}
	}
	return nil
}

// at calls do with the folder of a name and the last element of the name. It opens one folder
// after the other and follows no link: do acts inside the root even if somebody changes the names
// meanwhile. os.Root would walk from the root again to look at each parent.
func (d *Disk) at(op, name string, do func(folder int, base string) error) error {
	d.open.RLock()
	defer d.open.RUnlock()
	folder, base, err := d.walk(op, name)
	if err != nil {
		return err
	}
	defer d.leave(folder)
	return named(op, name, do(folder, base))
}

// both is at for two names.
func (d *Disk) both(op, oldname, newname string, do func(from int, old string, to int, new string) error) error {
	d.open.RLock()
	defer d.open.RUnlock()
	from, old, err := d.walk(op, oldname)
	if err != nil {
		return err
	}
	defer d.leave(from)
	to, new, err := d.walk(op, newname)
	if err != nil {
		return err
	}
	defer d.leave(to)
	return named(op, newname, again(func() error { return do(from, old, to, new) }))
}

func named(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return explain(op, name, &fs.PathError{Op: op, Path: name, Err: err})
}

// walk opens the folder of a name, and returns it with the last element of the name. The caller
// must leave the folder.
func (d *Disk) walk(op, name string) (folder int, base string, err error) {
	if name = path.Clean(name); !fs.ValidPath(name) || name == "." {
		return 0, "", named(op, name, fs.ErrInvalid)
	}
	if d.closed {
		return 0, "", named(op, name, fs.ErrClosed)
	}
	folder = d.fd
	for end := 0; ; {
		length := strings.IndexByte(name[end:], '/')
		if length < 0 {
			return folder, name[end:], nil
		}
		next, err := openFolder(folder, name[end:end+length])
		d.leave(folder)
		end += length
		if err != nil {
			return 0, "", named(op, name[:end], err)
		}
		folder, end = next, end+1
	}
}

// leave closes a folder, unless it is the root's.
func (d *Disk) leave(folder int) {
	if folder != d.fd {
		unix.Close(folder)
	}
}

// Create implements FS.
func (d *Disk) Create(name string) (File, error) {
	var f *os.File
	err := d.at("create", name, func(folder int, base string) error {
		fd, err := openat(folder, base, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o644)
		if err == nil {
			f = os.NewFile(uintptr(fd), name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &diskFile{f, name, d.unsynced}, nil
}

// Open implements [FS]. Anything but a regular file is [ErrNotRegular] and is not opened: opening
// a device or a pipe has side effects.
func (d *Disk) Open(name string) (Reader, error) {
	r := new(diskReader)
	err := d.at("open", name, func(folder int, base string) error {
		if err := regularAt(folder, base); err != nil {
			return err
		}
		// Without O_NONBLOCK opening a pipe that has just appeared would block.
		fd, err := openat(folder, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		var stat unix.Stat_t
		err = again(func() error { return unix.Fstat(fd, &stat) })
		if err == nil && uint32(stat.Mode)&unix.S_IFMT != unix.S_IFREG {
			err = ErrNotRegular
		}
		if err != nil {
			unix.Close(fd)
			return err
		}
		r.File, r.size = os.NewFile(uintptr(fd), name), stat.Size
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (d *Disk) regular(op, name string) error {
	info, err := d.root.Lstat(name)
	switch {
	case err != nil:
		return explain(op, name, err)
	case info.Mode().Type() == fs.ModeSymlink:
		return &fs.PathError{Op: op, Path: name, Err: ErrLink}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: op, Path: name, Err: ErrNotRegular}
	}
	return nil
}

// Link implements FS.
func (d *Disk) Link(oldname, newname string) error {
	return d.both("link", oldname, newname, func(from int, old string, to int, new string) error {
		return unix.Linkat(from, old, to, new, 0)
	})
}

// Rename implements FS.
func (d *Disk) Rename(oldname, newname string) error {
	return d.both("rename", oldname, newname, unix.Renameat)
}

// Remove implements FS.
func (d *Disk) Remove(name string) error {
	return d.at("remove", name, func(folder int, base string) error {
		err := again(func() error { return unix.Unlinkat(folder, base, 0) })
		if err == nil {
			return nil
		}
		asFolder := again(func() error { return unix.Unlinkat(folder, base, unix.AT_REMOVEDIR) })
		if asFolder == nil || !errors.Is(asFolder, unix.ENOTDIR) {
			return asFolder
		}
		return err
	})
}

// RemoveAll implements FS.
func (d *Disk) RemoveAll(name string) error {
	if err := d.plain("remove", name); err != nil {
		return missing(err)
	}
	return explain("remove", name, d.root.RemoveAll(name))
}

// MkdirAll implements FS.
func (d *Disk) MkdirAll(name string) error {
	if err := missing(d.plain("mkdir", name+"/")); err != nil {
		return err
	}
	return explain("mkdir", name, d.root.MkdirAll(name, 0o755))
}

// SyncDir implements FS.
func (d *Disk) SyncDir(name string) error {
	if d.unsynced {
		return nil
	}
	if name == "." {
		return explain("sync", name, d.folder.Sync())
	}
	return d.at("sync", name, func(folder int, base string) error {
		fd, err := openFolder(folder, base)
		if err != nil {
			return err
		}
		err = again(func() error { return unix.Fsync(fd) })
		unix.Close(fd)
		return err
	})
}

// ReadDir implements FS.
func (d *Disk) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := d.plain("list", name+"/"); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(d.root.FS(), name)
	return entries, explain("list", name, err)
}

// Stat implements FS.
func (d *Disk) Stat(name string) (fs.FileInfo, error) {
	if err := d.plain("look at", name); err != nil {
		return nil, err
	}
	info, err := d.root.Lstat(name)
	return info, explain("look at", name, err)
}

// Lock implements FS by flock(2).
func (d *Disk) Lock(name string) (io.Closer, error) {
	if err := d.plain("lock", name); err != nil {
		return nil, err
	}
	if err := missing(d.regular("lock", name)); err != nil {
		return nil, err
	}
	return d.lock(name, os.O_CREATE)
}

// LockExisting is [Disk.Lock] for an existing file. The error is [fs.ErrNotExist] if it is
// missing.
func (d *Disk) LockExisting(name string) (io.Closer, error) {
	if err := d.plain("lock", name); err != nil {
		return nil, err
	}
	if err := d.regular("lock", name); err != nil {
		return nil, err
	}
	return d.lock(name, 0)
}

func (d *Disk) lock(name string, flag int) (io.Closer, error) {
	f, err := d.root.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK|flag, 0o644)
	if err != nil {
		return nil, explain("open", name, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return heldLock{f}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
}

// heldLock is the file of a lock. Closing it releases the lock also where a process that was just started still has
// a copy of the file, until it runs its own program.
type heldLock struct{ *os.File }

func (l heldLock) Close() error {
	return errors.Join(syscall.Flock(int(l.Fd()), syscall.LOCK_UN), l.File.Close())
}

// diskFile explains the errors of a write, a sync or a close.
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

// explain adds the remedy to an error that a person has to resolve. The text has no absolute
// path.
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
