package doctor_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"golang.org/x/mod/sumdb/note"

	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/cluster"
	"mkt/internal/evidence/doctor"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/internal/receipts/witness"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/internal/testing/durabletest"
	"mkt/internal/testing/needs"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/serve/account"
	"mkt/serve/limits"
	"mkt/serve/quarantine"
)

// names lists the findings, as "FAIL SEAL_KEY_MODE".
func names(r doctor.Report) []string {
	var list []string
	for _, f := range r.Findings {
		list = append(list, string(f.Level)+" "+f.Code)
	}
	return list
}

func TestHealthyIsSilent(t *testing.T) {
	h := newInstallation(t)
	h.worker("4711//machine-1 (process 7)")
	for _, tenant := range []string{"", "acme", "idle"} {
		h.options.Tenant = tenant
		r := doctor.Run(t.Context(), h.options)
		if got := names(r); len(got) != 0 || !r.Healthy || r.Checks < 10 || r.Warnings+r.Failures != 0 {
			t.Errorf("tenant %q: %v, %+v", tenant, got, r)
		}
	}
	before := tree(t, h.dir)
	doctor.Run(t.Context(), h.options)
	if after := tree(t, h.dir); before != after {
		t.Errorf("the doctor changed something:\n%s\n%s", before, after)
	}
}

// A credential that a fetch of another product found good is good; serve treats it so, too.
func TestCredentialThatAnotherProductTried(t *testing.T) {
	h := newInstallation(t)
	h.options.Products = append(h.options.Products, football.LiveIntelligence)
	key, err := credential.LoadIdentity(h.options.SealKey)
	check.Must(t, err)
	sealed, err := credential.Seal(key.Recipient(), "acme", "betsapi", []byte("another-secret"))
	check.Must(t, err)
	h.change(func(t *accounts.Tenant) { t.Provider.Credential = sealed })
	if got := names(doctor.Run(t.Context(), h.options)); !slices.Equal(got, []string{"WARN CREDENTIAL_UNTRIED"}) {
		t.Fatalf("%v", got)
	}
	live, err := durable.OpenRoot(filepath.Join(filepath.Dir(h.root), "product="+string(football.LiveIntelligence)))
	check.Must(t, err)
	defer live.Close()
	check.Must(t, health.Record(live, health.Run{Step: health.StepFetch, StartedAt: h.now(), FinishedAt: h.now(), OK: true, CredentialFingerprint: credential.Fingerprint(sealed)}))
	if got := names(doctor.Run(t.Context(), h.options)); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// tree lists every file with its size and time.
func tree(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("find", dir, "-printf", "%p %s %T@ %m\n").Output()
	check.Must(t, err)
	return string(out)
}

// Of the processes, those of mkt count, whatever their folder is, by their command alone.
func TestRunningProcesses(t *testing.T) {
	h := newInstallation(t)
	h.options.Running, h.options.Proc = nil, h.path("proc")
	for pid, line := range map[string]string{"1": "/sbin/init", "7": "/usr/bin/mkt\x00--config\x00/etc/mkt/mkt.yaml\x00serve\x00", "8": "vi\x00schedule\x00",
		"9": "mkt\x00tenant\x00schedule\x00set\x00demo\x00", "10": "mkt\x00cycle\x00--tenant\x00schedule\x00"} {
		check.Must(t, os.MkdirAll(filepath.Join(h.options.Proc, pid), 0o755))
		h.write(filepath.Join(h.options.Proc, pid, "cmdline"), line)
	}
	if got, want := names(doctor.Run(t.Context(), h.options)), []string{"NOTE SCHEDULE_NOT_RUNNING"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	check.Must(t, os.RemoveAll(filepath.Join(h.options.Proc, "1"))) // this user is shown his own processes only
	if got := names(doctor.Run(t.Context(), h.options)); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// fault is a planted fault and the finding that it must cause.
type fault struct {
	name  string
	plant func(h *installation)
	want  []string
	where string // in the first finding's file or tenant
	fix   string // in its fix
}

var root = os.Geteuid() == 0

var faults = []fault{
	{"sealing key gone", func(h *installation) { check.Must(h.t, os.Remove(h.options.SealKey)) }, []string{"FAIL SEAL_KEY_MISSING"}, "seal.key", "restore it from your copy"},
	{"sealing key open to others", func(h *installation) { check.Must(h.t, os.Chmod(h.options.SealKey, 0o644)) }, []string{"FAIL SEAL_KEY_MODE"}, "seal.key", "chmod 600 "},
	{"sealing key is a folder", func(h *installation) {
		check.Must(h.t, errors.Join(os.Remove(h.options.SealKey), os.Mkdir(h.options.SealKey, 0o700)))
	}, []string{"FAIL SEAL_KEY_UNREADABLE"}, "seal.key", ""},
	{"sealing key is none", func(h *installation) { check.Must(h.t, os.WriteFile(h.options.SealKey, []byte("abc\n"), 0o600)) }, []string{"FAIL SEAL_KEY_INVALID"}, "seal.key", "restore"},
	{"another sealing key", func(h *installation) {
		other, err := credential.NewIdentity()
		check.Must(h.t, errors.Join(err, os.WriteFile(h.options.SealKey, other.File(), 0o600)))
	}, []string{"FAIL CREDENTIAL_SEALED"}, "acme", "mkt provider set acme --provider betsapi"},
	{"credential copied to another tenant", func(h *installation) {
		acme := h.acme()
		acme.ID, acme.Tokens, acme.Status = "copy", nil, account.Suspended
		h.edit(func(e *accounts.Editor) error { return e.Add(acme) })
	}, []string{"FAIL CREDENTIAL_MOVED"}, "copy", "mkt provider set copy"},
	{"no support address", func(h *installation) { h.options.SupportEmail = "" }, []string{"WARN SERVICE_UNSET"}, "mkt.yaml", "support_email: "},
	{"no name of its own", func(h *installation) { h.options.ServiceName = "" }, []string{"WARN SERVICE_UNSET"}, "mkt.yaml", "below serve"},
	{"id key gone", func(h *installation) { check.Must(h.t, os.Remove(h.options.IDKey)) }, []string{"FAIL ID_KEY_MISSING"}, "id.key", "restore it from your copy"},
	{"id key open to others", func(h *installation) { check.Must(h.t, os.Chmod(h.options.IDKey, 0o640)) }, []string{"FAIL ID_KEY_MODE"}, "id.key", "chmod 600 "},
	{"id key is a folder", func(h *installation) {
		check.Must(h.t, errors.Join(os.Remove(h.options.IDKey), os.Mkdir(h.options.IDKey, 0o700)))
	}, []string{"FAIL ID_KEY_UNREADABLE"}, "id.key", ""},
	{"id key too short", func(h *installation) { check.Must(h.t, os.Truncate(h.options.IDKey, 31)) }, []string{"FAIL ID_KEY_INVALID"}, "id.key", "restore"},
	{"another id key", func(h *installation) {
		check.Must(h.t, os.WriteFile(h.options.IDKey, []byte(strings.Repeat("k", 32)), 0o600))
	}, []string{"FAIL ID_KEY_OTHER"}, "id.key", "restore the key with the fingerprint"},

	{"accounts for everybody to write", func(h *installation) { check.Must(h.t, os.Chmod(h.options.Tenants, 0o666)) }, []string{"FAIL FILE_WRITABLE"}, "tenants.yaml", "chmod o-w "},
	{"data root for everybody to write", func(h *installation) { check.Must(h.t, os.Chmod(h.options.Data, 0o777)) }, []string{"FAIL FILE_WRITABLE"}, "/data", "chmod o-w "},
	{"settings for everybody to write", func(h *installation) { check.Must(h.t, os.Chmod(h.options.Config, 0o666)) }, []string{"FAIL FILE_WRITABLE"}, "mkt.yaml", "chmod o-w "},
	{"data root is a file", func(h *installation) {
		check.Must(h.t, errors.Join(os.RemoveAll(h.options.Data), os.WriteFile(h.options.Data, nil, 0o644)))
	}, []string{"FAIL DATA_NOT_FOLDER"}, "/data", ""},
	{"a run by another user", func(h *installation) { check.Must(h.t, os.Chown(h.in("state/fetch.json"), 1234, 1234)) }, []string{"FAIL OWNER_DIFFERS"}, "acme", "sudo chown -R --reference="},
	{"audit log of another user", func(h *installation) { check.Must(h.t, os.Chown(h.path("audit.log"), 1234, 1234)) }, []string{"FAIL OWNER_DIFFERS"}, "audit.log", "sudo chown --reference="},
	{"audit log open to others", func(h *installation) { check.Must(h.t, os.Chmod(h.path("audit.log"), 0o644)) }, []string{"WARN AUDIT_MODE"}, "audit.log", "chmod 600 "},
	{"audit log is a folder", func(h *installation) {
		check.Must(h.t, errors.Join(os.Remove(h.path("audit.log")), os.Mkdir(h.path("audit.log"), 0o700)))
	}, []string{"FAIL AUDIT_BROKEN"}, "audit.log", "mv "},
	{"an edit that was killed", func(h *installation) {
		old := h.options.Now().Add(-time.Hour)
		left := h.options.Tenants + ".tmp0"
		check.Must(h.t, errors.Join(os.WriteFile(left, nil, 0o644), os.Chtimes(left, old, old)))
	}, []string{"WARN EDIT_DEBRIS"}, "tenants.yaml.tmp0", "rm "},

	{"accounts gone", func(h *installation) { check.Must(h.t, os.Remove(h.options.Tenants)) }, []string{"FAIL TENANTS_MISSING"}, "tenants.yaml", "mkt init "},
	{"accounts wrong", func(h *installation) { h.replace(h.options.Tenants, "status: SUSPENDED", "status: ASLEEP") }, []string{"FAIL TENANTS_INVALID"}, "tenants.yaml:", "mkt tenant validate"},
	{"a token twice", func(h *installation) {
		token := h.acme().Tokens[0]
		digest := fmt.Sprintf("%x", token.Digest)
		h.replace(h.options.Tenants, "id: idle\n", "id: idle\n    tokens: [{sha256: "+digest+"}]\n")
	}, []string{"FAIL TOKEN_DUPLICATE"}, "idle", "mkt tenant validate"},
	{"a tenant that is not there", func(h *installation) { h.options.Tenant = "nobody" }, []string{"FAIL TENANT_UNKNOWN"}, "nobody", "mkt tenant list"},
	{"no token", func(h *installation) { h.change(func(t *accounts.Tenant) { t.Tokens = nil }) }, []string{"WARN TOKEN_NONE"}, "acme", "mkt tenant token issue acme"},
	{"revoked account brought back by hand", func(h *installation) {
		by := audit.By{Action: audit.TenantRevoke, Now: h.now}
		_, err := audit.Edit(h.t.Context(), h.options.Tenants, by, func(e *accounts.Editor) error {
			return e.Change("acme", func(t *accounts.Tenant) error { return t.SetStatus(account.Revoked) })
		})
		check.Must(h.t, err)
		h.replace(h.options.Tenants, "REVOKED", "ACTIVE")
	}, []string{"FAIL REVOKED_UNDONE", "WARN TENANTS_UNSEALED"}, "acme", "mkt tenant revoke acme"},
	{"changed by hand", func(h *installation) { h.replace(h.options.Tenants, "status: SUSPENDED", "status: REVOKED") },
		[]string{"WARN TENANTS_UNSEALED"}, "tenants.yaml", "mkt tenant validate --seal"},
	{"no product", func(h *installation) { h.change(func(t *accounts.Tenant) { t.Products = nil }) }, []string{"WARN PRODUCT_NONE"}, "acme", "mkt tenant product set acme market_engine"},
	{"product expired", func(h *installation) {
		yesterday := h.now().Add(-24 * time.Hour)
		h.change(func(t *accounts.Tenant) { t.Products[product] = account.Subscription{Expires: &yesterday} })
	}, []string{"WARN PRODUCT_EXPIRED"}, "acme", "mkt tenant product set acme market_engine"},
	{"no provider", func(h *installation) { h.change(func(t *accounts.Tenant) { t.Provider = nil }) }, []string{"WARN PROVIDER_NONE"}, "acme", "mkt provider set acme"},
	{"base URL on a private network", func(h *installation) {
		h.change(func(t *accounts.Tenant) {
			t.Provider.BaseURL, t.Provider.AllowPrivateAddress = "https://192.168.1.5:8443", false
		})
	}, []string{"FAIL BASE_URL_REFUSED"}, "acme", "mkt provider set acme --provider betsapi --base-url ''"},
	{"base URL of somebody else", func(h *installation) {
		h.change(func(t *accounts.Tenant) {
			t.Provider.BaseURL, t.Provider.AllowPrivateAddress = "https://evil.example", false
		})
	}, []string{"FAIL BASE_URL_REFUSED"}, "acme", "mkt provider set acme --provider betsapi --base-url ''"},
	{"data of nobody", func(h *installation) {
		check.Must(h.t, os.Rename(filepath.Dir(h.root), filepath.Join(h.options.Data, "client_id=was-here")))
	}, []string{"WARN NEVER_RAN", "FAIL SNAPSHOT_FOREIGN", "WARN DATA_UNKNOWN"}, "acme", ""},

	{"a data root that was made by hand", func(h *installation) { check.Must(h.t, os.Chmod(h.options.Data, 0o755)) }, []string{"WARN DATA_READABLE"}, "data", "chmod o-rwx"},
	{"no account", func(h *installation) {
		check.Must(h.t, os.RemoveAll(h.options.Data))
		h.write(h.options.Tenants, "version: 1\ntenants: []\n")
	}, []string{"WARN TENANTS_NONE"}, "tenants.yaml", "mkt tenant add acme --product market_engine"},
	{"a bookmaker that the provider does not know", (*installation).mistype, []string{"FAIL BOOKMAKER_UNKNOWN"}, "acme", "mkt provider set acme --provider theoddsapi --bookmaker pinnacle"},
	{"nothing serves", func(h *installation) {
		h.options.Running = func() ([]string, bool) { return []string{"schedule"}, true }
	}, []string{"NOTE SERVE_NOT_RUNNING"}, "tenants.yaml", "mkt serve"},
	{"nothing runs cycles", func(h *installation) {
		h.options.Running = func() ([]string, bool) { return []string{"serve"}, true }
	}, []string{"NOTE SCHEDULE_NOT_RUNNING"}, "tenants.yaml", "mkt schedule"},
	{"nothing published", func(h *installation) { check.Must(h.t, os.RemoveAll(h.root)) }, []string{"WARN NEVER_RAN"}, "acme", "mkt cycle --tenant acme"},
	{"overdue", func(h *installation) { h.later(3 * time.Hour) }, []string{"FAIL CYCLE_OVERDUE"}, "acme", "mkt cycle --tenant acme"},
	{"one failed fetch", func(h *installation) { h.failed("PROVIDER_UNREACHABLE", 1) }, []string{"WARN CYCLE_FAILING"}, "acme", "mkt doctor --online --tenant acme"},
	{"three failed fetches", func(h *installation) { h.failed("PROVIDER_UNREACHABLE", 3) }, []string{"FAIL CYCLE_FAILING"}, "state/fetch.json", "mkt doctor --online"},
	{"credential refused", func(h *installation) { h.failed("CREDENTIAL_REJECTED", 1) }, []string{"FAIL CYCLE_FAILING"}, "acme", "mkt provider set acme"},
	{"new credential", func(h *installation) {
		key, err := credential.LoadIdentity(h.options.SealKey)
		check.Must(h.t, err)
		sealed, err := credential.Seal(key.Recipient(), "acme", "betsapi", []byte("another-secret"))
		check.Must(h.t, err)
		h.change(func(t *accounts.Tenant) { t.Provider.Credential = sealed })
	}, []string{"WARN CREDENTIAL_UNTRIED"}, "acme", "mkt provider test acme"},
	{"test refused", func(h *installation) { h.tested("CREDENTIAL_REJECTED") }, []string{"FAIL CREDENTIAL_REFUSED"}, "acme", "mkt provider set acme"},
	{"test refused before anything was published", func(h *installation) {
		check.Must(h.t, os.RemoveAll(h.root))
		h.tested("CREDENTIAL_REJECTED")
	}, []string{"FAIL CREDENTIAL_REFUSED"}, "acme", "mkt provider set acme --provider betsapi"},
	{"the test found that the product was not bought", func(h *installation) { h.tested("PERMISSION_DENIED") }, []string{"FAIL TEST_FAILED"}, "acme", "mkt provider set acme"},
	{"test of a plan without the product", func(h *installation) { h.lacks("", football.Prematch) }, []string{"FAIL NOT_IN_PLAN"}, "acme", "mkt tenant product unset acme market_engine"},
	{"test of a plan without another product", func(h *installation) { h.lacks("", football.LiveStats) }, nil, "", ""},
	{"test of a plan without anything", func(h *installation) { h.lacks("PERMISSION_DENIED", football.Prematch) }, []string{"FAIL TEST_FAILED"}, "acme", "mkt provider set acme"},
	{"fetch that the plan refused", func(h *installation) {
		h.lacks("", football.Prematch)
		h.failed("PERMISSION_DENIED", 1)
	}, []string{"FAIL CYCLE_FAILING"}, "acme", "mkt provider set acme"},
	{"test that met no provider", func(h *installation) { h.tested("PROVIDER_UNREACHABLE") }, []string{"WARN TEST_FAILED"}, "acme", "mkt doctor --online --tenant acme"},
	{"all that was published taken away", func(h *installation) {
		for _, name := range []string{"CURRENT", "commits", "changes", "snapshots"} {
			check.Must(h.t, os.RemoveAll(h.in(name)))
		}
	}, []string{"WARN NEVER_RAN"}, "acme", "mkt cycle --tenant acme"},
	{"listing held", func(h *installation) {
		h.state("publish", func(r *health.Run) { r.Code, r.Counters = "LISTING_HELD", map[string]int64{"held": 30} })
	}, []string{"WARN LISTING_HELD"}, "acme", "mkt cycle --tenant acme --accept-removals"},
	{"quota used up by the newest cycle", func(h *installation) {
		until := h.now().Add(time.Hour)
		h.state("fetch", func(r *health.Run) {
			r.Quota = &health.Quota{At: h.now(), UsedUpUntil: &until}
		})
	}, []string{"WARN QUOTA_USED_UP"}, "acme", "mkt provider test acme"},
	{"quota used up by the first cycle alone", func(h *installation) {
		h.usedUp("", 3*time.Hour, 30*time.Hour)
	}, []string{"WARN QUOTA_USED_UP"}, "acme", "none is needed"},
	{"quota used up, and every request refused for it", func(h *installation) {
		h.usedUp(health.CodeRateLimited, 3*time.Hour, 30*time.Hour)
		h.tested(health.CodeRateLimited)
		h.later(0)
	}, []string{"WARN QUOTA_USED_UP"}, "acme", "none is needed"},
	{"cycles that did not begin anew after the quota was renewed", func(h *installation) {
		h.usedUp("", 9*time.Hour, time.Hour)
	}, []string{"FAIL CYCLE_OVERDUE"}, "acme", "mkt cycle --tenant acme"},
	{"credential refused by a test and by a cycle", func(h *installation) {
		h.failed("CREDENTIAL_REJECTED", 3)
		h.tested("CREDENTIAL_REJECTED")
		h.later(3 * time.Hour)
	}, []string{"FAIL CREDENTIAL_REFUSED"}, "acme", "mkt provider set acme"},
	{"quota back", func(h *installation) {
		until := h.now().Add(-time.Second)
		h.state("fetch", func(r *health.Run) {
			r.Quota = &health.Quota{At: h.now().Add(-time.Hour), UsedUpUntil: &until}
		})
	}, nil, "", ""},
	{"quota too small", func(h *installation) {
		left, until := int64(150), h.now().Add(24*time.Hour)
		h.state("fetch", func(r *health.Run) {
			r.Quota, r.Costs = &health.Quota{At: h.now(), Left: &left, ResetsAt: &until}, []int64{30}
		})
	}, []string{"WARN QUOTA_TOO_SMALL"}, "acme", "tenant schedule set acme market_engine"},
	{"quota too small, and a lot left", func(h *installation) {
		left, limit, until := int64(500), int64(600), h.now().Add(time.Minute)
		h.state("fetch", func(r *health.Run) {
			r.Quota, r.Costs = &health.Quota{At: h.now(), Left: &left, Limit: &limit, ResetsAt: &until}, []int64{1000}
		})
	}, []string{"WARN QUOTA_TOO_SMALL"}, "acme", "buy a larger quota"},
	{"listing short", func(h *installation) {
		h.state("fetch", func(r *health.Run) { r.Counters = map[string]int64{"listing_short": 1} })
	}, []string{"WARN LISTING_SHORT"}, "acme", "raw/cycle="},
	{"a third of the prices is no offer", func(h *installation) {
		h.state("transform", func(r *health.Run) { r.Counters = map[string]int64{"no_offer": 30, "selections": 90} })
	}, []string{"WARN PRICES_STOPPED"}, "acme", "raw/cycle="},
	{"a few prices are no offer", func(h *installation) {
		h.state("transform", func(r *health.Run) { r.Counters = map[string]int64{"no_offer": 29, "selections": 90} })
	}, nil, "", ""},
	{"the provider sends other answers", func(h *installation) { h.write(filepath.Join(h.root, "state/payload.json"), payloadReport) }, []string{"WARN PAYLOAD_CHANGED"}, "state/payload.json",
		"mkt mapping report --tenant acme --cycle 20261120T080700Z-market_engine --output json > before.json && mkt mapping report --tenant acme --against before.json"},
	{"the former provider sent other answers", func(h *installation) {
		h.write(filepath.Join(h.root, "state/payload.json"), strings.Replace(payloadReport, "betsapi", "sportmonks", 1))
	}, nil, "", ""},
	{"the form of the answers is garbage", func(h *installation) { h.write(filepath.Join(h.root, "state/payload.json"), "{") }, nil, "", ""},
	{"state is garbage", func(h *installation) { h.write(h.in("state/publish.json"), "{") }, []string{"WARN STATE_UNREADABLE"}, "state/publish.json", "mkt cycle --tenant acme"},
	{"state of the fetch is garbage", func(h *installation) { h.write(h.in("state/fetch.json"), "{") }, []string{"WARN STATE_UNREADABLE", "WARN CREDENTIAL_UNTRIED"}, "state/fetch.json", "mkt cycle --tenant acme"},

	{"CURRENT gone", func(h *installation) { check.Must(h.t, os.Remove(h.in("CURRENT"))) }, []string{"WARN CURRENT_STALE"}, "CURRENT", "mkt publish --tenant acme"},
	{"CURRENT empty", func(h *installation) { h.write(h.in("CURRENT"), "") }, []string{"WARN CURRENT_STALE"}, "CURRENT", "mkt publish --tenant acme"},
	{"CURRENT is garbage", func(h *installation) { h.write(h.in("CURRENT"), "\x00\xff") }, []string{"WARN CURRENT_STALE"}, "CURRENT", "mkt publish --tenant acme"},
	{"CURRENT dangles", func(h *installation) { h.replace(h.in("CURRENT"), `"version": 2`, `"version": 9`) }, []string{"WARN CURRENT_STALE"}, "CURRENT", "mkt publish --tenant acme"},
	{"CURRENT with another hash", func(h *installation) { h.replace(h.in("CURRENT"), `"commit_sha256": "`, `"commit_sha256": "00`) }, []string{"WARN CURRENT_STALE"}, "CURRENT", ""},
	{"newest commit torn", func(h *installation) { check.Must(h.t, os.Truncate(h.in("commits/*"), 40)) }, []string{"FAIL COMMIT_DAMAGED"}, "commits", "restore"},
	{"commits gone", func(h *installation) { check.Must(h.t, os.RemoveAll(h.in("commits"))) }, []string{"FAIL COMMIT_DAMAGED"}, "commits", "restore"},
	{"a commit missing in the middle", func(h *installation) {
		check.Must(h.t, os.Link(h.in("commits/*1.json"), filepath.Join(h.root, layout.Commit(4))))
	}, []string{"FAIL CHAIN_BROKEN"}, "commits", "restore"},
	{"first commit changed", func(h *installation) { h.replace(h.in("commits/*1.json"), `"run_id": "`, `"run_id": "x`) }, []string{"FAIL CHAIN_BROKEN"}, "commits", "restore"},
	{"manifest changed", func(h *installation) {
		h.replace(h.in("snapshots/*/manifest.json"), `"provider": "betsapi"`, `"provider": "other"`)
	}, []string{"FAIL MANIFEST_DAMAGED"}, "manifest.json", "restore"},
	{"manifest gone", func(h *installation) { check.Must(h.t, os.Remove(h.in("snapshots/*/manifest.json"))) }, []string{"FAIL MANIFEST_DAMAGED"}, "manifest.json", "restore"},
	{"markets with a bit flipped", func(h *installation) { h.flip(h.in("snapshots/*/markets.parquet")) }, []string{"FAIL SNAPSHOT_DAMAGED"}, "markets.parquet", "restore"},
	{"fixtures cut off", func(h *installation) { check.Must(h.t, os.Truncate(h.in("snapshots/*/fixtures.parquet"), 100)) }, []string{"FAIL SNAPSHOT_DAMAGED"}, "fixtures.parquet", "restore"},
	{"snapshot gone", func(h *installation) { check.Must(h.t, os.RemoveAll(h.in("snapshots/*"))) }, []string{"FAIL MANIFEST_DAMAGED"}, "manifest.json", "restore"},
	{"manifest is a link out of the root", func(h *installation) {
		name := h.in("snapshots/*/manifest.json")
		check.Must(h.t, os.Rename(name, h.path("manifest.json")))
		check.Must(h.t, os.Symlink(h.path("manifest.json"), name))
	}, []string{"FAIL MANIFEST_DAMAGED"}, "manifest.json", "cannot rebuild it"},
	{"newest commit is a link out of the root", func(h *installation) {
		name := h.in("commits/*")
		check.Must(h.t, os.Rename(name, h.path("commit.json")))
		check.Must(h.t, os.Symlink(h.path("commit.json"), name))
	}, []string{"FAIL COMMIT_DAMAGED"}, "commits", "restore"},
	{"fixtures are a socket", func(h *installation) {
		name := h.in("snapshots/*/fixtures.parquet")
		check.Must(h.t, os.Remove(name))
		check.Must(h.t, syscall.Mknod(name, syscall.S_IFSOCK|0o644, 0))
	}, []string{"FAIL SNAPSHOT_DAMAGED"}, "fixtures.parquet", "cannot rebuild it"},
	{"fixtures of another user", func(h *installation) { check.Must(h.t, os.Chown(h.in("snapshots/*/fixtures.parquet"), 1234, 1234)) },
		[]string{"FAIL OWNER_DIFFERS"}, "acme", "sudo chown -R --reference="},
	{"newest commit of a newer version", func(h *installation) { h.replace(h.in("commits/*"), `"format": 1`, `"format": 99`) },
		[]string{"FAIL FORMAT_NEWER"}, "commits", "install the version of mkt"},
	{"newest publication killed the server", func(h *installation) { h.killedServer(2, 2) },
		[]string{"FAIL SNAPSHOT_QUARANTINED"}, "snapshots/", "mkt cycle --tenant acme"},
	{"newest publication killed the server once", func(h *installation) { h.killedServer(2, 1) },
		[]string{"WARN SNAPSHOT_QUARANTINED"}, "snapshots/", "mkt verify --tenant acme"},
	{"a publication before killed the server", func(h *installation) { h.killedServer(1, 2) }, nil, "", ""},
	{"change log with a bit flipped", func(h *installation) { h.flip(h.in("changes/*")) }, []string{"FAIL CHANGES_DAMAGED"}, "changes/", "restore"},

	{"clock set back", func(h *installation) { h.later(-2 * time.Hour) }, []string{"FAIL CLOCK_BEHIND"}, "commits", "timedatectl"},
	{"published during the check", func(h *installation) {
		now := h.now()
		begun := now.Add(-2 * time.Minute)
		h.options.Now = func() (at time.Time) {
			at, begun = begun, now
			return at
		}
	}, nil, "", ""},
	{"provider's clock is another", func(h *installation) { h.providersDate(-10 * time.Minute) }, []string{"FAIL CLOCK_DIFFERS"}, "fetch.json", "timedatectl"},
	{"Redis in order", func(h *installation) { h.redis(nil) }, nil, "", ""},
	{"Redis away", func(h *installation) { h.redis(nil).Close() }, []string{"FAIL REDIS_UNREACHABLE"}, "redis://127.0.0.1:", "start the server"},
	{"Redis with another password", func(h *installation) { h.redis(nil).RequireAuth("other") }, []string{"FAIL REDIS_REFUSED"}, "redis://127.0.0.1:", "check the user"},
	{"Redis may evict", func(h *installation) {
		h.redis(func(c *server.Peer, command string, _ ...string) bool {
			if command == "INFO" {
				c.WriteBulk("# Server\r\nvalkey_version:8.1.0\r\n# Memory\r\nmaxmemory_policy:allkeys-lru\r\n")
			}
			return command == "INFO"
		})
	}, []string{"WARN REDIS_EVICTS"}, "redis://127.0.0.1:", "maxmemory-policy noeviction"},
	{"Redis is slow", func(h *installation) {
		began, at := time.Now(), h.now()
		h.options.Now = func() time.Time { return at.Add(time.Since(began)) }
		h.redis(func(*server.Peer, string, ...string) bool {
			time.Sleep(limits.CommandTime + time.Millisecond)
			return false
		})
	}, []string{"WARN REDIS_SLOW"}, "redis://127.0.0.1:", "nearer"},
	{"Redis has another clock", func(h *installation) { h.redis(nil).SetTime(h.now().Add(time.Minute)) }, []string{"WARN REDIS_CLOCK"}, "redis://127.0.0.1:", "timedatectl"},
	{"two replicas with one name", func(h *installation) {
		m := h.redis(nil)
		for _, member := range []string{"web-1/A", "web-2/B", "web-1/C"} {
			_, err := m.ZAdd("mkt:replicas", 1, member)
			check.Must(h.t, err)
		}
	}, []string{"WARN REDIS_REPLICA"}, "redis://127.0.0.1:", "serve.replica"},
	{"a worker", func(h *installation) { h.worker("4711//machine-1 (process 7)") }, nil, "", ""},
	{"a worker of another installation", func(h *installation) { h.worker("4711/ffff/machine-2 (process 7)") }, []string{"FAIL REDIS_FOREIGN"}, "redis://127.0.0.1:", "?prefix=NAME"},
	{"password of Redis open to others", func(h *installation) {
		h.redis(nil).RequireAuth("geheim")
		var err error
		h.options.Redis, err = cluster.ParseAddress(strings.Replace(h.options.Redis.String(), "//", "//:geheim@", 1))
		check.Must(h.t, err)
		h.options.Config, h.options.RedisInConfig = h.path("mkt.yaml"), true
		h.write(h.options.Config, "redis: …\n")
		check.Must(h.t, os.Chmod(h.options.Config, 0o644))
	}, []string{"WARN REDIS_EXPOSED"}, "mkt.yaml", "chmod o-r "},
	{"lock of a dead process", func(h *installation) { h.lockedBy(4711, "") }, []string{"WARN LOCK_STUCK"}, "/lock", "fuser -v"},
	{"lock of a stopped process", func(h *installation) { h.lockedBy(4711, "T") }, []string{"WARN LOCK_STUCK"}, "/lock", "kill -CONT 4711"},
	{"log without the newest publications", func(h *installation) {
		h.log(nil)
		check.Must(h.t, errors.Join(os.RemoveAll(h.path("data/log")), os.RemoveAll(h.path("data/leaves"))))
		h.later(15 * time.Minute)
	}, []string{"WARN LOG_BEHIND"}, "/data", "mkt log; then look at"},
	{"log of which an account has an older copy", func(h *installation) {
		h.log(nil)
		check.Must(h.t, os.Remove(h.in("commits/*.json")))
		root, err := durable.OpenRoot(h.root)
		check.Must(h.t, err)
		defer root.Close()
		head, _, err := snapshot.Head(root)
		check.Must(h.t, errors.Join(err, snapshot.WriteCurrent(root, head)))
	}, []string{"FAIL LOG_REFUSED"}, "acme", "mkt recover --new-history --tenant acme"},
	{"log without publications that are young", func(h *installation) {
		h.log(nil)
		check.Must(h.t, errors.Join(os.RemoveAll(h.path("data/log")), os.RemoveAll(h.path("data/leaves"))))
	}, nil, "", ""},
	{"log without witnesses", func(h *installation) {
		h.log(nil)
		h.later(15 * time.Minute)
	}, nil, "", ""},
	{"log that is cosigned", func(h *installation) {
		h.log(commitlog.Post)
		h.later(15 * time.Minute)
	}, nil, "", ""},
	{"witness away", func(h *installation) {
		h.log(func(context.Context, string, []byte) (int, []byte, error) { return 0, nil, errors.New("away") })
	}, []string{"WARN LOG_UNWITNESSED"}, "log/checkpoint", "ask who runs the witnesses"},
	{"witness that was never asked", func(h *installation) {
		h.log(nil)
		h.options.LogPolicy = h.path("policy")
		h.write(h.options.LogPolicy, h.policy)
		h.later(15 * time.Minute)
	}, []string{"WARN LOG_UNWITNESSED"}, "log/checkpoint", "ask who runs the witnesses"},
	{"witness that refuses", func(h *installation) {
		h.log(func(context.Context, string, []byte) (int, []byte, error) {
			return http.StatusUnprocessableEntity, nil, nil
		})
	}, []string{"FAIL LOG_UNWITNESSED"}, "log/checkpoint", "mkt log audit --from"},
	{"policy of the log damaged", func(h *installation) {
		h.log(commitlog.Post)
		h.write(h.options.LogPolicy, "quorum a\n")
	}, []string{"FAIL LOG_UNWITNESSED"}, "policy", "log_policy in mkt.yaml"},
	{"policy of another log", func(h *installation) {
		h.log(commitlog.Post)
		h.write(h.options.LogPolicy, "quorum none\n")
	}, []string{"FAIL LOG_UNWITNESSED"}, "policy", "add the line of this log"},
	{"head of the log damaged", func(h *installation) {
		h.log(nil)
		h.write(h.path("data/log/checkpoint"), "")
	}, []string{"FAIL LOG_DAMAGED"}, "log/checkpoint", "mkt log audit"},
	{"leaves of the log damaged", func(h *installation) {
		h.log(nil)
		check.Must(h.t, os.RemoveAll(h.path("data/leaves/newest.json")))
		h.write(h.path("data/leaves/000.json"), "")
	}, []string{"FAIL LOG_DAMAGED"}, "leaves", "mkt log audit"},
	{"states of the witnesses damaged", func(h *installation) {
		h.log(commitlog.Post)
		h.write(h.path("data/leaves/witnesses.json"), "")
	}, []string{"FAIL LOG_DAMAGED"}, "leaves", "mkt log audit"},
	{"log of another key", func(h *installation) {
		h.log(nil)
		h.write(h.path("log.key.pub"), h.witness+"\n")
	}, []string{"FAIL LOG_DAMAGED"}, "log/checkpoint", "restore that key"},
	{"log without a verifier key", func(h *installation) {
		h.log(nil)
		check.Must(h.t, os.Remove(h.path("log.key.pub")))
	}, []string{"WARN LOG_DAMAGED"}, "log/checkpoint", "restore "},
	{"log whose verifier key is in the policy", func(h *installation) {
		h.log(commitlog.Post)
		check.Must(h.t, os.Remove(h.path("log.key.pub")))
	}, nil, "", ""},
	{"debris", func(h *installation) {
		dir := filepath.Join(h.root, "staging", "broken")
		check.Must(h.t, os.MkdirAll(dir, 0o755))
		old := h.now().Add(-30 * time.Hour)
		check.Must(h.t, os.Chtimes(dir, old, old))
	}, []string{"WARN STAGING_DEBRIS"}, "staging", "mkt cycle --tenant acme"},
	{"disk nearly full", func(h *installation) { h.space(doctor.Space{Bytes: 30 << 20, Inodes: 1e6}) }, []string{"WARN DISK_SPACE"}, "/data", "free space"},
	{"disk full", func(h *installation) { h.space(doctor.Space{Bytes: 1 << 10, Inodes: 1e6}) }, []string{"FAIL DISK_SPACE"}, "/data", "free space"},
	{"disk with space for ten cycles, files with two names counted once", func(h *installation) {
		h.shared(40 << 20) // 40 MiB, and rows of 160 MiB while they wait
		h.space(doctor.Space{Bytes: 2300 << 20, Inodes: 1e6})
	}, nil, "", ""},
	{"disk without space for the rows of ten cycles", func(h *installation) {
		h.shared(40 << 20)
		h.space(doctor.Space{Bytes: 1900 << 20, Inodes: 1e6})
	}, []string{"WARN DISK_SPACE"}, "/data", "free space"},
	{"inodes used up", func(h *installation) { h.space(doctor.Space{Bytes: 1 << 40, Inodes: 5}) }, []string{"FAIL DISK_INODES"}, "/data", "free space"},
	{"no inodes to count", func(h *installation) { h.space(doctor.Space{Bytes: 1 << 40, NoInodes: true}) }, nil, "", ""},
	{"root is a file", func(h *installation) {
		check.Must(h.t, errors.Join(os.RemoveAll(h.root), os.WriteFile(h.root, nil, 0o644)))
	}, []string{"FAIL UNREADABLE"}, "acme", "sudo mkt doctor"},

	{"provider down", func(h *installation) { h.answers("PROVIDER_UNREACHABLE", provider.ErrUnreachable) }, []string{"FAIL PROVIDER_UNREACHABLE"}, "acme", ""},
	{"provider refuses", func(h *installation) { h.answers("CREDENTIAL_REJECTED", fetch.ErrCredential) }, []string{"FAIL PROVIDER_REFUSES"}, "acme", "mkt provider set acme"},
	{"quota used up", func(h *installation) { h.answers("RATE_LIMITED", fetch.ErrLimited) }, []string{"WARN PROVIDER_LIMITED"}, "acme", ""},
	{"provider talks nonsense", func(h *installation) { h.answers("PAYLOAD_REJECTED", fetch.ErrPayload) }, []string{"FAIL PROVIDER_ODD"}, "acme", "mkt fetch --tenant acme"},
	{"provider refuses the product", func(h *installation) {
		h.options.Probe = func(context.Context, *accounts.Tenant, football.Product) (fetch.Probed, error) {
			return fetch.Probed{Endpoints: []string{"list", "live"}, Plan: planWithout(h.now(), football.Prematch)}, nil
		}
	}, []string{"FAIL NOT_IN_PLAN"}, "acme", "mkt provider set acme"},
	{"provider answers", func(h *installation) { h.answers("", nil) }, nil, "", ""},
}

func (h *installation) state(step string, change func(*health.Run)) {
	h.t.Helper()
	var run health.Run
	path := h.in("state/" + step + ".json")
	check.Must(h.t, json.Unmarshal([]byte(h.read(path)), &run))
	change(&run)
	data, err := json.Marshal(run)
	check.Must(h.t, err)
	h.write(path, string(data))
}

// usedUp is a quota that the newest fetch used up, for so long, and doctor looks later.
func (h *installation) usedUp(code health.Code, later, lasts time.Duration) {
	h.t.Helper()
	at := h.now()
	until := at.Add(lasts)
	h.state("fetch", func(r *health.Run) {
		r.Quota = &health.Quota{At: at, UsedUpUntil: &until}
		if code != "" {
			r.OK, r.Code, r.FailuresInARow = false, code, 3
		}
	})
	h.later(later)
}

func (h *installation) failed(code health.Code, times int) {
	h.t.Helper()
	h.state("fetch", func(r *health.Run) { r.OK, r.Code, r.FailuresInARow = false, code, times })
}

// log makes a key of the transparency log, and adds the newest publications to the log. The policy has a
// witness that runs until the test ends, and post asks it; without post the log has no witness. No file has
// the private key: the doctor does not need it.
func (h *installation) log(post transparency.Post) {
	h.t.Helper()
	text, err := transparency.NewKey(rand.Reader, "example.com/prices")
	check.Must(h.t, err)
	key, err := transparency.ParseKey(text)
	check.Must(h.t, err)
	h.write(commitlog.PublicFile(h.options.LogKey), key.VerifierKey()+"\n")
	private, public, err := note.GenerateKey(rand.Reader, "witness.example")
	check.Must(h.t, err)
	w, err := witness.New(witness.Options{Root: durabletest.NewMem(), Key: private, Logs: []string{key.VerifierKey()}, Now: h.now, Log: slog.New(slog.DiscardHandler)})
	check.Must(h.t, err)
	server := httptest.NewServer(w)
	h.t.Cleanup(server.Close)
	h.witness, h.options.LogPolicy = public, h.path("policy")
	h.policy = "log " + key.VerifierKey() + "\nwitness a " + w.VerifierKey() + " " + server.URL + "\nquorum a\n"
	o := commitlog.Options{Data: h.options.Data, Key: key, Wait: check.Limit, Now: time.Now, Post: post}
	if post == nil {
		h.options.LogPolicy = ""
	} else {
		h.write(h.options.LogPolicy, h.policy)
		o.Policy, err = commitlog.LoadPolicy(h.options.LogPolicy)
		check.Must(h.t, err)
	}
	if _, err := commitlog.Run(h.t.Context(), o); err != nil && !errors.Is(err, transparency.ErrRefused) {
		h.t.Fatal(err)
	}
}

func (h *installation) flip(path string) {
	h.t.Helper()
	data := []byte(h.read(path))
	data[len(data)/2] ^= 1
	h.write(path, string(data))
}

func (h *installation) space(s doctor.Space) {
	h.options.Space = func(string) (doctor.Space, error) { return s, nil }
}

func (h *installation) answers(code health.Code, err error) {
	h.options.Probe = func(_ context.Context, t *accounts.Tenant, _ football.Product) (fetch.Probed, error) {
		if t.ID != "acme" {
			h.t.Errorf("%s was asked for", t.ID)
		}
		return fetch.Probed{Code: code, Endpoints: []string{"list"}}, err
	}
}

// providersDate shifts the dates of the newest cycle's answers and corrects the headers' hashes.
func (h *installation) providersDate(by time.Duration) {
	h.t.Helper()
	fetchFile, cycleFile := h.in("raw/*/fetch.json"), h.in("raw/*/cycle.json")
	before := sum(h.t, fetchFile)
	for at := h.now().Add(-10 * time.Minute); at.Before(h.now()); at = at.Add(time.Second) {
		const form = "Mon, 02 Jan 2006 15:04:05 GMT"
		text := h.read(fetchFile)
		old, moved := at.UTC().Format(form), at.UTC().Add(by).Format(form)
		if strings.Contains(text, old) {
			h.write(fetchFile, strings.ReplaceAll(text, old, moved))
		}
	}
	h.replace(cycleFile, before, sum(h.t, fetchFile))
}

func sum(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("sha256sum", path).Output()
	check.Must(t, err)
	return strings.Fields(string(out))[0]
}

// killedServer plants the records of servers that died while loading a publication of acme's.
func (h *installation) killedServer(version uint64, times int) {
	h.t.Helper()
	disk, err := durable.OpenExisting(h.root)
	check.Must(h.t, err)
	defer disk.Close()
	c, err := snapshot.ReadCommit(disk, version)
	check.Must(h.t, err)
	h.options.Loads = h.path("loads")
	store, err := quarantine.Open(h.options.Loads, h.now)
	check.Must(h.t, err)
	for i := range times {
		load, err := store.Begin(quarantine.Publication{ClientID: "acme", Product: string(product), Version: c.Version, CommitSHA256: c.SHA256})
		check.Must(h.t, err)
		if got := names(doctor.Run(h.t.Context(), h.options)); i == 0 && len(got) > 0 {
			h.t.Errorf("while it loads: %v", got)
		}
		runtime.KeepAlive(load) // which is closed, and not locked any more, when it is collected
		notes, err := filepath.Glob(filepath.Join(h.options.Loads, "acme.*"))
		check.Must(h.t, err)
		for _, note := range notes { // its process has ended: nobody holds its lock
			check.Must(h.t, errors.Join(os.Remove(note), os.WriteFile(note, nil, 0o600)))
		}
	}
}

// mistype makes acme an account of another provider with a bookmaker that it does not know, whose
// first fetch failed.
func (h *installation) mistype() {
	h.t.Helper()
	check.Must(h.t, os.RemoveAll(h.root))
	key, err := credential.LoadIdentity(h.options.SealKey)
	check.Must(h.t, err)
	sealed, err := credential.Seal(key.Recipient(), "acme", "theoddsapi", []byte(dataroot.Secret))
	check.Must(h.t, err)
	h.change(func(t *accounts.Tenant) {
		t.Provider.Name, t.Provider.Bookmaker, t.Provider.Credential = "theoddsapi", "pinacle", sealed
	})
	disk, err := durable.OpenRoot(h.root)
	check.Must(h.t, err)
	defer disk.Close()
	const cycle = "20261122T120000Z-market_engine"
	refused := raw.Response{Number: 1, Endpoint: "odds", Path: "/v4/sports/x/odds", Attempt: 1, Status: 422, FetchedAt: h.now()}
	w, err := raw.Create(disk, cycle, nil)
	check.Must(h.t, err)
	_, err = w.Reject(refused, "INVALID_BOOKMAKERS", []byte("{}"))
	check.Must(h.t, err)
	_, err = w.Seal(raw.Cycle{ClientID: "acme", Product: product, Provider: "theoddsapi", StartedAt: h.now(), FinishedAt: h.now(),
		Outcome: raw.Failed, Code: health.CodePayloadRejected, Requests: 1})
	check.Must(h.t, err)
	check.Must(h.t, health.Record(disk, health.Run{Step: health.StepFetch, Cycle: cycle, StartedAt: h.now(), FinishedAt: h.now(),
		Code: health.CodePayloadRejected, CredentialFingerprint: h.acme().Provider.Fingerprint()}))
}

// redis starts a server whose clock is that of the doctor. hook, if not nil, sees
// each command and returns whether it has answered it.
func (h *installation) redis(hook server.Hook) *miniredis.Miniredis {
	h.t.Helper()
	m := miniredis.RunT(h.t)
	m.SetTime(h.now())
	m.Server().SetPreHook(hook)
	var err error
	h.options.Redis, err = cluster.ParseAddress("redis://" + m.Addr())
	check.Must(h.t, err)
	return m
}

// worker adds a worker to those that are alive.
func (h *installation) worker(member string) {
	h.t.Helper()
	_, err := h.redis(nil).ZAdd("mkt:workers", float64(h.now().UnixMilli()), member)
	check.Must(h.t, err)
}

// lockedBy plants a kernel list of locks in which a process holds acme's lock.
func (h *installation) lockedBy(pid int, state string) {
	h.t.Helper()
	proc := h.path("proc")
	check.Must(h.t, os.Mkdir(proc, 0o755))
	info, err := os.Stat(h.in("lock"))
	check.Must(h.t, err)
	stat := info.Sys().(*syscall.Stat_t)
	h.write(filepath.Join(proc, "locks"), fmt.Sprintf("1: POSIX  ADVISORY  READ 1 00:00:1 0 EOF\n2: FLOCK  ADVISORY  WRITE %d %02x:%02x:%d 0 EOF\n",
		pid, stat.Dev>>8&0xfff, stat.Dev&0xff, stat.Ino))
	if state != "" {
		check.Must(h.t, os.Mkdir(filepath.Join(proc, fmt.Sprint(pid)), 0o755))
		h.write(filepath.Join(proc, fmt.Sprint(pid), "stat"), fmt.Sprintf("%d (mkt (odd) name) %s 1 1", pid, state))
	}
	h.options.Proc = proc
}

// Each planted fault is found, with its place and a fix, and nothing else is.
func TestPlantedFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			if slices.Contains(f.want, "FAIL OWNER_DIFFERS") {
				needs.Root(t, "gives a file to somebody else")
			}
			t.Parallel()
			h := newInstallation(t)
			f.plant(h)
			r := doctor.Run(t.Context(), h.options)
			if got := names(r); !slices.Equal(got, f.want) {
				t.Fatalf("got %v, want %v\n%+v", got, f.want, r.Findings)
			}
			for _, b := range r.Findings {
				if b.What == "" || b.Fix == "" || b.Area == "" || b.Tenant == "" && b.File == "" || strings.Contains(fmt.Sprint(b), dataroot.Secret) {
					t.Errorf("not a whole finding: %+v", b)
				}
			}
			if len(f.want) > 0 {
				if b := r.Findings[0]; !strings.Contains(b.Tenant+" "+b.File, f.where) || !strings.Contains(b.Fix, f.fix) {
					t.Errorf("place or fix: %+v, want %q and %q", b, f.where, f.fix)
				}
			}
			if r.Healthy != !slices.ContainsFunc(f.want, func(w string) bool { return strings.HasPrefix(w, "FAIL") }) {
				t.Errorf("healthy: %v", r.Healthy)
			}
		})
	}
}

// Every code is found in some test.
func TestEveryCodeIsPlanted(t *testing.T) {
	planted := map[string]bool{
		"DATA_NOT_WRITABLE": true, // TestReadOnlyDisk
	}
	for _, f := range faults {
		for _, w := range f.want {
			_, code, _ := strings.Cut(w, " ")
			planted[code] = true
		}
	}
	for _, f := range storeFaults {
		for _, w := range f.want {
			_, code, _ := strings.Cut(w, " ")
			planted[code] = true
		}
	}
	for code := range doctor.Codes() {
		if !planted[code] {
			t.Errorf("%s is planted by no test", code)
		}
	}
}

func TestReadOnlyDisk(t *testing.T) {
	h := newInstallation(t)
	if root {
		needs.ReadOnly(t, h.options.Data)
	} else {
		check.Must(t, os.Chmod(h.options.Data, 0o555))
	}
	if got := names(doctor.Run(t.Context(), h.options)); !slices.Equal(got, []string{"FAIL DATA_NOT_WRITABLE"}) {
		t.Errorf("%v", got)
	}
	h.options.Keyless = true
	if got := names(doctor.Run(t.Context(), h.options)); len(got) != 0 {
		t.Errorf("serving: %v", got)
	}
}

// Findings about other tenants are not shown if one tenant is asked for.
func TestOneTenant(t *testing.T) {
	h := newInstallation(t)
	h.failed("CREDENTIAL_REJECTED", 1)
	h.flip(h.in("snapshots/*/markets.parquet"))
	h.options.Tenant = "idle"
	if got := names(doctor.Run(t.Context(), h.options)); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// A lock that a live run holds is shown, but is not a fault.
func TestLockOfALiveRun(t *testing.T) {
	h := newInstallation(t)
	f, err := os.OpenFile(h.in("lock"), os.O_RDWR, 0)
	check.Must(t, err)
	defer f.Close()
	check.Must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	r := doctor.Run(t.Context(), h.options)
	if got := names(r); len(got) != 0 {
		t.Errorf("%v", got)
	}
	want := fmt.Sprintf("held by process %d (", os.Getpid())
	if !slices.ContainsFunc(r.Passed, func(f doctor.Finding) bool { return strings.HasPrefix(f.What, want) }) {
		t.Errorf("nobody said %q: %+v", want, r.Passed)
	}
}

// A fix can be pasted: its command names the same files.
func TestFixesNameThePlaces(t *testing.T) {
	h := newInstallation(t)
	h.options.Command = "mkt --config '/etc/my mkt/mkt.yaml'"
	h.options.SealKey = h.path("with space/seal.key")
	check.Must(t, os.Mkdir(filepath.Dir(h.options.SealKey), 0o755))
	check.Must(t, os.WriteFile(h.options.SealKey, []byte("x"), 0o644))
	h.change(func(t *accounts.Tenant) { t.Tokens = nil })
	var fixes []string
	for _, f := range doctor.Run(t.Context(), h.options).Findings {
		fixes = append(fixes, f.Fix)
	}
	all := strings.Join(fixes, "\n")
	for _, want := range []string{"mkt --config '/etc/my mkt/mkt.yaml' tenant token issue acme", "chmod 600 '" + h.options.SealKey + "'"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}
