package doctor_test

import (
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/fetch/credential"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/evidence/doctor"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/serve/account"
	"mkt/transform/identity"
)

const product = football.MarketEngine

type installation struct {
	t       *testing.T
	dir     string
	root    string // of acme's market engine
	options doctor.Options

	policy  string // of the transparency log, with its witness
	witness string // a key that has not signed the log
}

func (h *installation) path(name string) string { return filepath.Join(h.dir, name) }

func (h *installation) in(pattern string) string {
	h.t.Helper()
	found, err := filepath.Glob(filepath.Join(h.root, pattern))
	if err != nil || len(found) == 0 {
		h.t.Fatalf("nothing like %s: %v", pattern, err)
	}
	return found[len(found)-1]
}

// shared makes a file of a size in the folders of the canonical cycle and of the snapshot.
func (h *installation) shared(size int64) {
	h.t.Helper()
	name := filepath.Join(h.in("canonical/cycle=*"), "large")
	check.Must(h.t, os.WriteFile(name, nil, 0o644))
	check.Must(h.t, os.Truncate(name, size))
	check.Must(h.t, os.Link(name, filepath.Join(h.in("snapshots/cycle=*"), "large")))
}

func (h *installation) now() time.Time { return h.options.Now() }

// later advances the clock of the doctor.
func (h *installation) later(d time.Duration) {
	at := h.now().Add(d)
	h.options.Now = func() time.Time { return at }
}

func (h *installation) write(path, content string) {
	h.t.Helper()
	check.Must(h.t, os.WriteFile(path, []byte(content), 0o644))
}

func (h *installation) read(path string) string {
	h.t.Helper()
	b, err := os.ReadFile(path)
	check.Must(h.t, err)
	return string(b)
}

func (h *installation) replace(path, old, new string) {
	h.t.Helper()
	before := h.read(path)
	if !strings.Contains(before, old) {
		h.t.Fatalf("%s: no %q in\n%s", path, old, before)
	}
	h.write(path, strings.ReplaceAll(before, old, new))
}

func (h *installation) edit(change func(*accounts.Editor) error) {
	h.t.Helper()
	_, err := accounts.Edit(h.t.Context(), h.options.Tenants, change)
	check.Must(h.t, err)
}

func (h *installation) acme() accounts.Tenant {
	h.t.Helper()
	f, err := accounts.Load(h.options.Tenants)
	check.Must(h.t, err)
	t, _ := f.Tenant("acme")
	return *t
}

func (h *installation) change(how func(*accounts.Tenant)) {
	h.t.Helper()
	acme := h.acme()
	how(&acme)
	h.edit(func(e *accounts.Editor) error { return e.Replace(acme) })
}

// built is the installation that all others are copied from. It has two cycles, made by the
// real stages on the simulator.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mkt-doctor-")
	if err != nil {
		return "", err
	}
	return dir, build(dir)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := built(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// newInstallation returns a healthy installation, a minute after its newest cycle.
func newInstallation(t *testing.T) *installation {
	t.Helper()
	from, err := built()
	check.Must(t, err)
	dir := filepath.Join(t.TempDir(), "installation")
	if out, err := exec.Command("cp", "-a", from, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	check.Must(t, os.Chmod(filepath.Join(dir, "data"), 0o750))
	at := time.Now().Add(time.Minute)
	return &installation{t: t, dir: dir, root: filepath.Join(dir, "data", layout.TenantProduct("acme", string(product))), options: doctor.Options{
		Config: filepath.Join(dir, "mkt.yaml"), Tenants: filepath.Join(dir, "tenants.yaml"), Data: filepath.Join(dir, "data"),
		SealKey: filepath.Join(dir, "seal.key"), IDKey: filepath.Join(dir, "id.key"), LogKey: filepath.Join(dir, "log.key"),
		ServiceName: "Coast Football", SupportEmail: "support@coast.example",
		Products: []football.Product{product}, Now: func() time.Time { return at },
		Running: func() ([]string, bool) { return []string{"serve", "schedule"}, true },
	}}
}

// build makes the installation: acme is active, idle is suspended and never ran.
func build(dir string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	url, err := dataroot.Simulate(ctx, 12)
	if err != nil {
		return err
	}
	seal, err := credential.NewIdentity()
	if err != nil {
		return err
	}
	id := make([]byte, identity.KeySize)
	rand.Read(id)
	for name, content := range map[string][]byte{"seal.key": seal.File(), "id.key": id, "tenants.yaml": []byte("version: 1\ntenants: []\n"), "mkt.yaml": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	file, err := enrol(ctx, filepath.Join(dir, "tenants.yaml"), seal, url)
	if err != nil {
		return err
	}
	for range 2 {
		if err := runCycle(ctx, dir, file, seal, identity.Key(id)); err != nil {
			return err
		}
	}
	return nil
}

func enrol(ctx context.Context, path string, seal credential.Identity, url string) (*accounts.File, error) {
	_, token, err := accounts.NewToken(time.Now())
	if err != nil {
		return nil, err
	}
	sealed, err := credential.Seal(seal.Recipient(), "acme", "betsapi", []byte(dataroot.Secret))
	if err != nil {
		return nil, err
	}
	products := map[football.Product]account.Subscription{product: {}}
	by := audit.By{Who: audit.Who{User: "ops"}, Action: audit.TenantAdd, Now: time.Now}
	return audit.Edit(ctx, path, by, func(e *accounts.Editor) error {
		err := e.Add(accounts.Tenant{ID: "acme", Status: account.Active, Products: products, Tokens: []accounts.Token{token},
			Provider: &accounts.Provider{Name: "betsapi", BaseURL: url, AllowPrivateAddress: true, Credential: sealed, Hint: "****ry99"}})
		if err != nil {
			return err
		}
		return e.Add(accounts.Tenant{ID: "idle", Status: account.Suspended, Products: products})
	})
}

// runCycle does the work of mkt cycle.
func runCycle(ctx context.Context, dir string, file *accounts.File, seal credential.Identity, key identity.Key) error {
	acme, _ := file.Tenant("acme")
	of, err := acme.FetchTenant()
	if err != nil {
		return err
	}
	data, err := durable.OpenRoot(filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	defer data.Close()
	root, err := durable.OpenRoot(filepath.Join(dir, "data", layout.TenantProduct("acme", string(product))))
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := root.Lock(layout.Lock)
	if err != nil {
		return err
	}
	defer lock.Close()
	open := func(sealed, tenant, provider string) (credential.Secret, error) {
		return credential.Open(seal, sealed, tenant, provider)
	}
	return dataroot.Product{Name: product, Root: root, Data: data, Key: key, Tenant: of, Open: open}.Cycle(ctx, time.Now())
}

func (h *installation) tested(code health.Code) { h.found(code, nil) }

// lacks records a test that found a capability missing in the plan. If the credential is good, code
// is "".
func (h *installation) lacks(code health.Code, c football.Capability) {
	h.found(code, planWithout(h.now(), c))
}

func planWithout(at time.Time, refused football.Capability) *health.Plan {
	return &health.Plan{Capabilities: map[football.Capability]health.Evidence{refused: {At: at}}}
}

func (h *installation) found(code health.Code, plan *health.Plan) {
	disk, err := durable.OpenExisting(filepath.Dir(h.root))
	check.Must(h.t, err)
	defer disk.Close()
	check.Must(h.t, health.Record(disk, health.Run{Step: health.StepProbe, StartedAt: h.now(), FinishedAt: h.now(), OK: code == "", Code: code, Plan: plan,
		CredentialFingerprint: credential.Fingerprint(h.acme().Provider.Credential)}))
}
