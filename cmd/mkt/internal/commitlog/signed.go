package commitlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"mkt/publish/durable"
	"mkt/publish/transparency"
)

// SignedFile is the file with the largest head that a key has signed, beside it: an older copy of the log is noticed by
// it while no witness can be reached. It is not restored with the log.
func SignedFile(key string) string { return key + ".head" }

// LargestSigned reads the largest head that a key has signed; nil if none is remembered.
func LargestSigned(key string) ([]byte, error) {
	text, err := os.ReadFile(SignedFile(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// checkSigned returns [transparency.ErrAhead] or [transparency.ErrFork] if the key has signed what the log is no
// continuation of.
func checkSigned(l *transparency.Log, key string) error {
	text, err := LargestSigned(key)
	if text == nil || err != nil {
		return err
	}
	head, err := l.Head()
	if err != nil && !errors.Is(err, transparency.ErrNoLog) {
		return err
	}
	err = l.Contradicts(text, head.Checkpoint)
	if errors.Is(err, transparency.ErrCheckpoint) {
		return fmt.Errorf("%s: %w; remove it if it is of another key", SignedFile(key), err)
	}
	return err
}

// rememberSigned stores a head beside the key, before anybody is asked to cosign it. unable is not "" if the folder cannot
// be written.
func rememberSigned(key string, head transparency.Signed) (unable string, err error) {
	if text, err := LargestSigned(key); err != nil || string(text) == string(head.Note) {
		return "", err
	}
	dir, err := durable.OpenExisting(filepath.Dir(key))
	if err != nil {
		return "", err
	}
	defer dir.Close()
	name := filepath.Base(SignedFile(key))
	if err = durable.RemoveTempsOf(dir, name); err == nil { // of a run that was killed
		err = durable.Overwrite(dir, name, head.Note)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Sprintf("%s cannot be written, so that an older copy of the log is not noticed while no witness can be reached", SignedFile(key)), nil
	}
	return "", err
}
