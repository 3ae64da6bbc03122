// Package durable is the only code that syncs to disk. All file access of the batch steps goes
// through its small interface [FS], and that of readers through [ReadFS]. Both are rooted at one
// tenant and product. So a step cannot name a file outside, and a test can stop the process at
// any operation.
//
// Five functions write. [Create] needs a free name. [CreateIn] does the same for one of several
// files of a folder. [CreateAgain] accepts a file with the same bytes, which makes a re-run safe;
// other bytes are an error. [Overwrite] is only for CURRENT and state files, each of which has
// one writer. [Save] is for output requested by a person, outside of a data root. All of them
// sync the file before they return, and all but CreateIn the directory entry. A failed sync or
// close is never repeated: the operation fails.
//
// Source: RELIABILITY, section 2, "Publishing".
package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// ReadFS has every file operation of programs that only read: serve, and the commands that
// inspect a data root. Names are slash-separated and relative to the root. A name that leaves the
// root, or leads through a symbolic link, is an error. For a missing file errors.Is(err,
// fs.ErrNotExist) holds.
type ReadFS interface {
	// Open opens a file for reading.
	Open(name string) (Reader, error)
	// ReadDir lists a folder, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Stat describes a file or folder. It does not follow a symbolic link, but describes the
	// link.
	Stat(name string) (fs.FileInfo, error)
	// SyncDir makes the entries of a folder durable. Readers use it before they report a file, so
	// that no power cut can undo it.
	SyncDir(name string) error
}

// FS has every file operation of a batch step. For an existing file errors.Is(err, fs.ErrExist)
// holds.
type FS interface {
	ReadFS
	// Create creates a file for writing; it must not exist.
	Create(name string) (File, error)
	// Link gives an existing file a second name; newname must not exist.
	Link(oldname, newname string) error
	// Rename moves a file or folder; a file at newname is replaced, a folder is not.
	Rename(oldname, newname string) error
	// Remove deletes a file or an empty folder.
	Remove(name string) error
	// RemoveAll deletes a folder with its content.
	RemoveAll(name string) error
	// MkdirAll creates a folder and its parents. It does not sync.
	MkdirAll(name string) error
	// Lock takes the exclusive advisory lock on a file, which is created if missing and never
	// deleted. If somebody else holds the lock, it returns [ErrLocked] at once. Close releases
	// it, and so does the end of the process.
	Lock(name string) (io.Closer, error)
}

// File is an unfinished file. Sync makes its bytes durable; Close does not.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// Reader is an open file with everything a Parquet reader needs.
type Reader interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Size() int64
}

// ErrLocked: another process holds the lock.
var ErrLocked = errors.New("locked by another run")

// ErrDiffers: a file or folder of that name exists with other bytes.
var ErrDiffers = errors.New("exists with other content")

// ErrTooLarge: a file is larger than the caller allows.
var ErrTooLarge = errors.New("larger than allowed")

// ErrNotRegular: a name that should be a file is a folder, link, socket, device or pipe, or a
// name which should be a folder is not one.
var ErrNotRegular = errors.New("not a regular file")

// ErrLink is [ErrNotRegular] for a symbolic link.
var ErrLink error = notRegular("a symbolic link, and below the data root none is followed: put the file or folder itself there, or mount it there")

var errNotFolder error = notRegular("not a folder")

// notRegular is [ErrNotRegular] with details.
type notRegular string

func (e notRegular) Error() string        { return string(e) }
func (e notRegular) Is(target error) bool { return target == ErrNotRegular }

// ErrNoSpace: the disk, or the user's share of it, is full. It is never retried: a person frees
// space, then runs the step again.
var ErrNoSpace = errors.New("no space left on device: free space on this disk, then run again")

// NoSpace is the error of an operation on a full disk. The name is relative to the root: the text
// must not contain an absolute path.
func NoSpace(op, name string) error { return fmt.Errorf("%s %s: %w", op, name, ErrNoSpace) }
