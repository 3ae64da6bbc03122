package snapshot

import (
	"errors"
	"fmt"
	"io/fs"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Errors about a published file. Others are [fs.ErrNotExist] if it is missing, and
// [layout.ErrNewer] if a newer version wrote it.
var (
	// ErrDamaged: its content is not the sealed one, or it is not a file.
	ErrDamaged = errors.New("damaged")
	// ErrUnreadable: it exists but cannot be read, because this user has no right to or because
	// the disk fails. A failing disk is also [ErrDamaged].
	ErrUnreadable = errors.New("cannot be read")
)

// ErrInvalid reports a snapshot whose files are intact but whose tables are invalid or
// contradict each other. Another attempt to load it would fail as well.
var ErrInvalid = errors.New("the tables are invalid")

// Fault wraps an error of opening, describing or reading a published file in one of the errors
// above. Errors that say nothing about the file, see [durable.IsExhausted], are returned
// unchanged.
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

// IsFault reports whether an error is about a published file itself: another publication may be
// intact.
func IsFault(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrUnreadable) || errors.Is(err, layout.ErrNewer)
}

// IsDamage reports whether a published file is missing or damaged. A file of a newer version, or
// one that this user may not read, is not damaged.
func IsDamage(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, fs.ErrNotExist)
}

// DamageError reports a file of a publication that is missing, or does not have its sealed hash.
// Nothing can be published until package repair has rebuilt it.
type DamageError struct {
	Commit Commit
	File   string // its path
	Err    error
}

func (e *DamageError) Error() string { return e.Err.Error() }
func (e *DamageError) Unwrap() error { return e.Err }
