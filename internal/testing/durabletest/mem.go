// Package durabletest has two implementations of [durable.FS] for tests. [Mem] is in memory and
// can be cloned as after a power cut. [Wrapped] wraps another file system, counts operations, and
// stops, fails or skips the one chosen by a plan.
//
// Mem is stricter than any real disk: bytes survive only after Sync of their file, and each name
// only after SyncDir of its folder.
package durabletest

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"mkt/publish/durable"
)

// Mem is a file system in memory, made by [NewMem]. It is safe for concurrent use.
type Mem struct {
	mu    sync.Mutex
	root  *node
	locks map[string]bool
}

// node is a file or, if names is not nil, a folder.
type node struct {
	data   []byte // a file's bytes; only ever appended to
	synced int    // the number of bytes that survive a power cut

	names   map[string]*node // a folder's entries
	durable map[string]*node // the entries that survive a power cut
}

var _ durable.FS = (*Mem)(nil)

// NewMem makes an empty file system.
func NewMem() *Mem { return &Mem{root: newFolder(), locks: map[string]bool{}} }

func newFolder() *node {
	return &node{names: map[string]*node{}, durable: map[string]*node{}}
}

// find returns the node of a name, or nil if a part of it is missing.
func (m *Mem) find(name string) *node {
	n := m.root
	if name == "." {
		return n
	}
	for part := range strings.SplitSeq(name, "/") {
		if n == nil || n.names == nil {
			return nil
		}
		n = n.names[part]
	}
	return n
}

func (m *Mem) parent(op, name string) (*node, string, error) {
	if !fs.ValidPath(name) || name == "." {
		return nil, "", fail(op, name, fs.ErrInvalid)
	}
	dir := m.find(path.Dir(name))
	if dir == nil || dir.names == nil {
		return nil, "", fail(op, name, fs.ErrNotExist)
	}
	return dir, path.Base(name), nil
}

func fail(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

// Create implements durable.FS.
func (m *Mem) Create(name string) (durable.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent("create", name)
	if err != nil {
		return nil, err
	}
	if dir.names[base] != nil {
		return nil, fail("create", name, fs.ErrExist)
	}
	n := &node{}
	dir.names[base] = n
	return &memFile{m, n}, nil
}

// Open implements durable.FS. The reader sees the bytes of this moment only.
func (m *Mem) Open(name string) (durable.Reader, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil {
		return nil, fail("open", name, fs.ErrNotExist)
	}
	if n.names != nil {
		return nil, fail("open", name, durable.ErrNotRegular)
	}
	return memReader{bytes.NewReader(n.data)}, nil
}

// Link implements durable.FS.
func (m *Mem) Link(oldname, newname string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(oldname)
	if n == nil {
		return fail("link", oldname, fs.ErrNotExist)
	}
	dir, base, err := m.parent("link", newname)
	if err != nil {
		return err
	}
	if dir.names[base] != nil {
		return fail("link", newname, fs.ErrExist)
	}
	dir.names[base] = n
	return nil
}

// Rename implements durable.FS.
func (m *Mem) Rename(oldname, newname string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, oldbase, err := m.parent("rename", oldname)
	if err != nil {
		return err
	}
	n := from.names[oldbase]
	if n == nil {
		return fail("rename", oldname, fs.ErrNotExist)
	}
	to, newbase, err := m.parent("rename", newname)
	if err != nil {
		return err
	}
	if there := to.names[newbase]; there != nil && (there.names != nil || n.names != nil) {
		return fail("rename", newname, syscall.ENOTEMPTY)
	}
	delete(from.names, oldbase)
	to.names[newbase] = n
	return nil
}

// Remove implements durable.FS.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent("remove", name)
	if err != nil {
		return err
	}
	n := dir.names[base]
	if n == nil {
		return fail("remove", name, fs.ErrNotExist)
	}
	if len(n.names) > 0 {
		return fail("remove", name, syscall.ENOTEMPTY)
	}
	delete(dir.names, base)
	return nil
}

// RemoveAll implements durable.FS.
func (m *Mem) RemoveAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if dir, base, err := m.parent("remove", name); err == nil {
		delete(dir.names, base)
	}
	return nil
}

// MkdirAll implements durable.FS.
func (m *Mem) MkdirAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if name == "." {
		return nil
	}
	n := m.root
	for part := range strings.SplitSeq(name, "/") {
		if n.names[part] == nil {
			n.names[part] = newFolder()
		}
		if n = n.names[part]; n.names == nil {
			return fail("mkdir", name, syscall.ENOTDIR)
		}
	}
	return nil
}

// SyncDir implements durable.FS.
func (m *Mem) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil || n.names == nil {
		return fail("sync", name, fs.ErrNotExist)
	}
	n.durable = maps.Clone(n.names)
	return nil
}

// ReadDir implements durable.FS.
func (m *Mem) ReadDir(name string) ([]fs.DirEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil || n.names == nil {
		return nil, fail("readdir", name, fs.ErrNotExist)
	}
	var entries []fs.DirEntry
	for _, base := range slices.Sorted(maps.Keys(n.names)) {
		entries = append(entries, fs.FileInfoToDirEntry(describe(base, n.names[base])))
	}
	return entries, nil
}

// Stat implements durable.FS.
func (m *Mem) Stat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil {
		return nil, fail("stat", name, fs.ErrNotExist)
	}
	return describe(path.Base(name), n), nil
}

// Lock implements durable.FS.
func (m *Mem) Lock(name string) (io.Closer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locks[name] {
		return nil, fail("lock", name, durable.ErrLocked)
	}
	m.locks[name] = true
	return closer(func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.locks, name)
		return nil
	}), nil
}

// Flip flips a bit of a file, as a failing disk does, and reports whether the file has that byte. Other
// file systems cloned from this one keep theirs.
func (m *Mem) Flip(name string, at int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil || at < 0 || at >= len(n.data) {
		return false
	}
	n.data = bytes.Clone(n.data)
	n.data[at] ^= 1
	return true
}

type closer func() error

func (c closer) Close() error { return c() }

type memFile struct {
	m *Mem
	n *node
}

func (f *memFile) Write(p []byte) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.n.data = append(f.n.data, p...)
	return len(p), nil
}

func (f *memFile) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.n.synced = len(f.n.data)
	return nil
}

func (f *memFile) Close() error { return nil }

type memReader struct{ *bytes.Reader }

func (memReader) Close() error { return nil }

type description struct {
	name string
	size int64
	mode fs.FileMode
}

func describe(name string, n *node) description {
	if n.names != nil {
		return description{name, 0, fs.ModeDir | 0o755}
	}
	return description{name, int64(len(n.data)), 0o644}
}

func (d description) Name() string       { return d.name }
func (d description) Size() int64        { return d.size }
func (d description) Mode() fs.FileMode  { return d.mode }
func (d description) ModTime() time.Time { return time.Time{} }
func (d description) IsDir() bool        { return d.mode.IsDir() }
func (d description) Sys() any           { return nil }
