package accounts_test

import (
	"errors"
	"strings"
	"testing"

	"mkt/internal/accounts"
	"mkt/serve/account"
)

const three = `version: 1
tenants:
  - id: acme
    status: ACTIVE
    tokens:
      - sha256: ` + digestA + `
        hint: x9Yz
    products:
      market_engine: {}
    rate_limit: {requests: 60000, per: 1m, burst: 500}

  - id: beta
    provider:
      name: betsapi
      credential: |
        -----BEGIN AGE ENCRYPTED FILE-----
        YWdl
        YWdl
        -----END AGE ENCRYPTED FILE-----
      disabled: true
    origins:
      - https://a.example
      - https://b.example
  - id: gamma
    name: Gamma
    status: SUSPENDED
    products:
      market_engine:
        expires: 2027-01-01T00:00:00Z
    rate_limit:
      requests: 6000
`

func parse(t *testing.T, text string) *accounts.File {
	t.Helper()
	f, err := accounts.Parse("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTruncatedSealedFileIsRefused(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		whole := strings.ReplaceAll(seal(t, three), "\n", end) // git may write other line ends
		if f := parse(t, whole); f.Seal() != accounts.Sealed || f.SealedAccounts() != 3 {
			t.Fatalf("seal %v of %d accounts", f.Seal(), f.SealedAccounts())
		}
		for at := range len(whole) - len(end) {
			if f, err := accounts.Parse("t.yaml", []byte(whole[:at])); err == nil {
				t.Errorf("cut off at byte %d it is valid, with %v", at, f.IDs())
			}
		}
		cut := whole[:strings.Index(whole, "  - id: gamma")]
		if _, err := accounts.Parse("t.yaml", []byte(cut)); err == nil || !strings.HasPrefix(err.Error(), "t.yaml: is cut off: its first line says that it is sealed") {
			t.Errorf("error = %v", err)
		}
	}
}

// A truncated file without a seal removes nothing that is in force.
func TestTruncatedUnsealedFileRemovesNothing(t *testing.T) {
	inForce := parse(t, three)
	next := strings.NewReplacer("requests: 60000", "requests: 70000", "id: beta\n", "id: beta\n    name: Beta\n", "Gamma", "Gamma Ltd",
		"requests: 6000\n", "requests: 7000\n  - id: delta\n").Replace(three)
	valid := 0
	for at := range len(next) {
		f, err := accounts.Parse("t.yaml", []byte(next[:at]))
		if err != nil {
			continue
		}
		valid++
		if f.Replaces(inForce) != nil {
			continue
		}
		gamma, _ := f.Tenant("gamma")
		if len(f.Tenants) < 3 || len(f.Tenants[0].Tokens) != 1 || f.Tenants[1].Provider == nil || !f.Tenants[1].Provider.Disabled || len(f.Tenants[1].Origins) != 2 ||
			gamma.Status != account.Suspended || gamma.Limit.Requests != 7000 || len(gamma.Products) != 1 {
			t.Errorf("cut off at byte %d it is in force: %+v", at, f.Tenants)
		}
	}
	if valid < 100 {
		t.Errorf("only %d places to cut it are valid", valid)
	}
	if err := parse(t, next).Replaces(inForce); err != nil {
		t.Errorf("the whole file: %v", err)
	}
}

// What an edit by hand may change without a seal, and what not.
func TestReplaces(t *testing.T) {
	whole := seal(t, three)
	inForce := parse(t, whole)
	remove := func(text string) func(string) string {
		return func(s string) string { return strings.Replace(s, text, "", 1) }
	}
	replace := func(old, text string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, text, 1) }
	}
	for _, c := range []struct {
		name   string
		change func(string) string
		want   string // "": put in force
	}{
		{"suspend", replace("ACTIVE", "SUSPENDED"), ""},
		{"revoke the last", replace("SUSPENDED", "REVOKED"), ""},
		{"limit", replace("60000", "1"), ""},
		{"comment", replace("tenants:", "# theirs\ntenants:"), ""},
		{"other order", replace("    name: Gamma\n    status: SUSPENDED\n", "    status: SUSPENDED\n    name: Gamma\n"), ""},
		{"add", replace("  - id: beta", "  - id: new\n  - id: beta"), ""},
		{"add below the seal", func(s string) string { return s + "  - id: new\n" }, ""},
		{"add below the seal, cut off", func(s string) string { return s + "  - id: new" }, "t.yaml: its last line has no end"},
		{"other format of a credential", replace("credential: |", "credential: |+"), ""},
		{"account", remove("  - id: gamma\n    name: Gamma\n    status: SUSPENDED\n    products:\n      market_engine:\n        expires: 2027-01-01T00:00:00Z\n    rate_limit:\n      requests: 6000\n"),
			"t.yaml: tenant gamma: is in force, and not in the file any more"},
		{"all accounts", func(string) string { return "version: 1\ntenants: []\n" }, "t.yaml: tenant acme: is in force"},
		{"token", replace(digestA, strings.Repeat("b", 64)), "tenant acme: tokens: one that is in force is not in the file"},
		{"product", remove("    products:\n      market_engine: {}\n"), "tenant acme: products: is in force"},
		{"status", remove("    status: SUSPENDED\n"), "tenant gamma: status: is in force"},
		{"term", remove("        expires: 2027-01-01T00:00:00Z\n"), "tenant gamma: products.market_engine.expires: is in force"},
		{"origin", remove("      - https://a.example\n"), "tenant beta: origins: one that is in force"},
		{"credential", replace("YWdl", "YWdm"), "tenant beta: provider.credential: is another one"},
		{"switched on", remove("      disabled: true\n"), "tenant beta: provider.disabled: is in force"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.change(whole)
			f := parse(t, text)
			if f.Seal() == accounts.Sealed {
				t.Fatal("the seal holds for a text that was changed")
			}
			err := f.Replaces(inForce)
			var invalid *accounts.InvalidError
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &invalid) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "mkt tenant validate --seal")) {
				t.Errorf("error = %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), digestA) {
				t.Errorf("the error has a digest: %v", err)
			}
			again := parse(t, seal(t, text))
			if err := again.Replaces(inForce); err != nil || again.Seal() != accounts.Sealed || again.SealedAccounts() != len(again.Tenants) {
				t.Errorf("sealed: %v", err)
			}
		})
	}
}

// Sealing changes only the two lines of the seal.
func TestSealKeepsTheText(t *testing.T) {
	for _, text := range []string{byHand, three, whole, "version:    1\ntenants:   [{id: a}]"} {
		path := write(t, text)
		before := parse(t, text)
		for range 2 {
			f := edit(t, path, func(*accounts.Editor) error { return nil })
			if f.Seal() != accounts.Sealed || f.Sum() != before.Sum() && strings.HasSuffix(text, "\n") {
				t.Errorf("%.20q: seal %v, another sum: %v", text, f.Seal(), f.Sum() != before.Sum())
			}
			if got := content(t, path); strings.TrimSpace(got) != strings.TrimSpace(text) {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

// Files that would exhaust memory, or use tags, are refused with a reason.
func TestRefusedFiles(t *testing.T) {
	for want, text := range map[string]string{
		"t.yaml:4: this YAML tag is not supported":                          entry("name: !!python/object/apply:os.system [a]"),
		"t.yaml:4: this YAML tag is not supported: write":                   entry("name: !!str 7"),
		"t.yaml:1: this YAML tag is not supported":                          "!mine\nversion: 1\ntenants: []\n",
		"t.yaml:4: tenant acme: name: is longer than 4096 bytes":            entry("name: " + strings.Repeat("x", 5000)),
		"t.yaml:4: tenant acme: provider.credential: is longer than 64 KiB": entry("provider: {name: betsapi, credential: '-----BEGIN AGE ENCRYPTED FILE-----" + strings.Repeat("x", 1<<17) + "'}"),
		"t.yaml:4: tenant acme: provider.credential: is cut off":            entry("provider: {name: betsapi, credential: '-----BEGIN AGE ENCRYPTED FILE----- YWdl'}"),
	} {
		_, err := accounts.Parse("t.yaml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error = %.200v\nwant %s", err, want)
		}
	}
}
