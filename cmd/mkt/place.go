package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/serve/account"
)

// place is one tenant's product on a data root, as the offline tools see it:
// what lies there counts, not what tenants.yaml says.
type place struct {
	data    string // data root
	tenant  string
	product football.Product
}

func (p place) String() string { return p.tenant + " " + string(p.product) }

// place is an account's product on the data root of the settings.
func (a *app) place(tenant string, product football.Product) place {
	return place{a.data, tenant, product}
}

// dir is its folder.
func (p place) dir() string {
	return filepath.Join(p.data, filepath.FromSlash(layout.TenantProduct(p.tenant, string(p.product))))
}

// open opens its folder for reading.
func (p place) open() (*durable.Disk, error) {
	root, err := durable.OpenWithin(p.data, layout.TenantProduct(p.tenant, string(p.product)))
	if err != nil {
		return nil, fmt.Errorf("%s: data root: %w", p, err)
	}
	return root, nil
}

// wanted says which places of a data root are meant; "" is any.
type wanted struct{ tenant, product string }

func (w *wanted) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.tenant, "tenant", "", "whose data (default: everybody's, or the only one there)")
	cmd.Flags().StringVar(&w.product, "product", "", "which product's (default: every one, or the only one there)")
}

// check judges the flags before anything is opened.
func (w wanted) check() error {
	if w.tenant != "" && !layout.ValidTenantID(w.tenant) {
		return usagef("--tenant %q: no account can have that id", w.tenant)
	}
	if w.product != "" && !tenants.KnownProduct(football.Product(w.product)) {
		return usagef("--product %q: want %s", w.product, strings.Join(productNames(), ", "))
	}
	return nil
}

// placesOf lists what is meant on a data root, by tenant and product. There is at
// least one, or an error.
func placesOf(data string, w wanted) ([]place, error) {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("data root %s: no such folder; say where it is with --data", data)
	}
	if err != nil {
		return nil, fmt.Errorf("data root: %w", err)
	}
	var list []place
	var others []string
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), layout.Tenant(""))
		if !ok || !layout.ValidTenantID(id) {
			continue
		}
		if w.tenant != "" && id != w.tenant {
			others = append(others, id)
			continue
		}
		for _, product := range account.Products() {
			p := place{data, id, product}
			if w.product != "" && string(product) != w.product {
				continue
			}
			if info, err := os.Stat(p.dir()); err == nil && info.IsDir() {
				list = append(list, p)
			}
		}
	}
	switch {
	case len(list) > 0:
		return list, nil
	case len(others) > 0:
		return nil, fmt.Errorf("data root %s: nothing lies there%s; there is %s", data, w.words(), several(others))
	}
	return nil, fmt.Errorf("data root %s: nothing lies there%s", data, w.words())
}

func (w wanted) words() string {
	words := ""
	if w.tenant != "" {
		words += " of tenant " + w.tenant
	}
	if w.product != "" {
		words += " for product " + w.product
	}
	return words
}

// onePlace is the only one that is meant. A cycle id, where a moment is one, says
// the product.
func onePlace(data string, w wanted, moments ...snapshot.Moment) (place, error) {
	for _, m := range moments {
		if _, product, err := layout.ParseCycleID(m.String()); err == nil {
			if w.product != "" && w.product != product {
				return place{}, usagef("%s is a cycle of %s, not of %s", m, product, w.product)
			}
			w.product = product
		}
	}
	if err := w.check(); err != nil {
		return place{}, err
	}
	list, err := placesOf(data, w)
	if err != nil {
		return place{}, err
	}
	if len(list) == 1 {
		return list[0], nil
	}
	var names []string
	for _, p := range list {
		names = append(names, p.String())
	}
	missing := "--tenant"
	if list[0].tenant == list[len(list)-1].tenant {
		missing = "--product"
	}
	return place{}, usagef("which one? give %s: %s", missing, several(names))
}

// momentArg reads a moment that was given as an argument or to a flag.
func momentArg(name, text string) (snapshot.Moment, error) {
	m, err := snapshot.ParseMoment(text)
	if err != nil {
		return m, usagef("%s %w", name, err)
	}
	return m, nil
}

// productNames lists the products.
func productNames() (names []string) {
	for _, p := range account.Products() {
		names = append(names, string(p))
	}
	return names
}
