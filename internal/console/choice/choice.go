// Package choice reads from a request what its page is about: the account, the product, the
// publication.
package choice

import (
	"cmp"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/console/frame"
	"mkt/internal/dataset"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Choice is the choice of an account and a product, above the pages of one of them.
type Choice struct {
	Path     string // of the page without a choice
	Account  string // "" if nothing was chosen and there is no data
	Product  football.Product
	Datasets []dataset.Dataset
	Dataset  dataset.Dataset // the chosen one
}

// Reader reads choices from the data root and tenants.yaml. It is safe for concurrent use.
type Reader struct {
	Data    string // data root
	Tenants string // tenants.yaml
	Now     func() time.Time

	accounts accountsCache
}

// Pick reads which dataset a page is about: the path's account and product, or else the
// query's, or else the first one.
func (c *Reader) Pick(r *http.Request, path string) (Choice, error) {
	return c.PickOf(r, path, dataset.Filter{})
}

// PickMoment is [Reader.Pick] for a page of one cycle, whose moment is in the path. The root is open.
func (c *Reader) PickMoment(r *http.Request) (p Choice, m snapshot.Moment, root *durable.Disk, err error) {
	if p, err = c.Pick(r, "/cycles"); err != nil {
		return p, m, nil, err
	}
	if m, err = snapshot.ParseMoment(r.PathValue("moment"), c.Now()); err != nil {
		return p, m, nil, frame.BadRequest("%s: %v.", r.PathValue("moment"), err)
	}
	root, err = p.Dataset.Open()
	return p, m, root, err
}

// Chosen is the account kept in the links to other sections.
func (p Choice) Chosen() string { return p.Account }

// PickOf is [Reader.Pick] among the datasets selected by a filter, in the accounts' order in
// tenants.yaml.
func (c *Reader) PickOf(r *http.Request, path string, among dataset.Filter) (Choice, error) {
	p := Choice{Path: path}
	list, err := dataset.List(c.Data, among)
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &unreadable):
		return p, err
	case err != nil && r.PathValue("account") != "":
		return p, frame.NotFound("There is no data of account %q.", r.PathValue("account"))
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
		return p, frame.NotFound("There is no data of %q.", strings.TrimSpace(account+" "+product))
	}
	p.Dataset = list[at]
	p.Account, p.Product = p.Dataset.Tenant, p.Dataset.Product
	return p, nil
}

// sort orders datasets by their accounts' order in tenants.yaml. Accounts no longer in it are last.
func (c *Reader) sort(list []dataset.Dataset) {
	place := map[string]int{}
	if file, _ := c.Accounts(); file != nil {
		for i, id := range file.IDs() {
			place[id] = i - len(file.Tenants)
		}
	}
	slices.SortStableFunc(list, func(a, b dataset.Dataset) int { return place[a.Tenant] - place[b.Tenant] })
}

// DatasetOf finds a dataset by the account and the product of an address.
func (c *Reader) DatasetOf(account, product string) (dataset.Dataset, error) {
	if !layout.ValidTenantID(account) {
		return dataset.Dataset{}, frame.BadRequest("%q cannot be an account's id.", account)
	}
	list, err := dataset.List(c.Data, dataset.Filter{Tenant: account, Product: product})
	if err != nil {
		return dataset.Dataset{}, frame.NotFound("There is no data of account %s for %s.", account, product)
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

// Accounts returns the accounts. If the file cannot be read, it returns the last valid one
// with the error.
func (c *Reader) Accounts() (*accounts.File, error) {
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
