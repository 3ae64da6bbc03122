package lake

import (
	"context"
	"net/url"
	"os"
	"path/filepath"

	iceio "github.com/apache/iceberg-go/io"

	"mkt/publish/durable"
)

// disk is the library's local file system with syncs. The library itself syncs nothing: after a
// power cut, the newest metadata of a table could be empty.
type disk struct{ iceio.LocalFS }

func init() { useDisk(func() iceio.IO { return disk{} }) }

// useDisk makes the library use a file system for local paths.
func useDisk(open func() iceio.IO) {
	for _, scheme := range []string{"", "file"} {
		iceio.Unregister(scheme)
		iceio.Register(scheme, func(context.Context, *url.URL, map[string]string) (iceio.IO, error) { return open(), nil })
	}
}

// Create creates a file that is durable when it is closed.
func (d disk) Create(name string) (iceio.FileWriter, error) {
	w, err := d.LocalFS.Create(name)
	if err != nil {
		return nil, err
	}
	return syncedFile{w.(*os.File)}, nil
}

// WriteFile writes a file and makes it durable.
func (d disk) WriteFile(name string, content []byte) error {
	w, err := d.Create(name)
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}

// Rename replaces a file durably.
func (d disk) Rename(from, to string) error {
	if err := d.LocalFS.Rename(from, to); err != nil {
		return err
	}
	return syncParent(to)
}

// RenameNoReplace gives a file a new name durably. The name must not exist.
func (d disk) RenameNoReplace(from, to string) error {
	if err := d.LocalFS.RenameNoReplace(from, to); err != nil {
		return err
	}
	return syncParent(to)
}

type syncedFile struct{ *os.File }

func (f syncedFile) Close() error {
	if err := f.Sync(); err != nil {
		f.File.Close()
		return err
	}
	if err := f.File.Close(); err != nil {
		return err
	}
	return syncParent(f.Name())
}

func syncParent(name string) error {
	root, err := durable.OpenExisting(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer root.Close()
	return root.SyncDir(".")
}
