package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"mkt/internal/accounts"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

type file struct {
	*os.File
	torn bool // its last line has no end
}

// openFile opens the log beside a tenants file, or creates it with mode 0600 and the owner of
// the tenants file. It does not use durable.Create, because nobody else may read the log.
func openFile(beside string) (*file, error) {
	path := filepath.Join(filepath.Dir(beside), FileName)
	made := false
	// O_NONBLOCK: a named pipe must not block the edit.
	const flags = os.O_RDWR | os.O_APPEND | syscall.O_NONBLOCK
	f, err := os.OpenFile(path, flags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		made = true
		f, err = os.OpenFile(path, flags|os.O_CREATE, 0o600)
	}
	if err != nil {
		return nil, explain(err)
	}
	log := &file{File: f}
	if log.torn, err = isTorn(f); err == nil && made {
		err = finish(path, beside)
	}
	if err != nil {
		f.Close()
		return nil, explain(err)
	}
	return log, nil
}

func explain(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: run the command as the user who owns the file", err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return durable.NoSpace("write", FileName)
	}
	return err
}

func isTorn(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s: %w", f.Name(), durable.ErrNotRegular)
	}
	if info.Size() == 0 {
		return false, nil
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// finish gives a new log its owner and makes its name durable.
func finish(path, beside string) error {
	info, err := os.Stat(beside)
	if err != nil {
		return err
	}
	if err := accounts.GiveOwner(path, info); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// append writes lines in one write, and syncs. It first ends a line that was cut off.
func (f *file) append(lines []byte) error {
	if f.torn {
		lines = append([]byte{'\n'}, lines...)
	}
	if _, err := f.Write(lines); err != nil {
		return explain(err)
	}
	f.torn = false
	return explain(f.Sync())
}

// encode returns a line for each entry.
func encode(entries []Entry) (lines []byte, err error) {
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		lines = append(append(lines, layout.FixTimes(line)...), '\n')
	}
	return lines, nil
}
