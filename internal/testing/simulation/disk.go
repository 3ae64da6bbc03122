package simulation

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Rates of the faults of one operation on a disk. A day has about a hundred thousand operations.
const (
	killRate  = 1.0 / 9_000
	nameRate  = 1.0 / 3_000 // of kills at an operation that makes names or makes them durable
	headRate  = 1.0 / 600   // of kills at one in the folder of commit records: there a publication becomes the newest one
	errorRate = 1.0 / 12_000
	slowRate  = 1.0 / 12_000
	lostRate  = 1.0 / 100 // of syncs, on a machine whose disk loses writes
	lookRate  = 1.0 / 300 // of clients that read what is there before an operation
	earlyRate = 1.0 / 10  // of clients that read a publication just before it is made durable
	seenRate  = 1.0 / 5   // of kills after that: what was seen must stay
)

// disk is the file system of a life of a machine, below a folder of it. Every operation waits for
// its turn, and may fail, stop for a while, or be the last one of the machine.
type disk struct {
	l    *life
	mem  *durabletest.Mem
	base string // "." or a folder
}

var _ durable.FS = (*disk)(nil)

func (l *life) root(base string) *disk { return &disk{l, l.disk, base} }

func (d *disk) at(name string) string { return path.Join(d.base, name) }

// do has the turn of an operation, and does it. half is what is left of it if the machine is killed
// in the middle; it may be nil. space says that it needs space on the disk.
func (d *disk) do(kind durabletest.Kind, name string, space bool, op func() error, half func()) error {
	w := d.l.machine.w
	id, err := d.l.enter(string(kind), d.at(name))
	if err != nil {
		return err
	}
	looks, kills := lookRate, killRateOf(kind, name)
	if kind == durabletest.SyncDir && name == layout.CommitsDir {
		looks = earlyRate
	}
	if w.roll("look", id) < looks && d.l.machine.look(d.l, d.base, id) && looks == earlyRate {
		kills = seenRate
	}
	switch {
	case w.happens("killed", id, kills):
		if how := w.pick("when", id, 3); how == 0 {
			_ = op()
		} else if half != nil && how == 1 {
			half()
		}
		d.l.kill(id)
		return errKilled
	case space && d.l.machine.full:
		if half != nil {
			half()
		}
		d.l.failedAt(d.at(name))
		return durable.NoSpace(string(kind), name)
	case w.happens("input/output error", id, errorRate):
		d.l.failedAt(d.at(name))
		return &fs.PathError{Op: string(kind), Path: name, Err: syscall.EIO}
	case d.l.machine.losesWrites && (kind == durabletest.Sync || kind == durabletest.SyncDir) && w.happens("sync lost", id, lostRate):
		d.l.lied.Store(true)
		return nil
	case w.happens("slow", id, slowRate):
		sleep(d.l.ctx, w.span("slow", id, time.Second, time.Minute))
		if d.l.dead.Load() {
			return errKilled
		}
	}
	return op()
}

func killRateOf(kind durabletest.Kind, name string) float64 {
	switch kind {
	case durabletest.Link, durabletest.Rename, durabletest.SyncDir:
		if strings.HasPrefix(name, layout.CommitsDir) {
			return headRate
		}
		return nameRate
	}
	return killRate
}

// Create implements durable.FS.
func (d *disk) Create(name string) (f durable.File, err error) {
	err = d.do(durabletest.Create, name, true, func() error {
		f, err = d.mem.Create(d.at(name))
		return err
	}, nil)
	if err != nil {
		return nil, err
	}
	return &file{d, f, name}, nil
}

// Open implements durable.FS.
func (d *disk) Open(name string) (r durable.Reader, err error) {
	err = d.do(durabletest.Open, name, false, func() error {
		r, err = d.mem.Open(d.at(name))
		return err
	}, nil)
	return r, err
}

// Link implements durable.FS.
func (d *disk) Link(old, name string) error {
	return d.do(durabletest.Link, name, true, func() error { return d.mem.Link(d.at(old), d.at(name)) }, nil)
}

// Rename implements durable.FS.
func (d *disk) Rename(old, name string) error {
	return d.do(durabletest.Rename, name, true, func() error { return d.mem.Rename(d.at(old), d.at(name)) }, nil)
}

// Remove implements durable.FS.
func (d *disk) Remove(name string) error {
	return d.do(durabletest.Remove, name, false, func() error { return d.mem.Remove(d.at(name)) }, nil)
}

// RemoveAll implements durable.FS. If it is stopped in the middle, half of the names are left.
func (d *disk) RemoveAll(name string) error {
	return d.do(durabletest.RemoveAll, name, false, func() error { return d.mem.RemoveAll(d.at(name)) }, func() {
		entries, _ := d.mem.ReadDir(d.at(name))
		for i := 0; i < len(entries); i += 2 {
			_ = d.mem.RemoveAll(path.Join(d.at(name), entries[i].Name()))
		}
	})
}

// MkdirAll implements durable.FS.
func (d *disk) MkdirAll(name string) error {
	return d.do(durabletest.Mkdir, name, true, func() error { return d.mem.MkdirAll(d.at(name)) }, nil)
}

// SyncDir implements durable.FS.
func (d *disk) SyncDir(name string) error {
	return d.do(durabletest.SyncDir, name, false, func() error { return d.mem.SyncDir(d.at(name)) }, nil)
}

// ReadDir implements durable.FS.
func (d *disk) ReadDir(name string) (entries []fs.DirEntry, err error) {
	err = d.do(durabletest.ReadDir, name, false, func() error {
		entries, err = d.mem.ReadDir(d.at(name))
		return err
	}, nil)
	return entries, err
}

// Stat implements durable.FS.
func (d *disk) Stat(name string) (info fs.FileInfo, err error) {
	err = d.do(durabletest.Stat, name, false, func() error {
		info, err = d.mem.Stat(d.at(name))
		return err
	}, nil)
	return info, err
}

// Lock implements durable.FS.
func (d *disk) Lock(name string) (c io.Closer, err error) {
	err = d.do(durabletest.Lock, name, false, func() error {
		c, err = d.mem.Lock(d.at(name))
		return err
	}, nil)
	return c, err
}

type file struct {
	d    *disk
	file durable.File
	name string
}

func (f *file) Write(p []byte) (n int, err error) {
	err = f.d.do(durabletest.Write, f.name, true, func() error {
		n, err = f.file.Write(p)
		f.d.l.machine.w.trace(p)
		return err
	}, func() { n, _ = f.file.Write(p[:len(p)/2]) })
	return n, err
}

func (f *file) Sync() error {
	return f.d.do(durabletest.Sync, f.name, true, f.file.Sync, nil)
}

func (f *file) Close() error {
	return f.d.do(durabletest.Close, f.name, false, f.file.Close, func() { _ = f.file.Close() })
}

// within is a part of a file system below a folder, without operations of its own: for judges.
func within(mem *durabletest.Mem, base string) durable.FS {
	return &below{mem, base}
}

type below struct {
	*durabletest.Mem
	base string
}

func (b *below) at(name string) string                      { return path.Join(b.base, name) }
func (b *below) Create(name string) (durable.File, error)   { return b.Mem.Create(b.at(name)) }
func (b *below) Open(name string) (durable.Reader, error)   { return b.Mem.Open(b.at(name)) }
func (b *below) Link(old, name string) error                { return b.Mem.Link(b.at(old), b.at(name)) }
func (b *below) Rename(old, name string) error              { return b.Mem.Rename(b.at(old), b.at(name)) }
func (b *below) Remove(name string) error                   { return b.Mem.Remove(b.at(name)) }
func (b *below) RemoveAll(name string) error                { return b.Mem.RemoveAll(b.at(name)) }
func (b *below) MkdirAll(name string) error                 { return b.Mem.MkdirAll(b.at(name)) }
func (b *below) SyncDir(name string) error                  { return b.Mem.SyncDir(b.at(name)) }
func (b *below) ReadDir(name string) ([]fs.DirEntry, error) { return b.Mem.ReadDir(b.at(name)) }
func (b *below) Stat(name string) (fs.FileInfo, error)      { return b.Mem.Stat(b.at(name)) }
func (b *below) Lock(name string) (io.Closer, error)        { return b.Mem.Lock(b.at(name)) }

// String names the folder.
func (b *below) String() string { return fmt.Sprintf("disk at %s", b.base) }

// fileIn names a file below a folder, other than a lock; "" if there is none.
func fileIn(root durable.ReadFS, dir string) string {
	entries, _ := root.ReadDir(dir) // it may be missing
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if e.IsDir() {
			name = fileIn(root, name)
		}
		if name != "" && e.Name() != layout.Lock {
			return name
		}
	}
	return ""
}
