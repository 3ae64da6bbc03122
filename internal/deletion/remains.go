package deletion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mkt/internal/accounts"
	"mkt/internal/cluster/store"
	"mkt/publish/layout"
)

// Account is an account to delete, and where its data is.
type Account struct {
	ID    string
	Data  string // data root
	Usage string // the folder of the usage counters and the newest requests
	// Store and WritableStore open the object store for reading and for writing; nil if there is none.
	Store, WritableStore func(context.Context) (*store.Store, error)
}

// Remains is what there is of an account.
type Remains struct {
	Entry   bool  `json:"entry"` // in tenants.yaml
	Files   int   `json:"files"` // in the data root
	Bytes   int64 `json:"bytes"`
	Usage   int   `json:"usage_files"`
	Objects int   `json:"objects"` // in the object store
	Stored  int64 `json:"object_bytes"`

	folder bool // in the data root; a killed deletion may leave it without files
}

// None reports whether nothing is left.
func (r Remains) None() bool { return !r.Entry && !r.folder && r.Usage == 0 && r.Objects == 0 }

// Remains returns what there is of the account, in file and everywhere else.
func (a Account) Remains(ctx context.Context, file *accounts.File) (r Remains, err error) {
	_, r.Entry = file.Tenant(a.ID)
	folder := filepath.Join(a.Data, layout.Tenant(a.ID))
	_, err = os.Lstat(folder)
	r.folder = err == nil
	err = eachFile(folder, func(_ string, info fs.FileInfo) {
		r.Files++
		r.Bytes += info.Size()
	})
	if err != nil {
		return r, fmt.Errorf("data root: %w", err)
	}
	usage, err := a.usageFiles()
	if err != nil {
		return r, err
	}
	r.Usage = len(usage)
	if a.Store == nil {
		return r, nil
	}
	s, err := a.Store(ctx)
	if err == nil {
		r.Objects, r.Stored, err = s.MeasureAccount(ctx, a.ID)
	}
	return r, err
}

// usageFiles returns the files with the account's usage counters and newest requests, and those that
// a crash left half written.
func (a Account) usageFiles() (names []string, err error) {
	err = eachFile(a.Usage, func(name string, _ fs.FileInfo) {
		if base := path.Base(name); strings.HasPrefix(base, a.ID+".") && strings.Contains(base, ".json") { // an id has no dot
			names = append(names, name)
		}
	})
	if err != nil {
		err = fmt.Errorf("usage counters: %w", err)
	}
	return names, err
}

// eachFile calls do with the files below a folder, which may be missing.
func eachFile(dir string, do func(name string, info fs.FileInfo)) error {
	err := filepath.WalkDir(dir, func(full string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, full)
		do(filepath.ToSlash(name), info)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
