package durabletest

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"sync"

	"mkt/publish/durable"
)

// Kind of a file operation.
type Kind string

const (
	Create    Kind = "create"
	Open      Kind = "open"
	Link      Kind = "link"
	Rename    Kind = "rename"
	Remove    Kind = "remove"
	RemoveAll Kind = "removeall"
	Mkdir     Kind = "mkdir"
	SyncDir   Kind = "syncdir"
	ReadDir   Kind = "readdir"
	Stat      Kind = "stat"
	Lock      Kind = "lock"
	Write     Kind = "write"
	Sync      Kind = "sync"
	Close     Kind = "close"
)

// Op is one operation about to be done. Numbers count from 1.
type Op struct {
	Number int
	Kind   Kind
	Name   string // the new name of a link or rename
	Old    string // the old one
}

// Plan decides about an operation: nil executes it, [ErrLeftOut] skips it but reports success,
// and any other error is returned to the caller. It is never called concurrently.
type Plan func(Op) error

// ErrLeftOut is a planted defect: the operation is reported as done but was not.
var ErrLeftOut = errors.New("left out")

// ErrKilled is the error of every operation after the process counts as killed.
var ErrKilled = errors.New("killed here")

// Wrapped wraps another file system.
type Wrapped struct {
	below durable.FS
	plan  Plan

	mu  sync.Mutex
	ops int
}

var _ durable.FS = (*Wrapped)(nil)

// Wrap wraps a file system with a plan.
func Wrap(below durable.FS, plan Plan) *Wrapped { return &Wrapped{below: below, plan: plan} }

// Ops is the number of operations so far.
func (w *Wrapped) Ops() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ops
}

// KillAt executes k-1 operations and none after them, as if the process had been killed:
// not even the clean-up of an error path reaches the disk. The killed operation, if a
// write, writes half its bytes; if a folder's deletion, deletes half its names.
func KillAt(k int) Plan {
	return func(op Op) error {
		if op.Number >= k {
			return ErrKilled
		}
		return nil
	}
}

// FullAt makes the disk full from operation k on: operations that need space fail, reading and
// deleting work. A write writes half its bytes.
func FullAt(k int) Plan {
	return func(op Op) error {
		if op.Number < k {
			return nil
		}
		switch op.Kind {
		case Create, Link, Rename, Mkdir, Write, Sync, Close:
			return durable.NoSpace(string(op.Kind), op.Name)
		}
		return nil
	}
}

func (w *Wrapped) before(kind Kind, name, old string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ops++
	return w.plan(Op{w.ops, kind, name, old})
}

func (w *Wrapped) do(kind Kind, name, old string, op func() error) error {
	switch err := w.before(kind, name, old); err {
	case nil:
		return op()
	case ErrLeftOut:
		return nil
	default:
		return err
	}
}

// ask executes an operation that returns a value. It cannot be skipped.
func ask[T any](w *Wrapped, kind Kind, name string, op func(string) (T, error)) (T, error) {
	if err := w.before(kind, name, ""); err != nil {
		var none T
		return none, err
	}
	return op(name)
}

func (w *Wrapped) Create(name string) (durable.File, error) {
	f, err := ask(w, Create, name, w.below.Create)
	if err != nil {
		return nil, err
	}
	return &wrappedFile{w, f, name}, nil
}

func (w *Wrapped) Open(name string) (durable.Reader, error) {
	return ask(w, Open, name, w.below.Open)
}

func (w *Wrapped) Link(oldname, newname string) error {
	return w.do(Link, newname, oldname, func() error { return w.below.Link(oldname, newname) })
}

func (w *Wrapped) Rename(oldname, newname string) error {
	return w.do(Rename, newname, oldname, func() error { return w.below.Rename(oldname, newname) })
}

func (w *Wrapped) Remove(name string) error {
	return w.do(Remove, name, "", func() error { return w.below.Remove(name) })
}

func (w *Wrapped) RemoveAll(name string) error {
	err := w.do(RemoveAll, name, "", func() error { return w.below.RemoveAll(name) })
	if err != nil {
		w.removeHalf(name)
	}
	return err
}

func (w *Wrapped) removeHalf(dir string) {
	entries, _ := w.below.ReadDir(dir)
	for i := 0; i < len(entries); i += 2 {
		w.below.RemoveAll(path.Join(dir, entries[i].Name()))
	}
}

func (w *Wrapped) MkdirAll(name string) error {
	return w.do(Mkdir, name, "", func() error { return w.below.MkdirAll(name) })
}

func (w *Wrapped) SyncDir(name string) error {
	return w.do(SyncDir, name, "", func() error { return w.below.SyncDir(name) })
}

func (w *Wrapped) ReadDir(name string) ([]fs.DirEntry, error) {
	return ask(w, ReadDir, name, w.below.ReadDir)
}

func (w *Wrapped) Stat(name string) (fs.FileInfo, error) {
	return ask(w, Stat, name, w.below.Stat)
}

func (w *Wrapped) Lock(name string) (io.Closer, error) {
	return ask(w, Lock, name, w.below.Lock)
}

type wrappedFile struct {
	w    *Wrapped
	file durable.File
	name string
}

func (f *wrappedFile) Write(p []byte) (int, error) {
	err := f.w.before(Write, f.name, "")
	if err == nil {
		return f.file.Write(p)
	}
	if err == ErrLeftOut {
		return len(p), nil
	}
	n, _ := f.file.Write(p[:len(p)/2])
	return n, err
}

func (f *wrappedFile) Sync() error { return f.w.do(Sync, f.name, "", f.file.Sync) }

// Close closes the file below even if the plan fails it: a dead process holds none.
func (f *wrappedFile) Close() error {
	err := f.w.before(Close, f.name, "")
	closed := f.file.Close()
	if err == nil || err == ErrLeftOut {
		return closed
	}
	return err
}
