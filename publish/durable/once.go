package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// WriteOnce makes a file that must not exist, whole or not at all. It is not
// [Create] because a key must have its mode from its first byte.
func WriteOnce(path string, mode os.FileMode, content []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	part := path + ".tmp0" // the name of an unfinished file, so that the next init removes it
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: another mkt init is running", part)
	}
	if err != nil {
		return err
	}
	defer os.Remove(part)
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	err = os.Link(part, path) // which refuses to replace one that another init made
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(part, path) // the file system has no links
	}
	return err
}
