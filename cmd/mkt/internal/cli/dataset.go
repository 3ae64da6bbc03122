package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// DatasetFlags adds the flags --tenant and --product.
func DatasetFlags(cmd *cobra.Command, w *dataset.Filter) {
	cmd.Flags().StringVar(&w.Tenant, "tenant", "", "only this account's data (default: all accounts, or the only one)")
	cmd.Flags().StringVar(&w.Product, "product", "", "only this product (default: all products, or the only one)")
}

// AllFlag adds the flag --all, which selects every account.
func AllFlag(cmd *cobra.Command, w *dataset.Filter) {
	cmd.Flags().BoolVar(&w.All, "all", false, "all accounts: the default")
}

// Dataset returns a dataset on the data root of the settings.
func (env *Env) Dataset(tenant string, product football.Product) dataset.Dataset {
	return dataset.Dataset{Data: env.Data, Tenant: tenant, Product: product}
}

// ErrDeleted is the error of a run whose account was deleted since the run was decided.
var ErrDeleted = errors.New("the account was deleted meanwhile: nothing was run")

// OpenListed makes a folder of an account, opens it and locks it, for a run that writes there. Under
// the lock it reads tenants.yaml once more: if the account was deleted since the run was decided, the
// error is [ErrDeleted], and no folder is left. As mkt tenant delete deletes the entry
// first, and then the folders under their locks, no data is written after that.
func (env *Env) OpenListed(data *durable.Disk, id, dir string) (root *durable.Disk, lock io.Closer, err error) {
	if root, err = data.MakeWithin(dir); err != nil {
		return nil, nil, err
	}
	if lock, err = root.Lock(layout.Lock); err == nil {
		// A file that cannot be read says nothing: the last good one stays in force.
		if gone, e := env.listed.Lacks(env.Tenants, id); e != nil || !gone {
			return root, lock, nil
		}
		err = ErrDeleted
		removeEmpty(data, dir)
		lock.Close()
	}
	root.Close()
	return nil, nil, err
}

// removeEmpty removes a folder that has nothing but its lock, and the empty folders above it.
func removeEmpty(data *durable.Disk, dir string) {
	if entries, err := data.ReadDir(dir); err != nil || len(entries) > 1 {
		return
	}
	err := data.Remove(dir + "/" + layout.Lock)
	for ; err == nil && dir != "."; dir = path.Dir(dir) {
		err = data.Remove(dir)
	}
}

// Each calls do with each selected dataset. The verb names the work in the error of a failed one.
func (env *Env) Each(verb string, w dataset.Filter, do func(dataset.Dataset) error) error {
	list, err := dataset.List(env.Data, w)
	if err != nil {
		return err
	}
	failed := Failures{Of: len(list)}
	for _, d := range list {
		if err := do(d); err != nil {
			failed.Add(env, fmt.Errorf("%s %s: %w", verb, d, err))
		}
	}
	return failed.Err()
}

// MomentArg reads a moment from an argument or flag.
func (env *Env) MomentArg(name, text string) (snapshot.Moment, error) {
	m, err := snapshot.ParseMoment(text, env.Now())
	if err != nil {
		return m, terminal.Usagef("%s %w", name, err)
	}
	return m, nil
}

// IsInside reports whether a folder is another one or below it, with all symbolic links resolved.
// No folder is inside one that does not exist.
func IsInside(dir, other string) (bool, error) {
	folder, err := realPath(dir)
	if err != nil {
		return false, err
	}
	root, err := realPath(other)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	way, err := filepath.Rel(root, folder)
	return err == nil && filepath.IsLocal(way), nil
}

// realPath returns an absolute path without symbolic links.
func realPath(name string) (string, error) {
	// The folder of the process may itself have been reached by a link.
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}
