package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mkt/fetch"
	"mkt/internal/accounts"
	"mkt/internal/cluster"
	"mkt/internal/cluster/store"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/serve/account"
)

// Options are the options of a run.
type Options struct {
	Config  string // mkt.yaml; "" if there is none
	Tenants string
	Data    string
	SealKey string
	IDKey   string

	LogKey    string // key of the transparency log, which is not opened: beside it is the verifier key; "" checks no log
	LogPolicy string // "" if the log has no witnesses

	Loads string // folder of the server's load records; see package quarantine

	Redis         cluster.Address // the server that several machines share; zero if there is none
	RedisInConfig bool            // Config has the address

	ServiceName  string // as clients see it; "" if not set
	SupportEmail string // as clients see it; "" if not set

	Tenant   string             // only this one; "" means all
	Keyless  bool               // there are no keys on this host, or for this user: keys and write permissions are not checked
	Products []football.Product // those with an engine
	Command  string             // how a fix calls mkt: "mkt", "mkt --config /etc/mkt/mkt.yaml"

	Now func() time.Time
	// Probe sends one cheap request to a tenant's provider; nil sends none.
	Probe func(ctx context.Context, t *accounts.Tenant, p football.Product) (fetch.Probed, error)
	// Store opens the object store, and StoreName names it; nil if there is none.
	Store     func(context.Context) (*store.Store, error)
	StoreName string
	// SharedTenants: the accounts are in the object store, and the tenants file is a copy.
	SharedTenants bool
	// Space returns the free space below a folder; nil asks the file system.
	Space func(dir string) (Space, error)
	// Running returns the arguments of the processes of mkt, and whether this user is shown
	// those of others; nil reads them from Proc.
	Running func() (arguments []string, known bool)
	// Proc is the kernel's list of processes and locks; "" means /proc.
	Proc string
}

type doctor struct {
	Options
	now      time.Time
	file     *accounts.File // nil if it cannot be read
	idKey    string         // its fingerprint, "" if unknown
	roots    []*root
	workers  int             // alive, on all machines
	told     map[string]bool // findings reported once for an account
	findings []Finding
}

type root struct {
	id      string
	product football.Product
	tenant  *accounts.Tenant // nil if the file does not have it
	dir     string
	fs      *durable.Disk // nil if there is no folder yet

	head      *snapshot.Commit // newest commit; nil if there is none or it cannot be read
	published bool             // something was published, readable or not
	stored    *snapshot.Commit // newest commit in the object store; nil if there is none or it is unknown
	late      bool             // its overdue data was reported
	failing   string           // cause of a failing step; "" if none fails
	refused   bool             // the provider's refusal was reported: of the plan, the credential or the bookmaker
}

// Run checks an installation. ctx bounds the probes and the commands to Redis.
func Run(ctx context.Context, o Options) Report {
	o.Command, o.Proc = cmp.Or(o.Command, "mkt"), cmp.Or(o.Proc, "/proc")
	if o.Space == nil {
		o.Space = spaceOf
	}
	if o.Running == nil {
		o.Running = func() ([]string, bool) { return commands(o.Proc) }
	}
	d := &doctor{Options: o, now: o.Now(), told: map[string]bool{}}
	d.load()
	if !o.Keyless {
		d.sealKey()
		d.identityKey()
	}
	d.files()
	d.service()
	d.accounts()
	d.openRoots()
	defer d.closeRoots()
	d.objectStore(ctx)
	for _, r := range d.roots {
		d.snapshot(r)
		d.quarantine(r)
		d.schedule(r)
		d.clock(r)
		d.lock(r)
		d.staging(r)
		d.owners(r)
	}
	d.log(ctx)
	d.disk()
	d.redis(ctx)
	d.services()
	d.providers(ctx)
	return d.report()
}

func (d *doctor) report() Report {
	passed := slices.DeleteFunc(slices.Clone(d.findings), func(f Finding) bool { return f.Level != OK })
	r := Report{CheckedAt: d.now.UTC().Truncate(time.Millisecond), Checks: len(d.findings), Findings: byCause(d.findings, d.Data), Passed: passed}
	for _, f := range r.Findings {
		switch f.Level {
		case Warn:
			r.Warnings++
		case Fail:
			r.Failures++
		}
	}
	r.Healthy = r.Failures == 0
	return r
}

// load reads the tenants file. Its faults are findings in the area accounts.
func (d *doctor) load() {
	f, err := accounts.Load(d.Tenants)
	var invalid *accounts.InvalidError
	switch {
	case err == nil:
		d.file = f
		d.ok("accounts", place{file: d.Tenants}, "%s is valid", terminal.Plural(len(f.Tenants), "tenant"))
	case errors.As(err, &invalid):
		for _, p := range invalid.Problems {
			d.invalid(p)
		}
	case errors.Is(err, fs.ErrNotExist):
		d.bad(Fail, "TENANTS_MISSING", "accounts", place{file: d.Tenants}, d.mkt("init "+terminal.Quote(filepath.Dir(d.Tenants))), "there is no such file: if the installation is in another folder, go there or name its mkt.yaml with --config")
	default:
		d.unreadable("accounts", place{file: d.Tenants}, err)
	}
}

func (d *doctor) invalid(p accounts.Problem) {
	file, code := d.Tenants, "TENANTS_INVALID"
	if p.Line > 0 {
		file = fmt.Sprintf("%s:%d", d.Tenants, p.Line)
	}
	if p.Field == "tokens" && strings.Contains(p.Reason, "listed already") {
		code = "TOKEN_DUPLICATE"
	}
	reason := p.Reason
	if p.Field != "" {
		reason = p.Field + ": " + reason
	}
	fix := fmt.Sprintf("edit %s, then: %s", terminal.Quote(file), d.mkt("tenant validate"))
	d.bad(Fail, code, "accounts", place{tenant: p.Tenant, file: file}, fix, "%s", reason)
}

// openRoots opens the products of all tenants: those in the file that have an engine, and those
// with data.
func (d *doctor) openRoots() {
	if info, err := os.Stat(d.Data); err == nil && !info.IsDir() {
		return // a finding of dataRoot
	}
	if d.file != nil {
		for i := range d.file.Tenants {
			t := &d.file.Tenants[i]
			for _, p := range d.Products {
				if _, subscribed := t.Products[p]; subscribed || isFolder(d.rootDir(t.ID, p)) {
					d.addRoot(t.ID, p, t)
				}
			}
		}
	}
	known := func(id string) bool {
		if d.file == nil {
			return false
		}
		_, ok := d.file.Tenant(id)
		return ok
	}
	folders, _ := filepath.Glob(filepath.Join(globEscape(d.Data), "client_id=*", "product=*"))
	for _, dir := range folders {
		id := strings.TrimPrefix(filepath.Base(filepath.Dir(dir)), "client_id=")
		if layout.ValidTenantID(id) && !known(id) {
			d.addRoot(id, football.Product(strings.TrimPrefix(filepath.Base(dir), "product=")), nil)
		}
	}
}

func (d *doctor) addRoot(id string, p football.Product, t *accounts.Tenant) {
	if d.Tenant != "" && d.Tenant != id {
		return
	}
	r := &root{id: id, product: p, tenant: t, dir: d.rootDir(id, p)}
	disk, err := durable.OpenWithin(d.Data, layout.TenantProduct(id, string(p)))
	switch {
	case err == nil:
		r.fs = disk
	case !errors.Is(err, fs.ErrNotExist):
		d.unreadable("files", r.at(""), err)
		return
	}
	d.roots = append(d.roots, r)
}

func (d *doctor) closeRoots() {
	for _, r := range d.roots {
		if r.fs != nil {
			r.fs.Close()
		}
	}
}

func (d *doctor) rootDir(id string, p football.Product) string {
	return filepath.Join(d.Data, filepath.FromSlash(layout.TenantProduct(id, string(p))))
}

func (d *doctor) isDue(r *root) bool {
	t := r.tenant
	return t != nil && t.Status == account.Active && t.Provider != nil && !t.Provider.Disabled &&
		t.Subscription(r.product, d.now) == account.InForce
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
