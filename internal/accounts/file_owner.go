package accounts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// keepAccess records mode and owner of a file that will be replaced; restore sets them on the new one.
// The lock file gets the owner at once. It does nothing without a path.
func keepAccess(path string) (restore func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	before, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return func() error {
		return errors.Join(os.Chmod(path, before.Mode().Perm()), GiveOwner(path, before))
	}, GiveOwner(lockName(path), before)
}

// GiveOwner gives a file, which may be missing, the owner and group of another. It acts only for
// root: accounts edited with sudo stay readable for the services, and the files beside them writable.
func GiveOwner(path string, as os.FileInfo) error {
	want, ok := as.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	err := os.Lchown(path, int(want.Uid), int(want.Gid))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("owner of %s: %w", path, err)
	}
	return nil
}
