package durable

import (
	"io/fs"
	"syscall"
)

// Exposed are the mode bits that let others at a file that is a secret of the
// user who reads it, 0 when it is private: a user's own wants mode 0600 or less;
// one of root's may be read by its group, which is how systemd hands a
// credential to a service. What is no regular file, such as a pipe of the
// shell, is whoever's made it.
func Exposed(info fs.FileInfo, user int) fs.FileMode {
	if !info.Mode().IsRegular() {
		return 0
	}
	forbidden := fs.FileMode(0o077)
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid == 0 && user != 0 {
		forbidden = 0o037
	}
	return info.Mode().Perm() & forbidden
}
