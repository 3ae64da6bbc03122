package accounts

import (
	"fmt"
	"slices"
)

// Journal opens the log of edits for the file at path, with links resolved. It is called under the
// lock, before anything changes: an error refuses the edit.
type Journal func(path string) (Log, error)

// Log logs one edit. Allow is called before anything changes: an error refuses the edit. Write is
// called when the new file is in place and durable, and not if the edit fails. Close is called last.
type Log interface {
	Allow(Edited) error
	Write(Edited) error
	// Entries returns what Write will write, All what the log has, and Merge adds the entries
	// of other machines that it does not have: for accounts that several machines share.
	Entries(Edited) ([]byte, error)
	All() ([]byte, error)
	Merge(entries []byte) error
	Close() error
}

// Edited is a completed edit.
type Edited struct {
	Before, After *File
	Tenants       []string // the tenants that it changed, sorted
}

// UnloggedError is returned with the new generation if the edit is in force but could not be logged.
type UnloggedError struct {
	File string
	Err  error
}

func (e *UnloggedError) Error() string {
	return fmt.Sprintf("%s: the change is made and in force, but could not be logged: %v", e.File, e.Err)
}

func (e *UnloggedError) Unwrap() error { return e.Err }

// Sum is the SHA-256 of the bytes the generation was read from, without the seal.
func (f *File) Sum() [32]byte { return f.sum }

func (e *Editor) edited(after *File) Edited {
	edited := Edited{Before: e.before, After: after}
	for id := range e.touched {
		edited.Tenants = append(edited.Tenants, id)
	}
	slices.Sort(edited.Tenants)
	return edited
}

type opener func() (Log, error)

func (j Journal) at(path string) opener {
	if j == nil {
		return unlogged
	}
	return func() (Log, error) { return j(path) }
}

func unlogged() (Log, error) { return noLog{}, nil }

type noLog struct{}

func (noLog) Allow(Edited) error { return nil }
func (noLog) Write(Edited) error { return nil }

func (noLog) Entries(Edited) ([]byte, error) { return nil, nil }
func (noLog) All() ([]byte, error)           { return nil, nil }
func (noLog) Merge([]byte) error             { return nil }
func (noLog) Close() error                   { return nil }
