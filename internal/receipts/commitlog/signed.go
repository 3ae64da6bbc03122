package commitlog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"mkt/internal/cluster/store"
	"mkt/internal/receipts/transparency"
	"mkt/publish/durable"
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

// CheckSigned returns [transparency.ErrAhead] or [transparency.ErrFork] if a log with a head is no continuation of the one
// that is remembered beside its key, or of the one that a store has. key is "" for none, and s nil.
func CheckSigned(ctx context.Context, v *transparency.View, head transparency.Checkpoint, key string, s *store.Store) error {
	if key != "" {
		text, err := LargestSigned(key)
		if err == nil && text != nil {
			err = v.Contradicts(text, head)
		}
		if errors.Is(err, transparency.ErrCheckpoint) {
			err = fmt.Errorf("%s: %w; remove it if it is of another key", SignedFile(key), err)
		}
		if err != nil {
			return err
		}
	}
	if s == nil {
		return nil
	}
	text, err := s.Log().Head(ctx)
	if err == nil && text != nil {
		err = v.Contradicts(text, head)
	}
	if errors.Is(err, transparency.ErrCheckpoint) {
		err = fmt.Errorf("%w; remove log/ there if it is of another key", err)
	}
	if err != nil {
		return fmt.Errorf("copy of the log in the object store: %w", err)
	}
	return nil
}

// remember stores a head beside the key, and the log in the store, before anybody is asked to cosign it.
func (r *Result) remember(ctx context.Context, data durable.ReadFS, o Options, head transparency.Signed) (err error) {
	if o.KeyFile != "" {
		if r.Unremembered, err = rememberSigned(o.KeyFile, head); err != nil {
			return err
		}
	}
	if o.Store == nil {
		return nil
	}
	r.Unremembered = "" // the store remembers it
	return BackUp(ctx, o.Store.Log(), data, head)
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
