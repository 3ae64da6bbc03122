package accounts_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mkt/internal/accounts"
	"mkt/publish/football"
	"mkt/serve/account"
)

const digestA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// whole uses every key there is.
const whole = `version: 1
tenants:
  - id: acme
    name: Acme Sports
    status: SUSPENDED
    tokens:
      - {sha256: ` + digestA + `, hint: x9Yz, issued_at: 2026-11-20T09:07:00Z}
    products:
      market_engine: {starts: 2026-01-01T00:00:00Z, expires: 2027-01-01T00:00:00+02:00}
      live_intelligence:
    features: {advanced_stats: true, momentum: false}
    origins: [https://app.example.com, "http://localhost:3000"]
    rate_limit: {requests: 60000, per: 1m, burst: 500}
    provider:
      name: betsapi
      base_url: http://127.0.0.1:9090
      allow_private_address: true
      hint: …7f3a
      credential: |
        -----BEGIN AGE ENCRYPTED FILE-----
        YWdl
        -----END AGE ENCRYPTED FILE-----
      disabled: false
    schedule: {market_engine: "@every 30m"}
  - id: other
`

func TestParseWhole(t *testing.T) {
	f, err := accounts.Parse("tenants.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	acme, ok := f.Tenant("acme")
	if !ok || acme.Status != account.Suspended || acme.Line != 3 || len(acme.Tokens) != 1 || acme.Tokens[0].Digest[0] != 0xaa {
		t.Fatalf("acme read as %+v", acme)
	}
	if got := acme.Products[football.MarketEngine].Expires; got.Format(time.RFC3339) != "2026-12-31T22:00:00Z" {
		t.Errorf("expires = %v, want it in UTC", got)
	}
	if acme.Limit != (account.Limit{Requests: 60000, Per: time.Minute, Burst: 500}) {
		t.Errorf("limit = %+v", acme.Limit)
	}
	if p := acme.Provider; p == nil || !p.AllowPrivateAddress || !strings.HasSuffix(p.Credential, "END AGE ENCRYPTED FILE-----") {
		t.Errorf("provider = %+v", p)
	}
	other, _ := f.Tenant("other")
	if other.Status != account.Active || other.Limit != account.DefaultLimit || other.Provider != nil {
		t.Errorf("defaults = %+v", other)
	}
}

// TestProblems: each mistake is reported with line and reason, and no text that could be a secret is
// repeated.
func TestProblems(t *testing.T) {
	const secret = "SECRET-0123456789"
	tests := []struct{ name, yaml, want string }{
		{"empty", "", "t.yaml: is empty"},
		{"not yaml", "version: 1\ntenants: [\n", "t.yaml:2: not YAML: "},
		{"tab", "version: 1\n\ttenants: []\n", "t.yaml:2: not YAML: found a tab character"},
		{"tab after a key", "version: 1\ntenants:\n\t- id: acme\n", "(a tab? lines are indented with spaces only)"},
		{"version", "version: 2\ntenants: []\n", "t.yaml:1: version: is 2: this build of mkt reads 1"},
		{"no version", "tenants: []\n", "t.yaml:1: version: is missing: want version: 1"},
		{"two documents", "version: 1\n---\nversion: 1\n", "t.yaml:2: a second document"},
		{"top is a list", "- version: 1\n", "t.yaml:1: want a mapping of tenants, version"},
		{"unknown key", entry("tokenz: []"), "t.yaml:4: tenant acme: tokenz: unknown key: want one of features, id"},
		{"secret as a key", entry(secret + ": x"), "t.yaml:4: tenant acme: (a key that is not a word): unknown key"},
		{"key twice", entry("name: a\n    name: b"), "t.yaml:5: tenant acme: name: given twice"},
		{"no id", "version: 1\ntenants:\n  - name: x\n", "t.yaml:3: id: is missing"},
		{"bad id", "version: 1\ntenants:\n  - id: Acme/..\n", `t.yaml:3: id: "Acme/..": want 1 to 63`},
		{"id twice", entry("name: a\n  - id: b\n  - id: acme"), "t.yaml:6: tenant acme: id: is taken by the tenant in line 3"},
		{"status", entry("status: PAUSED"), `t.yaml:4: tenant acme: status: "PAUSED": want ACTIVE, SUSPENDED or REVOKED`},
		{"token in clear", entry("tokens: [" + secret + "]"), "t.yaml:4: tenant acme: tokens: want entries of sha256"},
		{"token under another key", entry("tokens: [{token: " + secret + "}]"), "t.yaml:4: tenant acme: tokens.token: unknown key"},
		{"digest", entry("tokens: [{sha256: " + secret + "}]"), "t.yaml:4: tenant acme: tokens.sha256: want the SHA-256"},
		{"digest missing", entry("tokens: [{hint: abcd}]"), "t.yaml:4: tenant acme: tokens.sha256: is missing"},
		{"hint", entry("tokens: [{sha256: " + digestA + ", hint: abcdefgh}]"), "t.yaml:4: tenant acme: tokens.hint: shows more than 4"},
		{"issued", entry("tokens: [{sha256: " + digestA + ", issued_at: yesterday}]"), `t.yaml:4: tenant acme: tokens.issued_at: "yesterday": want a time`},
		{"token twice", entry("tokens: [{sha256: " + digestA + "}]\n  - id: b\n    tokens: [{sha256: " + digestA + "}]"), "t.yaml:5: tenant b: tokens: one of them is listed already, by tenant acme"},
		{"product", entry("products: {prematch: {}}"), "t.yaml:4: tenant acme: products.prematch: unknown key: want one of live_intelligence, market_engine"},
		{"starts", entry("products: {market_engine: {starts: 2026-13-01}}"), `t.yaml:4: tenant acme: products.market_engine.starts: "2026-13-01": want a time`},
		{"term", entry("products: {market_engine: {starts: 2027-01-01T00:00:00Z, expires: 2026-01-01T00:00:00Z}}"), "t.yaml:4: tenant acme: products.market_engine: expires before it starts"},
		{"feature", entry("features: {stats: true}"), "t.yaml:4: tenant acme: features.stats: unknown key"},
		{"feature value", entry("features: {momentum: maybe}"), "t.yaml:4: tenant acme: features.momentum: want true or false"},
		{"origin path", entry("origins: [https://a.example/]"), "t.yaml:4: tenant acme: origins: \"https://a.example/\": want scheme, host and port only"},
		{"origin wildcard", entry("origins: ['https://*.example']"), "want scheme, host and port only"},
		{"origin without ASCII", entry("origins: [https://exämple.com]"), "want scheme, host and port only"},
		{"origin of no port", entry("origins: ['https://a.example:99999']"), "want scheme, host and port only"},
		{"origin of no host", entry("origins: ['https://.example']"), "want scheme, host and port only"},
		{"merge key", entry("<<: {name: x}"), "t.yaml:4: tenant acme: anchors and aliases are not supported"},
		{"origin case", entry("origins: [https://A.example]"), "want scheme, host and port only"},
		{"origin port", entry("origins: ['https://a.example:443']"), "want scheme, host and port only"},
		{"limit", entry("rate_limit: {requests: 0}"), "t.yaml:4: tenant acme: rate_limit.requests: want a whole number from 1"},
		{"limit per", entry("rate_limit: {per: 60}"), "t.yaml:4: tenant acme: rate_limit.per: want a duration"},
		{"provider", entry("provider: {name: nobody, credential: x}"), `tenant acme: provider.name: "nobody": want betsapi, `},
		{"no credential", entry("provider: {name: betsapi}"), "t.yaml:4: tenant acme: provider.credential: is missing"},
		{"credential in clear", entry("provider: {name: betsapi, credential: " + secret + "}"), "t.yaml:4: tenant acme: provider.credential: is not sealed"},
		{"plain http", entry(sealed("base_url: http://example.com")), "provider.base_url: plain http is refused"},
		{"url with token", entry(sealed("base_url: https://example.com?token=" + secret)), "provider.base_url: want scheme, host, port and path only"},
		{"bookmaker of a provider that sells one", entry(sealed("bookmaker: pinnacle")), "t.yaml:7: tenant acme: provider.bookmaker: the provider betsapi sells the prices of one bookmaker"},
		{"cron", entry("schedule: {market_engine: hourly}"), `t.yaml:4: tenant acme: schedule.market_engine: "hourly": `},
		{"alias", "version: 1\ntenants:\n  - id: acme\n    name: &n x\n", "anchors and aliases are not supported"},
		{"control character", entry(`name: "a\nb"`), "t.yaml:4: tenant acme: name: want one line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := accounts.Parse("t.yaml", []byte(tt.yaml))
			var invalid *accounts.InvalidError
			if !errors.As(err, &invalid) {
				t.Fatalf("error = %v, want an InvalidError", err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v\nwant it to say %s", err, tt.want)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error repeats what may be a secret: %v", err)
			}
		})
	}
}

func entry(more string) string { return "version: 1\ntenants:\n  - id: acme\n    " + more + "\n" }

func sealed(more string) string {
	return "provider:\n      name: betsapi\n      credential: '-----BEGIN AGE ENCRYPTED FILE-----'\n      " + more
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := accounts.Parse("t.yaml", []byte(entry("status: X\n    origins: [nope]\n    features: 3")))
	if got := strings.Count(err.Error(), "\n") + 1; got != 3 {
		t.Errorf("%d problems told, want 3:\n%v", got, err)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenants.yaml")
	if _, err := accounts.Load(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := accounts.Load(path)
	if err != nil || fmt.Sprint(f.IDs()) != "[acme other]" {
		t.Errorf("Load = %v, %v", f, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("version: 1\ntenants: []\n"))
	f.Add([]byte("{version: 1, tenants: [{id: a, tokens: [{sha256: x}]}]}"))
	f.Add([]byte("version: 1\ntenants:\n  - &a {id: a}\n  - *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := accounts.Parse("t.yaml", data)
		var invalid *accounts.InvalidError
		if err != nil && (!errors.As(err, &invalid) || len(invalid.Problems) == 0) {
			t.Fatalf("not an InvalidError with problems: %v", err)
		}
		if err == nil {
			file.Accounts(time.Unix(0, 0))
		}
	})
}

// A day is its midnight in UTC, as in the commands.
func TestDayIsATime(t *testing.T) {
	f, err := accounts.Parse("t.yaml", []byte(entry("products: {market_engine: {expires: 2030-01-02}}")))
	if err != nil {
		t.Fatal(err)
	}
	if at := f.Tenants[0].Products[football.MarketEngine].Expires; at == nil || !at.Equal(time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("expires %v", at)
	}
}

// A pipe or a folder in place of the file is reported and does not block.
func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, pipe} {
		if _, err := accounts.Load(path); err == nil || err.Error() != path+": not a regular file" {
			t.Errorf("%v", err)
		}
	}
}
