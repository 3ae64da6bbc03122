package console

import (
	"cmp"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"mkt/internal/accounts"
	"mkt/internal/dataset"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// picker is the choice of an account and a product, above the pages of one of them.
type picker struct {
	Path     string // of the page without a choice
	Account  string // "" if nothing was chosen and there is no data
	Product  football.Product
	Datasets []dataset.Dataset

	dataset dataset.Dataset
}

// pick reads which dataset a page is about: the path's account and product, or else the
// query's, or else the first one.
func (c *Console) pick(r *http.Request, path string) (picker, error) {
	return c.pickOf(r, path, dataset.Filter{})
}

// momentOf is [Console.pick] for a page of one cycle, whose moment is in the path. The root is open.
func (c *Console) momentOf(r *http.Request) (p picker, m snapshot.Moment, root *durable.Disk, err error) {
	if p, err = c.pick(r, "/cycles"); err != nil {
		return p, m, nil, err
	}
	if m, err = snapshot.ParseMoment(r.PathValue("moment"), c.Now()); err != nil {
		return p, m, nil, badRequest("%s: %v.", r.PathValue("moment"), err)
	}
	root, err = p.dataset.Open()
	return p, m, root, err
}

// chosen is the account kept in the links to other sections.
func (p picker) chosen() string { return p.Account }

// pickOf is [Console.pick] among the datasets selected by a filter, in the accounts' order in
// tenants.yaml.
func (c *Console) pickOf(r *http.Request, path string, among dataset.Filter) (picker, error) {
	p := picker{Path: path}
	list, err := dataset.List(c.Data, among)
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &unreadable):
		return p, err
	case err != nil && r.PathValue("account") != "":
		return p, notFound("There is no data of account %q.", r.PathValue("account"))
	case err != nil:
		return p, nil // there is no data yet
	}
	c.sort(list)
	p.Datasets = list
	account := cmp.Or(r.PathValue("account"), r.URL.Query().Get("account"))
	product := cmp.Or(r.PathValue("product"), r.URL.Query().Get("product"))
	if of, chosen, ok := strings.Cut(account, " "); ok { // the form sends both in one field
		account, product = of, chosen
	}
	if among.Product != "" {
		product = among.Product
	}
	at := slices.IndexFunc(list, func(d dataset.Dataset) bool {
		return (account == "" || d.Tenant == account) && (product == "" || string(d.Product) == product)
	})
	if at < 0 {
		return p, notFound("There is no data of account %q for product %q.", account, product)
	}
	p.dataset = list[at]
	p.Account, p.Product = p.dataset.Tenant, p.dataset.Product
	return p, nil
}

// sort orders datasets by their accounts' order in tenants.yaml. Accounts no longer in it are last.
func (c *Console) sort(list []dataset.Dataset) {
	place := map[string]int{}
	if file, _ := c.tenants(); file != nil {
		for i, id := range file.IDs() {
			place[id] = i - len(file.Tenants)
		}
	}
	slices.SortStableFunc(list, func(a, b dataset.Dataset) int { return place[a.Tenant] - place[b.Tenant] })
}

// dataset finds a dataset by the account and the product of an address.
func (c *Console) dataset(account, product string) (dataset.Dataset, error) {
	if !layout.ValidTenantID(account) {
		return dataset.Dataset{}, badRequest("%q cannot be an account's id.", account)
	}
	list, err := dataset.List(c.Data, dataset.Filter{Tenant: account, Product: product})
	if err != nil {
		return dataset.Dataset{}, notFound("There is no data of account %s for %s.", account, product)
	}
	return list[0], nil
}

// accountsCache keeps tenants.yaml until the file changes.
type accountsCache struct {
	mu   sync.Mutex
	stat os.FileInfo
	file *accounts.File // the newest valid one; nil if there was none yet
	err  error          // why the file on the disk is not it
}

// tenants returns the accounts. If the file cannot be read, it returns the last valid one
// with the error.
func (c *Console) tenants() (*accounts.File, error) {
	a := &c.accounts
	a.mu.Lock()
	defer a.mu.Unlock()
	stat, err := os.Stat(c.Tenants)
	if err == nil && a.stat != nil && os.SameFile(stat, a.stat) && stat.ModTime().Equal(a.stat.ModTime()) && stat.Size() == a.stat.Size() {
		return a.file, a.err
	}
	var f *accounts.File
	if err == nil {
		f, err = accounts.Load(c.Tenants)
	}
	if a.stat, a.err = stat, err; err == nil {
		a.file = f
	}
	return a.file, a.err
}
