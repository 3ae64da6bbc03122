package durable

import (
	"io/fs"
	"path"
)

// Below returns a part of a file system: the files below a folder, by their names there.
func Below(f ReadFS, dir string) ReadFS { return below{f, dir} }

type below struct {
	f   ReadFS
	dir string
}

func (b below) Open(name string) (Reader, error)      { return b.f.Open(path.Join(b.dir, name)) }
func (b below) Stat(name string) (fs.FileInfo, error) { return b.f.Stat(path.Join(b.dir, name)) }
func (b below) ReadDir(name string) ([]fs.DirEntry, error) {
	return b.f.ReadDir(path.Join(b.dir, name))
}
func (b below) SyncDir(name string) error { return b.f.SyncDir(path.Join(b.dir, name)) }
