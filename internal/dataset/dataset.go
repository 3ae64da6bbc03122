// Package dataset finds the data of accounts' products on a data root, which the offline commands
// work on: one folder for each account and product.
package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Dataset is the data of one tenant's product on a data root. The offline tools work on the
// datasets that exist there, whether or not tenants.yaml has the tenant.
type Dataset struct {
	Data    string // data root
	Tenant  string
	Product football.Product
}

func (p Dataset) String() string { return p.Tenant + " " + string(p.Product) }

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

// Filter selects datasets of a data root; "" selects all.
type Filter struct {
	Tenant, Product string
	All             bool // says the same as no tenant
}

// Check checks the flags before anything is opened.
func (w Filter) Check() error {
	if w.All && w.Tenant != "" {
		return terminal.Usagef("--tenant and --all: want one of the two")
	}
	if w.Tenant != "" && !layout.ValidTenantID(w.Tenant) {
		return terminal.Usagef("--tenant %q: no account can have that id", w.Tenant)
	}
	if w.Product == "" {
		return nil
	}
	return terminal.CheckWord("--product", w.Product, ProductNames()...)
}

// ErrNoData: a data root has none of the selected datasets.
var ErrNoData = errors.New("it holds no data")

// List lists the selected datasets of a data root by tenant and product. It is an
// error if there is none.
func List(data string, w Filter) ([]Dataset, error) {
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
		for _, product := range football.Products() {
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

// One returns the dataset if exactly one is selected. A cycle id among the moments also
// selects the product.
func One(data string, w Filter, moments ...snapshot.Moment) (Dataset, error) {
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
	list, err := List(data, w)
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

// ProductNames lists the products.
func ProductNames() (names []string) {
	for _, p := range football.Products() {
		names = append(names, string(p))
	}
	return names
}
