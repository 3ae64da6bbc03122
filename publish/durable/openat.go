package durable

import (
	"errors"

	"golang.org/x/sys/unix"
)

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
