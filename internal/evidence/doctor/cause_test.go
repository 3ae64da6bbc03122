package doctor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mkt/fetch/credential"
	"mkt/internal/accounts"
	"mkt/internal/evidence/doctor"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/serve/account"
)

// others adds accounts whose steps failed before anything was published.
func (h *installation) others(step string, code health.Code, ids ...string) {
	h.t.Helper()
	key, err := credential.LoadIdentity(h.options.SealKey)
	check.Must(h.t, err)
	for _, id := range ids {
		sealed, err := credential.Seal(key.Recipient(), id, "betsapi", []byte(dataroot.Secret))
		check.Must(h.t, err)
		_, token, err := accounts.NewToken(h.now())
		check.Must(h.t, err)
		other := h.acme()
		other.ID, other.Tokens = id, []accounts.Token{token}
		other.Products = map[football.Product]account.Subscription{product: {}}
		other.Provider.Credential = sealed
		h.edit(func(e *accounts.Editor) error { return e.Add(other) })
		disk, err := durable.OpenRoot(filepath.Join(h.options.Data, layout.TenantProduct(id, string(product))))
		check.Must(h.t, err)
		defer disk.Close()
		check.Must(h.t, health.Record(disk, health.Run{Step: step, Cycle: "20261122T120000Z-market_engine", StartedAt: h.now(), FinishedAt: h.now(),
			Code: code, CredentialFingerprint: credential.Fingerprint(sealed)}))
	}
}

// causes are planted for several accounts, or found by several checks.
var causes = []struct {
	name    string
	plant   func(*installation)
	want    string // the one finding
	fix     string
	details []string
}{
	{"another id key", func(h *installation) {
		check.Must(h.t, os.WriteFile(h.options.IDKey, []byte("0123456789abcdef0123456789abcdef"), 0o600))
	}, "FAIL ID_KEY_OTHER", "", []string{"ID_KEY_OTHER ", "ID_KEY_OTHER acme"}},
	{"a full disk", func(h *installation) {
		h.others("publish", health.CodeStorage, "a", "b")
		h.space(doctor.Space{Bytes: 1 << 10, Inodes: 1e6})
	}, "FAIL DISK_SPACE", "", []string{"CYCLE_FAILING a", "NEVER_RAN a", "CYCLE_FAILING b", "NEVER_RAN b", "DISK_SPACE "}},
	{"a disk that was full", func(h *installation) { h.others("publish", health.CodeStorage, "a", "b") },
		"FAIL CYCLE_FAILING", "", []string{"CYCLE_FAILING a", "NEVER_RAN a", "CYCLE_FAILING b", "NEVER_RAN b"}},
	{"a provider that cannot be reached", func(h *installation) { h.others("fetch", health.CodeUnreachable, "a", "b") },
		"WARN CYCLE_FAILING", "mkt doctor --online", []string{"CYCLE_FAILING a", "NEVER_RAN a", "CYCLE_FAILING b", "NEVER_RAN b"}},
	{"nothing runs cycles", func(h *installation) {
		h.options.Running = func() ([]string, bool) { return []string{"serve"}, true }
		h.later(3 * time.Hour)
	}, "FAIL SCHEDULE_NOT_RUNNING", "mkt schedule", []string{"CYCLE_OVERDUE acme", "SCHEDULE_NOT_RUNNING "}},
	{"a step that fails for so long that the data is overdue", func(h *installation) {
		h.failed(health.CodePayloadRejected, 9)
		h.later(3 * time.Hour)
	}, "FAIL CYCLE_FAILING", "", []string{"CYCLE_FAILING acme", "CYCLE_OVERDUE acme"}},
	{"a damaged publication", func(h *installation) {
		h.flip(h.in("snapshots/*/markets.parquet"))
		h.flip(h.in("snapshots/*/fixtures.parquet"))
		h.state("publish", func(r *health.Run) { r.OK, r.Code, r.FailuresInARow = false, health.CodeSnapshotDamaged, 1 })
	}, "FAIL SNAPSHOT_DAMAGED", "", []string{"SNAPSHOT_DAMAGED acme", "SNAPSHOT_DAMAGED acme", "CYCLE_FAILING acme"}},
	{"another sealing key", func(h *installation) {
		key, err := credential.NewIdentity()
		check.Must(h.t, err)
		h.others("fetch", "", "a")
		h.options.Products = nil // a never ran
		check.Must(h.t, os.WriteFile(h.options.SealKey, key.File(), 0o600))
	}, "FAIL CREDENTIAL_SEALED", "", []string{"CREDENTIAL_SEALED acme", "CREDENTIAL_SEALED a"}},
}

// One cause is one finding, which has what each check found.
func TestOneCauseOneFinding(t *testing.T) {
	for _, c := range causes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newInstallation(t)
			c.plant(h)
			r := doctor.Run(t.Context(), h.options)
			if got := names(r); !slices.Equal(got, []string{c.want}) {
				t.Fatalf("got %v, want %s\n%+v", got, c.want, r.Findings)
			}
			one := r.Findings[0]
			var details []string
			for _, d := range one.Details {
				details = append(details, d.Code+" "+d.Tenant)
			}
			if !slices.Equal(details, c.details) || one.Count != len(c.details) || c.fix != "" && one.Fix != c.fix || one.Tenant == "" && one.File == "" {
				t.Errorf("got %d %q, fix %q, at %q %q; want %q", one.Count, details, one.Fix, one.Tenant, one.File, c.details)
			}
			if r.Failures+r.Warnings != 1 {
				t.Errorf("%d failures, %d warnings", r.Failures, r.Warnings)
			}
		})
	}
}

// A program reads what is wrong, and each entry has a code.
func TestFindingsHaveCodes(t *testing.T) {
	h := newInstallation(t)
	h.change(func(a *accounts.Tenant) { a.Tokens = nil })
	data, err := json.Marshal(doctor.Run(t.Context(), h.options))
	check.Must(t, err)
	var report struct {
		Checks   int
		Findings []struct{ Code string }
	}
	check.Must(t, json.Unmarshal(data, &report))
	if got := fmt.Sprint(report.Findings); got != "[{TOKEN_NONE}]" || report.Checks < 10 {
		t.Errorf("%d checks, %s", report.Checks, got)
	}
}
