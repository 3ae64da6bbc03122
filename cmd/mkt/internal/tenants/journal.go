package tenants

import (
	"fmt"
	"slices"
)

// Journal opens the log of edits of the file at path, which is its real one. It
// is called under the lock, before anything changes: an error refuses the edit.
type Journal func(path string) (Log, error)

// Log takes one edit. Allow is called before anything changes: an error refuses
// the edit. Write is called when the new file is in place and durable, not at
// all when the edit fails; Close comes last.
type Log interface {
	Allow(Edited) error
	Write(Edited) error
	Close() error
}

// Edited is an edit that is done.
type Edited struct {
	Before, After *File
	Tenants       []string // whose entries it was about, sorted
}

// UnloggedError is returned with the new generation if the edit is in force and its log
// could not be written.
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

// opener opens the log of one edit.
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
func (noLog) Close() error       { return nil }
