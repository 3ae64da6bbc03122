package deletion

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	Usage string // the folder of the usage counters
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

	folder     bool // in the data root; a killed deletion may leave it without files
	usageFiles []string
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
	err = eachFile(a.Usage, func(name string, _ fs.FileInfo) {
		if strings.HasSuffix(name, ".json") && strings.HasPrefix(name, a.ID+".") { // an id has no dot
			r.usageFiles = append(r.usageFiles, name)
		}
	})
	if err != nil {
		return r, fmt.Errorf("usage counters: %w", err)
	}
	r.Usage = len(r.usageFiles)
	if a.Store == nil {
		return r, nil
	}
	s, err := a.Store(ctx)
	if err == nil {
		r.Objects, r.Stored, err = s.MeasureAccount(ctx, a.ID)
	}
	return r, err
}

// eachFile calls do with the files below a folder, which may be missing.
func eachFile(dir string, do func(name string, info fs.FileInfo)) error {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
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
		name, err := filepath.Rel(dir, path)
		do(filepath.ToSlash(name), info)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
