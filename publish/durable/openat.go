package durable

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

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

// openFolder opens a folder in another one. The error is [ErrLink] for a symbolic link.
func openFolder(in int, name string) (int, error) {
	fd, err := openat(in, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		switch kind, e := kindAt(in, name); {
		case e != nil:
			return fd, e
		case kind == unix.S_IFLNK:
			return fd, ErrLink
		case kind != unix.S_IFDIR:
			return fd, errNotFolder
		}
	}
	return fd, err
}

// kindAt returns the type of a file, one of the constants S_IF of stat(2).
func kindAt(folder int, name string) (kind uint32, err error) {
	var stat unix.Stat_t
	err = again(func() error { return unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW) })
	return uint32(stat.Mode) & unix.S_IFMT, err
}

// regularAt returns an error unless a name is a regular file.
func regularAt(folder int, name string) error {
	kind, err := kindAt(folder, name)
	switch {
	case err != nil:
		return err
	case kind == unix.S_IFLNK:
		return ErrLink
	case kind != unix.S_IFREG:
		return ErrNotRegular
	}
	return nil
}

func openat(folder int, name string, flags int, mode uint32) (fd int, err error) {
	err = again(func() (err error) {
		fd, err = unix.Openat(folder, name, flags|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

// again repeats a system call interrupted by a signal.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
