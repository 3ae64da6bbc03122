package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/serve/account"
)

// Dataset is the data of one tenant's product on a data root. The offline tools work on the
// datasets that exist there, whether or not tenants.yaml has the tenant.
type Dataset struct {
	Data    string // data root
	Tenant  string
	Product football.Product
}

func (p Dataset) String() string { return p.Tenant + " " + string(p.Product) }

// Dataset returns a dataset on the data root of the settings.
func (env *Env) Dataset(tenant string, product football.Product) Dataset {
	return Dataset{env.Data, tenant, product}
}

// Dir returns its folder.
func (p Dataset) Dir() string {
	return filepath.Join(p.Data, filepath.FromSlash(layout.TenantProduct(p.Tenant, string(p.Product))))
}

// Open opens its folder for reading.
func (p Dataset) Open() (*durable.Disk, error) {
	root, err := durable.OpenWithin(p.Data, layout.TenantProduct(p.Tenant, string(p.Product)))
	if err != nil {
		return nil, fmt.Errorf("%s: data root: %w", p, err)
	}
	return root, nil
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

// Filter selects datasets of a data root; "" selects all.
type Filter struct {
	Tenant, Product string

	all bool // says the same as no tenant
}

// Flags adds the flags --tenant and --product.
func (w *Filter) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.Tenant, "tenant", "", "only this account's data (default: all accounts, or the only one)")
	cmd.Flags().StringVar(&w.Product, "product", "", "only this product (default: all products, or the only one)")
}

// AllFlag adds the flag --all, which selects every account.
func (w *Filter) AllFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&w.all, "all", false, "all accounts: the default")
}

// Check checks the flags before anything is opened.
func (w Filter) Check() error {
	if w.all && w.Tenant != "" {
		return terminal.Usagef("--tenant and --all: want one of the two")
	}
	if w.Tenant != "" && !layout.ValidTenantID(w.Tenant) {
		return terminal.Usagef("--tenant %q: no account can have that id", w.Tenant)
	}
	if w.Product == "" {
		return nil
	}
	return CheckWord("--product", w.Product, ProductNames()...)
}

// ErrNoData: a data root has none of the selected datasets.
var ErrNoData = errors.New("it holds no data")

// Datasets lists the selected datasets of a data root by tenant and product. It is an
// error if there is none.
func Datasets(data string, w Filter) ([]Dataset, error) {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("data root %s: no such folder; say where it is with --data, or begin one with mkt cycle (mkt demo shows one)", data)
	}
	if err != nil {
		return nil, fmt.Errorf("data root: %w", err)
	}
	var list []Dataset
	var others []string
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), layout.Tenant(""))
		if !ok || !layout.ValidTenantID(id) {
			continue
		}
		if w.Tenant != "" && id != w.Tenant {
			others = append(others, id)
			continue
		}
		for _, product := range account.Products() {
			p := Dataset{data, id, product}
			if w.Product != "" && string(product) != w.Product {
				continue
			}
			if info, err := os.Stat(p.Dir()); err == nil && info.IsDir() {
				list = append(list, p)
			}
		}
	}
	switch {
	case len(list) > 0:
		return list, nil
	case len(others) > 0:
		return nil, terminal.Usagef("data root %s: it holds no data%s; it has %s", data, w.words(), terminal.Several(others))
	}
	return nil, fmt.Errorf("data root %s: %w%s", data, ErrNoData, w.words())
}

func (w Filter) words() string {
	words := ""
	if w.Tenant != "" {
		words += " of tenant " + w.Tenant
	}
	if w.Product != "" {
		words += " for product " + w.Product
	}
	return words
}

// Each calls do with each selected dataset. The verb names the work in the error of a failed one.
func (env *Env) Each(verb string, w Filter, do func(Dataset) error) error {
	list, err := Datasets(env.Data, w)
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

// OneDataset returns the dataset if exactly one is selected. A cycle id among the moments also
// selects the product.
func OneDataset(data string, w Filter, moments ...snapshot.Moment) (Dataset, error) {
	for _, m := range moments {
		if _, product, err := layout.ParseCycleID(m.String()); err == nil {
			if w.Product != "" && w.Product != product {
				return Dataset{}, terminal.Usagef("%s is a cycle of %s, not of %s", m, product, w.Product)
			}
			w.Product = product
		}
	}
	if err := w.Check(); err != nil {
		return Dataset{}, err
	}
	list, err := Datasets(data, w)
	if err != nil {
		return Dataset{}, err
	}
	if len(list) == 1 {
		return list[0], nil
	}
	var names []string
	for _, p := range list {
		names = append(names, p.String())
	}
	missing := "--tenant"
	if list[0].Tenant == list[len(list)-1].Tenant {
		missing = "--product"
	}
	return Dataset{}, terminal.Usagef("several match: give %s: %s", missing, terminal.Several(names))
}

// MomentArg reads a moment from an argument or flag.
func (env *Env) MomentArg(name, text string) (snapshot.Moment, error) {
	m, err := snapshot.ParseMoment(text, env.Now())
	if err != nil {
		return m, terminal.Usagef("%s %w", name, err)
	}
	return m, nil
}

// ProductNames lists the products.
func ProductNames() (names []string) {
	for _, p := range account.Products() {
		names = append(names, string(p))
	}
	return names
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
