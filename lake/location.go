package lake

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	iceio "github.com/apache/iceberg-go/io"
)

// schemes are the schemes of the locations that engines open.
var schemes = []string{"s3", "s3a", "gs", "abfs", "abfss"}

// CheckLocation checks a location: the URL under which engines will read the tables, after
// the folder was copied there.
func CheckLocation(location string) error {
	u, err := url.Parse(location)
	if err != nil || !slices.Contains(schemes, u.Scheme) || u.Host == "" || u.User != nil && !strings.HasPrefix(u.Scheme, "abfs") || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("want a URL such as s3://bucket/prefix, of %s, without credentials or a query", strings.Join(schemes, ", "))
	}
	if _, has := u.User.Password(); has {
		return fmt.Errorf("want a URL without a password")
	}
	return nil
}

// located is the local folder of a lake whose tables name their files by another location.
type located struct {
	disk
	location, folder string // without a slash at the end
}

// useLocation makes the library find a location in a local folder.
func useLocation(location, folder string) {
	scheme, _, _ := strings.Cut(location, ":")
	iceio.Unregister(scheme)
	iceio.Register(scheme, func(context.Context, *url.URL, map[string]string) (iceio.IO, error) {
		return located{location: location, folder: folder}, nil
	})
}

// local returns the path of a file named by the library.
func (l located) local(name string) (string, error) {
	below, is := strings.CutPrefix(name, l.location)
	if !is || below != "" && below[0] != '/' || below != "" && !filepath.IsLocal(below[1:]) {
		return "", &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("it is not below %s, the location of the lake", l.location)}
	}
	return l.folder + filepath.FromSlash(below), nil
}

func (l located) Open(name string) (iceio.File, error) {
	path, err := l.local(name)
	if err != nil {
		return nil, err
	}
	return l.disk.Open(path)
}

func (l located) ReadFile(name string) ([]byte, error) {
	path, err := l.local(name)
	if err != nil {
		return nil, err
	}
	return l.disk.ReadFile(path)
}

func (l located) Create(name string) (iceio.FileWriter, error) {
	path, err := l.local(name)
	if err != nil {
		return nil, err
	}
	return l.disk.Create(path)
}

func (l located) WriteFile(name string, content []byte) error {
	path, err := l.local(name)
	if err != nil {
		return err
	}
	return l.disk.WriteFile(path, content)
}

func (l located) Remove(name string) error {
	path, err := l.local(name)
	if err != nil {
		return err
	}
	return l.disk.Remove(path)
}

func (l located) RemoveAll(name string) error {
	path, err := l.local(name)
	if err != nil {
		return err
	}
	return l.disk.RemoveAll(path)
}

func (l located) MkdirAll(name string) error {
	path, err := l.local(name)
	if err != nil {
		return err
	}
	return l.disk.MkdirAll(path)
}

func (l located) Stat(name string) (fs.FileInfo, error) {
	path, err := l.local(name)
	if err != nil {
		return nil, err
	}
	return l.disk.Stat(path)
}

func (l located) Rename(from, to string) error { return l.both(from, to, l.disk.Rename) }

func (l located) RenameNoReplace(from, to string) error {
	return l.both(from, to, l.disk.RenameNoReplace)
}

func (l located) both(from, to string, do func(from, to string) error) error {
	a, err := l.local(from)
	if err != nil {
		return err
	}
	b, err := l.local(to)
	if err != nil {
		return err
	}
	return do(a, b)
}

// WalkDir reports names below the location.
func (l located) WalkDir(root string, do fs.WalkDirFunc) error {
	path, err := l.local(root)
	if err != nil {
		return err
	}
	return l.disk.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
		return do(l.location+filepath.ToSlash(strings.TrimPrefix(name, l.folder)), e, err)
	})
}
