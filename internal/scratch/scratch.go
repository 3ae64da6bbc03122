// Package scratch creates private temporary folders. A folder whose process was killed is
// removed by the next process that creates one with the same prefix.
package scratch

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Folder is a temporary folder that only this user can read. Its lock is held as long as the
// process runs.
type Folder struct {
	Dir  string
	lock *os.File
}

// lockName is the file in every folder that its process keeps locked.
const lockName = "lock"

// Make creates a folder below parent, or below the system's folder for temporary files if
// parent is empty. Its name begins with prefix. Folders of this user with that prefix whose
// process has ended are removed first.
func Make(parent, prefix string) (*Folder, error) {
	if parent == "" {
		f, err := Make(os.TempDir(), prefix)
		if err != nil {
			err = fmt.Errorf("folder for temporary files (TMPDIR): %w", err)
		}
		return f, err
	}
	sweep(parent, prefix)
	var failed error
	for range 10 {
		dir, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return nil, err
		}
		lock, err := lockIn(dir, os.O_CREATE|os.O_EXCL)
		if err == nil && isIn(dir, lock) {
			return &Folder{dir, lock}, nil
		}
		// Another process may have swept the folder before it was locked.
		if lock != nil {
			lock.Close()
		}
		failed = errors.Join(fmt.Errorf("lock a temporary folder: %w", cmp.Or(err, os.ErrNotExist)), os.RemoveAll(dir))
	}
	return nil, failed
}

// isIn reports whether a lock is still in its folder.
func isIn(dir string, lock *os.File) bool {
	there, err := os.Lstat(filepath.Join(dir, lockName))
	if err != nil {
		return false
	}
	held, err := lock.Stat()
	return err == nil && os.SameFile(there, held)
}

// Remove removes the folder and everything in it.
func (f *Folder) Remove() error { return errors.Join(os.RemoveAll(f.Dir), f.lock.Close()) }

func lockIn(dir string, flag int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// sweep removes the folders of killed processes. It leaves a folder that cannot be removed to the
// next call.
func sweep(parent, prefix string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.IsDir() || !strings.HasPrefix(e.Name(), prefix) || !isOwn(info) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		lock, err := lockIn(dir, 0)
		switch {
		case err == nil:
			os.RemoveAll(dir)
			lock.Close()
		case errors.Is(err, os.ErrNotExist) && time.Since(info.ModTime()) > time.Minute:
			os.Remove(dir) // killed before it created its lock, so the folder is empty
		}
	}
}

func isOwn(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
