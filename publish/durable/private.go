package durable

import (
	"io/fs"
	"syscall"
)

// Exposed returns the mode bits that expose a secret file to anyone but its reader; 0 if it is
// private. A user's own file must have mode 0600 or less. A file of root may be readable by its
// group, because systemd passes a credential to a service so. Anything but a regular file, such
// as a pipe of the shell, counts as private.
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
