package durable

import (
	"errors"
	"io/fs"
	"syscall"
)

// IsExhausted reports whether an error says that this process or machine has run
// out of something, such as open files or memory. It says nothing of the file that
// was asked for.
func IsExhausted(err error) bool {
	return isOneOf(err, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EAGAIN, syscall.EINTR)
}

// IsMediumError reports whether an error says that the disk cannot give back what
// was written to it.
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

// Owner is the user id of a file's owner; false where the file system does not
// have one.
func Owner(info fs.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// Strangers are the names among some whose owner is none of these: root, the user
// that reads, and the owner of the root's folder. Whoever else put a file there may
// change it. Names that are not there are left out.
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
