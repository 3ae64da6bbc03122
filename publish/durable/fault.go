package durable

import (
	"errors"
	"io/fs"
	"syscall"
)

// IsExhausted reports whether this process or machine has run out of something, such as open
// files or memory. Such an error says nothing about the file.
func IsExhausted(err error) bool {
	return isOneOf(err, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EAGAIN, syscall.EINTR)
}

// IsMediumError reports whether the disk cannot return the bytes written to it.
func IsMediumError(err error) bool {
	return isOneOf(err, syscall.EIO, syscall.EBADMSG, syscall.EUCLEAN, syscall.ENOMEDIUM)
}

func isOneOf(err error, list ...syscall.Errno) bool {
	for _, errno := range list {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// Owner is the user id of a file's owner; false if the file system has none.
func Owner(info fs.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// Strangers returns the names of files owned by an unexpected user: neither root, nor the reader,
// nor the owner of the root's folder. Their owners may change them. Missing files are left out.
func Strangers(f ReadFS, reader int, names ...string) ([]string, error) {
	info, err := f.Stat(".")
	if err != nil {
		return nil, err
	}
	owner, known := Owner(info)
	if !known {
		return nil, nil
	}
	var strange []string
	for _, name := range names {
		info, err := f.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if uid, known := Owner(info); known && uid != 0 && uid != reader && uid != owner {
			strange = append(strange, name)
		}
	}
	return strange, nil
}
