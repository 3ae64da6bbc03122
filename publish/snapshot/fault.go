package snapshot

import (
	"errors"
	"fmt"
	"io/fs"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// What can be wrong with a file that was published, beside that it is not there
// (fs.ErrNotExist), and that a newer version wrote it (layout.ErrNewer).
var (
	// ErrDamaged: it is not what was sealed, or it is no file.
	ErrDamaged = errors.New("damaged")
	// ErrUnreadable: it is there, and its bytes cannot be had: this user may not
	// read it, or the disk fails. In the second case it is ErrDamaged as well.
	ErrUnreadable = errors.New("cannot be read")
)

// Fault gives an error of opening, describing or reading a published file the
// meaning that readers act on. Errors that say nothing of the file stay as they
// are: durable.IsExhausted.
func Fault(name string, err error) error {
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), IsFault(err), durable.IsExhausted(err):
		return err
	case errors.Is(err, durable.ErrTooLarge), errors.Is(err, durable.ErrNotRegular):
		return fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	case durable.IsMediumError(err):
		return fmt.Errorf("%s: %w, %w: %w", name, ErrDamaged, ErrUnreadable, err)
	}
	return fmt.Errorf("%s: %w: %w", name, ErrUnreadable, err)
}

// IsFault reports whether an error is about a published file itself: another
// publication may be whole.
func IsFault(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrUnreadable) || errors.Is(err, layout.ErrNewer)
}

// IsDamage reports whether a published file is missing, or is not what was sealed. An
// intact file that this user may not read is no damage, and neither is one of a newer
// version.
func IsDamage(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, fs.ErrNotExist)
}
