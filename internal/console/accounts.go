package console

import (
	"os"
	"sync"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/dataset"
	"mkt/internal/schedule/cyclestate"
	"mkt/publish/health"
	"mkt/publish/layout"
)

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

// connection is the state of an account's connection to its provider.
type connection struct {
	Status    health.Connection
	NotTried  string // why nothing tries the credential; "" if it was tried, or will be
	Name      string
	Bookmaker string
	Quota     *health.Quota
	LastOK    *time.Time
	Code      health.Code // why the newest test or fetch failed
}

func (c *Console) connection(t *accounts.Tenant) (connection, error) {
	p := t.Provider
	if p == nil {
		return connection{Status: health.Unconfigured}, nil
	}
	findings, err := cyclestate.Findings(c.Data, t)
	if err != nil {
		return connection{}, err
	}
	known := health.CredentialStatusOf(p.Fingerprint(), findings...)
	found := connection{
		Status: health.ConnectionStatus(true, p.Disabled, p.Fingerprint(), findings...),
		Name:   p.Name, Bookmaker: p.BookmakerInUse(), Quota: health.NewestQuota(p.Fingerprint(), findings...),
		LastOK: known.LastOKAt, Code: known.Code,
	}
	if found.Status == health.Verifying && known.LastAttemptAt == nil {
		found.NotTried = cyclestate.Untried(t, c.Now())
	}
	return found, nil
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
