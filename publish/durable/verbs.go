package durable

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"
)

// writeBuffer is the number of bytes buffered before a write to the disk.
const writeBuffer = 64 << 10

// buffers are the buffers of finished files, for later ones.
var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, writeBuffer) }}

// Bytes returns a function for [Create] and [CreateAgain] that writes data.
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Until returns w, but writes fail once ctx is done. This ends a long write.
func Until(ctx context.Context, w io.Writer) io.Writer { return cancellable{ctx, w} }

type cancellable struct {
	ctx context.Context
	w   io.Writer
}

func (c cancellable) Write(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.w.Write(p)
}

// Create creates a file with the output of write, and syncs it and its folder, which must exist.
// If the name exists the error is [fs.ErrExist]. After an error the file may remain with part of
// the content: so create files in staging, or before a header that is written last.
func Create(f FS, name string, write func(io.Writer) error) error {
	if err := CreateIn(f, name, write); err != nil {
		return err
	}
	return f.SyncDir(path.Dir(name))
}

// CreateIn is [Create] without the sync of the folder, for one of several new files in it. The
// caller syncs the folder before anything relies on their names.
func CreateIn(f FS, name string, write func(io.Writer) error) error {
	file, err := f.Create(name)
	if err != nil {
		return err
	}
	buffered := buffers.Get().(*bufio.Writer)
	defer buffers.Put(buffered)
	defer buffered.Reset(nil)
	buffered.Reset(file)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// CreateAgain creates a file that an earlier run may have created. A file with the same bytes is
// kept; other bytes are [ErrDiffers]. A reader never sees part of the content. The folder must
// exist.
func CreateAgain(f FS, name string, write func(io.Writer) error) error {
	temp, err := writeTemp(f, name, write)
	if err != nil {
		return err
	}
	err = f.Link(temp, name)
	if errors.Is(err, fs.ErrExist) {
		err = sameContent(f, temp, name)
	}
	if gone := f.Remove(temp); err == nil {
		err = gone
	}
	if err != nil {
		return err
	}
	return f.SyncDir(path.Dir(name))
}

// Overwrite replaces a small file: a reader sees the old or the new bytes. It is for CURRENT,
// state files and staged records only; everything else is written once.
func Overwrite(f FS, name string, data []byte) error {
	temp, err := writeTemp(f, name, Bytes(data))
	if err != nil {
		return err
	}
	if err := f.Rename(temp, name); err != nil {
		return err
	}
	return f.SyncDir(path.Dir(name))
}

// Save writes a file requested by a person, outside of a data root: a reader sees all of it or
// nothing. If replace is true, it replaces a file of that name; otherwise the error is then
// [fs.ErrExist]. After an error no part of the file is left.
func Save(f FS, name string, replace bool, write func(io.Writer) error) error {
	temp, err := writeTemp(f, name, write)
	switch {
	case err != nil:
	case replace:
		err = f.Rename(temp, name)
	default:
		if err = f.Link(temp, name); err == nil {
			err = f.Remove(temp)
		} else if !errors.Is(err, fs.ErrExist) { // a file system without links, such as FAT
			err = renameNew(f, temp, name)
		}
	}
	if err != nil {
		return errors.Join(err, missing(f.Remove(temp)))
	}
	return f.SyncDir(path.Dir(name))
}

// renameNew renames a file unless the new name exists.
func renameNew(f FS, from, to string) error {
	there, err := Exists(f, to)
	if err == nil && there {
		err = &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	if err != nil {
		return err
	}
	return f.Rename(from, to)
}

// tempMark is in the name of every unfinished file of [CreateAgain], [Overwrite] and [Save].
const tempMark = ".tmp"

// writeTemp writes and syncs a file next to name, under a unique name. It does not reuse the
// files left by a crash, which [RemoveTemps] deletes.
func writeTemp(f FS, name string, write func(io.Writer) error) (string, error) {
	for n := 0; ; n++ {
		temp := fmt.Sprintf("%s%s%d", name, tempMark, n)
		err := CreateIn(f, temp, write)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue
		}
		return temp, err
	}
}

// RemoveTemps deletes the temporary files of crashed runs in one folder, which may be missing. It
// keeps files changed after since: a run may be writing them.
func RemoveTemps(f FS, dir string, since time.Time) error {
	return removeTemps(f, dir, func(e fs.DirEntry) (bool, error) {
		if _, is := TempOf(e.Name()); !is {
			return false, nil
		}
		info, err := e.Info()
		return err == nil && !info.ModTime().After(since), missing(err)
	})
}

// RemoveTempsOf deletes the temporary files of crashed runs for one file. The caller must hold
// the lock taken by every writer of the file.
func RemoveTempsOf(f FS, name string) error {
	return removeTemps(f, path.Dir(name), func(e fs.DirEntry) (bool, error) {
		of, is := TempOf(e.Name())
		return is && of == path.Base(name), nil
	})
}

// TempOf returns the final name of a temporary file. is is false for any other file.
func TempOf(base string) (name string, is bool) {
	at := strings.LastIndex(base, tempMark)
	if at < 0 || strings.Trim(base[at+len(tempMark):], "0123456789") != "" {
		return "", false
	}
	return base[:at], true
}

func removeTemps(f FS, dir string, left func(fs.DirEntry) (bool, error)) error {
	entries, err := f.ReadDir(dir)
	if err != nil {
		return missing(err)
	}
	for _, e := range entries {
		remove, err := left(e)
		if err != nil {
			return err
		}
		if remove {
			if err := f.Remove(path.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameContent checks that name, an existing file, has the bytes of temp. They are durable: only
// synced files are linked.
func sameContent(f FS, temp, name string) error {
	same, err := SameFile(f, temp, name)
	if err != nil {
		return err
	}
	if !same {
		return fmt.Errorf("%s: %w", name, ErrDiffers)
	}
	return nil
}
