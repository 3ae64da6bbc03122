package terminal

import (
	"fmt"
	"slices"
	"strings"
)

// UsageError is a mistake of the caller: in a flag, an argument or a setting.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// AsUsage makes err an error of usage, with exit code 2.
func AsUsage(err error) error { return UsageError{err} }

// Usagef returns an error of usage.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// TemporaryError marks an error as temporary where its type does not say so.
type TemporaryError struct{ error }

func (e TemporaryError) Unwrap() error { return e.error }

// AsTemporary makes err temporary, with exit code 75.
func AsTemporary(err error) error { return TemporaryError{err} }

// CheckWord returns an error of usage unless value is one of words. The parameter what is the flag
// or the argument.
func CheckWord(what, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	want := strings.Join(words, " or ")
	if len(words) > 2 {
		want = "one of " + strings.Join(words, ", ")
	}
	return Usagef("%s %q: want %s", what, value, want)
}
