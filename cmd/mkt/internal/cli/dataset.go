package cli

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

// Dataset is one tenant's product on a data root, as the offline tools see it:
// what lies there counts, not what tenants.yaml says.
type Dataset struct {
	Data    string // data root
	Tenant  string
	Product football.Product
}

func (p Dataset) String() string { return p.Tenant + " " + string(p.Product) }

// Dataset is an account's product on the data root of the settings.
func (env *Env) Dataset(tenant string, product football.Product) Dataset {
	return Dataset{env.Data, tenant, product}
}

// Dir is its folder.
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

// Filter says which places of a data root are meant; "" is any.
type Filter struct{ Tenant, Product string }

func (w *Filter) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.Tenant, "tenant", "", "whose data (default: everybody's, or the only one there)")
	cmd.Flags().StringVar(&w.Product, "product", "", "which product's (default: every one, or the only one there)")
}

// Check judges the flags before anything is opened.
func (w Filter) Check() error {
	if w.Tenant != "" && !layout.ValidTenantID(w.Tenant) {
		return Usagef("--tenant %q: no account can have that id", w.Tenant)
	}
	if w.Product != "" && !tenants.KnownProduct(football.Product(w.Product)) {
		return Usagef("--product %q: want %s", w.Product, strings.Join(ProductNames(), ", "))
	}
	return nil
}

// Datasets lists what is meant on a data root, by tenant and product. There is at
// least one, or an error.
func Datasets(data string, w Filter) ([]Dataset, error) {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("data root %s: no such folder; say where it is with --data", data)
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
		return nil, fmt.Errorf("data root %s: nothing lies there%s; there is %s", data, w.words(), Several(others))
	}
	return nil, fmt.Errorf("data root %s: nothing lies there%s", data, w.words())
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

// OneDataset is the only one that is meant. A cycle id, where a moment is one, says
// the product.
func OneDataset(data string, w Filter, moments ...snapshot.Moment) (Dataset, error) {
	for _, m := range moments {
		if _, product, err := layout.ParseCycleID(m.String()); err == nil {
			if w.Product != "" && w.Product != product {
				return Dataset{}, Usagef("%s is a cycle of %s, not of %s", m, product, w.Product)
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
	return Dataset{}, Usagef("which one? give %s: %s", missing, Several(names))
}

// MomentArg reads a moment that was given as an argument or to a flag.
func MomentArg(name, text string) (snapshot.Moment, error) {
	m, err := snapshot.ParseMoment(text)
	if err != nil {
		return m, Usagef("%s %w", name, err)
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
