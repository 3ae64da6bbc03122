package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mkt/publish/snapshot"
)

// classify turns an error of a bucket into one of this package. Its text names the operation
// and the object.
func classify(op, key string, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("object store: %s %s: %w", op, key, context.Canceled)
		}
		e = &Error{}
	}
	if e.Kind == Damaged {
		return fmt.Errorf("object store: %s: %w: its bytes do not have the checksum in the store: %w", key, snapshot.ErrDamaged, errRepair)
	}
	kind, answer := ErrAway, said(e.Status, e.Code)
	switch e.Kind {
	case Absent:
		kind, answer = fs.ErrNotExist, ""
	case Exists:
		kind, answer = fs.ErrExist, ""
	case Unsafe:
		kind, answer = ErrUnsafe, ""
	case Full:
		kind, answer = ErrFull, ""
	case NoBucket:
		kind, answer = ErrNoBucket, ""
	case Denied:
		kind = ErrRefused
	}
	return fmt.Errorf("object store: %s %s: %w%s", op, key, kind, answer)
}

// isAnswer reports whether an operation got an expected answer: success, or a missing or existing
// object.
func isAnswer(err error) bool {
	var e *Error
	return err == nil || errors.As(err, &e) && (e.Kind == Absent || e.Kind == Exists)
}

// said is the answer of a store, in words that cannot be secret.
func said(status int, code string) string {
	switch {
	case status > 0 && isWord(code):
		return fmt.Sprintf(" (it answered %d %s)", status, code)
	case status > 0:
		return fmt.Sprintf(" (it answered %d)", status)
	}
	return ""
}

func isWord(s string) bool {
	return s != "" && len(s) <= 60 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
