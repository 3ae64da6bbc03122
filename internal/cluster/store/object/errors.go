package object

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"mkt/publish/snapshot"
)

// Kind is the reason why an operation on a bucket failed.
type Kind int

// The kinds of failures.
const (
	Away     Kind = iota // no answer, or a temporary error
	Absent               // there is no such object
	Exists               // there is one already
	Damaged              // the object differs from the stored one
	Denied               // the credential, the setting or the permissions are wrong
	NoBucket             // there is no such bucket
	Full                 // the store takes no more data
	Unsafe               // the store cannot create an object only if it is absent
)

// Error is the error of a failed operation on a bucket. It keeps only the status and the code of
// the answer: texts of stores and their libraries contain addresses and parts of the credential.
type Error struct {
	Kind   Kind
	Status int    // of HTTP; 0 if there was no answer
	Code   string // the store's own code, such as SlowDown; "" if it sent none
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s%s", [...]string{"away", "absent", "exists", "damaged", "denied", "no bucket", "full", "unsafe"}[e.Kind], said(e.Status, e.Code))
}

// Refusal returns the error for an answer other than success. code is the store's own code.
func Refusal(status int, code string) *Error {
	e := &Error{Status: status, Code: code}
	switch {
	case code == "NoSuchBucket":
		e.Kind = NoBucket
	case status == http.StatusNotFound:
		e.Kind = Absent
	case status == http.StatusPreconditionFailed, status == http.StatusNotModified:
		e.Kind = Exists
	case status == http.StatusNotImplemented:
		e.Kind = Unsafe
	case status == http.StatusInsufficientStorage, strings.Contains(code, "QuotaExceeded"), strings.Contains(code, "StorageFull"):
		e.Kind = Full
	case status == http.StatusForbidden, status == http.StatusUnauthorized, isSetting(status, code):
		e.Kind = Denied
	}
	return e
}

// isSetting reports whether a request is refused because of the settings, and will be refused
// again: an expired token, or the region of another bucket. The answer to a HEAD has no code.
func isSetting(status int, code string) bool {
	switch {
	case status >= 300 && status < 400:
		return true
	case status != http.StatusBadRequest:
		return false
	}
	return slices.Contains([]string{"", "BadRequest", "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "AuthorizationHeaderMalformed", "InvalidBucketName"}, code)
}

// Errors of operations on objects. Others are [fs.ErrNotExist] for one that is missing, and
// [snapshot.ErrConflict] for a name that somebody else has taken.
var (
	// ErrAway: the store does not answer, or fails for the time being.
	ErrAway = errors.New("the object store cannot be reached, or fails: try again later; mkt doctor checks the setting store")
	// ErrRefused: the store refuses the credential, or does not allow it this operation.
	ErrRefused = errors.New("the object store refuses the credential or the operation: check the credential and its permissions (read, write, list and delete below the prefix)")
	// ErrNoBucket: the bucket does not exist.
	ErrNoBucket = errors.New("the object store has no bucket of this name: create it, or correct the setting store")
	// ErrFull: the store takes no more data.
	ErrFull = errors.New("the object store is full, or its quota is used up: free space or raise the quota; nothing was published")
	// ErrUnsafe: the store overwrites an object although it must only be created if absent.
	ErrUnsafe = errors.New("the object store ignores conditional writes (If-None-Match): two writers could overwrite each other's publications; use another store")
)

// ErrRepair is the remedy for a damaged object; its error has it.
var ErrRepair = errors.New("mkt push --repair stores it again from a data root that has it")

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
		return fmt.Errorf("object store: %s: %w: its bytes do not have the checksum in the store: %w", key, snapshot.ErrDamaged, ErrRepair)
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
