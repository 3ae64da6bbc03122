package spool_test

import (
	"bytes"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/transform/spool"
)

// Rows that exceed the memory are read back from the file, whatever it contains.
func TestRows(t *testing.T) {
	const size = spool.MaxBuffered/2 - 1
	for name, c := range map[string]struct {
		rows     int
		fault    error // of writing
		flip     bool  // a bit of the file
		add, get string
	}{
		"in memory":           {rows: 2},
		"in memory and file":  {rows: 5},
		"larger than memory":  {rows: -1},
		"the disk is full":    {rows: 5, fault: syscall.ENOSPC, add: "no space left"},
		"the disk is damaged": {rows: 5, flip: true, get: "does not return what was written"},
	} {
		t.Run(name, func(t *testing.T) {
			root := &countingFS{FS: durabletest.NewMem(), fault: c.fault, flip: c.flip}
			s := spool.New(root, "rows")
			n, length := c.rows, size
			if n < 0 {
				n, length = 2, 3*spool.MaxBuffered
			}
			var all []spool.Place
			for i := range n {
				at, err := s.Add(bytes.Repeat([]byte{byte('a' + i)}, length))
				if err != nil {
					if c.add == "" || !strings.Contains(err.Error(), c.add) {
						t.Fatal(err)
					}
					break
				}
				all = append(all, at)
			}
			for i, at := range all {
				if c.add != "" {
					break
				}
				got, err := s.Read(at)
				switch {
				case c.get != "" && i == 0:
					if err == nil || !strings.Contains(err.Error(), c.get) {
						t.Errorf("rows of a damaged file: %v", err)
					}
				case err != nil || len(got) != length || bytes.Count(got, []byte{byte('a' + i)}) != length:
					t.Errorf("rows %d: %d bytes, %v", i, len(got), err)
				}
			}
			for range 2 {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			if root.open != 0 {
				t.Errorf("%d files are still open", root.open)
			}
			if _, err := root.Stat("rows"); err == nil {
				t.Error("the file is still there")
			}
		})
	}
}

// countingFS counts the files that are open.
type countingFS struct {
	durable.FS
	open  int
	fault error // of writing
	flip  bool  // every read returns bytes with one wrong bit
}

func (f *countingFS) Create(name string) (durable.File, error) {
	file, err := f.FS.Create(name)
	if err == nil {
		f.open++
	}
	return &countedFile{file, f}, err
}

func (f *countingFS) Open(name string) (durable.Reader, error) {
	r, err := f.FS.Open(name)
	if err == nil {
		f.open++
	}
	return &countedReader{r, f}, err
}

type countedFile struct {
	durable.File
	fs *countingFS
}

func (f *countedFile) Write(p []byte) (int, error) {
	if f.fs.fault != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, &fs.PathError{Op: "write", Path: "rows", Err: f.fs.fault}
	}
	return f.File.Write(p)
}

func (f *countedFile) Close() error {
	f.fs.open--
	return f.File.Close()
}

type countedReader struct {
	durable.Reader
	fs *countingFS
}

func (r *countedReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.Reader.ReadAt(p, at)
	if r.fs.flip && at == 0 {
		p[n/2] ^= 1
	}
	return n, err
}

func (r *countedReader) Close() error {
	r.fs.open--
	return r.Reader.Close()
}
