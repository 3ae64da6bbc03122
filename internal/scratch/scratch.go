// Package scratch makes private temporary folders that do not stay behind: one
// whose process was killed is removed by the next process that makes one like it.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Folder is a private temporary folder, readable by this user alone. Its lock is
// held for as long as the process lives.
type Folder struct {
	Dir  string
	lock *os.File
}

// lockName is the file in every folder whose lock tells that its process lives.
const lockName = "lock"

// Make makes a folder below parent ("" is the system's folder for temporary
// files), whose name begins with prefix. Folders of this user and prefix whose
// process is gone are removed first.
func Make(parent, prefix string) (*Folder, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweep(parent, prefix)
	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	lock, err := lockIn(dir, os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock a temporary folder: %w", err), os.RemoveAll(dir))
	}
	return &Folder{dir, lock}, nil
}

// Remove removes the folder and all that is in it.
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

// sweep removes what killed processes left behind. What cannot be removed is left
// to the next: nobody waits for it.
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
			os.Remove(dir) // killed before it made its lock: it is empty
		}
	}
}

func isOwn(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
