// Package durable is the only code that syncs to disk. All file access of the
// batch steps goes through its one small interface, FS, rooted at one tenant
// and product, so that a step cannot name a file outside it and a test can stop
// the process at any operation.
//
// Three verbs write: Create (the name must not exist), CreateAgain (the same
// bytes are fine, others are an error: this makes a re-run safe) and Overwrite
// (CURRENT and state files only, each with one writer). All three sync the file
// and the directory entry before they return. A failed sync or close is never
// repeated: the attempt is given up.
//
// Source: RELIABILITY, section 2, "Publishing".
package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// ReadFS is every file operation of those who only read: serve, and the commands that
// look at a data root. Names are slash-separated and relative to the root. One that
// leaves the root is an error, and so is one that leads through a symbolic link, which
// is never followed. A missing file is reported so that errors.Is(err,
// fs.ErrNotExist) holds.
type ReadFS interface {
	// Open opens a file for reading.
	Open(name string) (Reader, error)
	// ReadDir lists a folder, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Stat describes a file or folder. It follows no symbolic link: it describes
	// the link.
	Stat(name string) (fs.FileInfo, error)
	// SyncDir makes the entries of a folder durable. A reader changes nothing by it: it
	// waits until what it is about to report is durable.
	SyncDir(name string) error
}

// FS is every file operation of a batch step. An existing file is reported so that
// errors.Is(err, fs.ErrExist) holds.
type FS interface {
	ReadFS
	// Create makes a new file for writing; it must not exist.
	Create(name string) (File, error)
	// Link gives an existing file a second name; newname must not exist.
	Link(oldname, newname string) error
	// Rename moves a file or folder; a file at newname is replaced, a folder is not.
	Rename(oldname, newname string) error
	// Remove deletes a file or an empty folder.
	Remove(name string) error
	// RemoveAll deletes a folder and what is in it.
	RemoveAll(name string) error
	// MkdirAll makes a folder and its parents. It does not sync.
	MkdirAll(name string) error
	// Lock takes the exclusive advisory lock on a file that is created when
	// missing and never unlinked. It returns ErrLocked at once when another
	// holder has it. Close frees it; so does the death of the process.
	Lock(name string) (io.Closer, error)
}

// File is a file being written. Sync makes its bytes durable; Close does not.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// Reader is a file being read, as Parquet readers need it.
type Reader interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Size() int64
}

// ErrLocked: another process holds the lock.
var ErrLocked = errors.New("locked by another run")

// ErrDiffers: CreateAgain found the name taken by other bytes.
var ErrDiffers = errors.New("exists with other content")

// ErrTooLarge: a file is larger than its reader is ready for.
var ErrTooLarge = errors.New("larger than allowed")

// ErrNotRegular: a name that should be a file is a folder, link, socket, device or
// pipe, or a name that should be a folder is none.
var ErrNotRegular = errors.New("not a regular file")

// ErrLink is the ErrNotRegular of a symbolic link.
var ErrLink error = notRegular("a symbolic link, and below the data root none is followed: put the file or folder itself there, or mount it there")

var errNotFolder error = notRegular("not a folder")

// notRegular is an ErrNotRegular that says more.
type notRegular string

func (e notRegular) Error() string        { return string(e) }
func (e notRegular) Is(target error) bool { return target == ErrNotRegular }

// ErrNoSpace: the disk, or the user's share of it, is full. It is never
// retried: a person frees space, then the step is run again.
var ErrNoSpace = errors.New("no space left on device: free space on this disk, then run again")

// NoSpace words the error of one operation that found the disk full. Name is
// relative to the root; no absolute path is in the text.
func NoSpace(op, name string) error { return fmt.Errorf("%s %s: %w", op, name, ErrNoSpace) }
