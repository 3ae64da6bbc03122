package accounts_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mkt/internal/accounts"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/serve/account"
)

// byHand is a file as people write it: comments everywhere, blank lines, any order.
const byHand = `# Accounts of the staging system.
# Ask ops before you change a limit.
version: 1

tenants:
  # --- paying ---

  - id: acme # since 2024
    status: ACTIVE
    # their shop and their blog
    origins:
      - https://app.example.com # shop

      - https://blog.example.com
    products:
      market_engine: {} # no end

  - name: Other Ltd
    id: other
    status: ACTIVE
    provider: # the shared trial
      name: betsapi
      # until March
      credential: |
        -----BEGIN AGE ENCRYPTED FILE-----
        b2xk
        -----END AGE ENCRYPTED FILE-----
      hint: old1
# the end
`

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tenants.yaml")
	if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func edit(t *testing.T, path string, change func(*accounts.Editor) error) *accounts.File {
	t.Helper()
	f, err := accounts.Edit(t.Context(), path, change)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// of changes one tenant.
func of(id string, how func(*accounts.Tenant) error) func(*accounts.Editor) error {
	return func(e *accounts.Editor) error { return e.Change(id, how) }
}

// set is of a change that cannot fail.
func set(id string, how func(*accounts.Tenant)) func(*accounts.Editor) error {
	return of(id, func(t *accounts.Tenant) error { how(t); return nil })
}

func raw(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var sealLines = regexp.MustCompile(`(?m)^(\x{FEFF}?)# mkt: (sealed, |end of ).*\n`)

// content is the text of a file without its seal.
func content(t *testing.T, path string) string {
	t.Helper()
	return sealLines.ReplaceAllString(raw(t, path), "$1")
}

// lines is a text without its blank lines: an edit keeps those before an account and no others.
func lines(text string) string {
	return regexp.MustCompile(`(?m)^\s*\n`).ReplaceAllString(text, "")
}

var issued = time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)

func TestEditKeepsCommentsAndOrder(t *testing.T) {
	path := write(t, byHand)
	edit(t, path, func(e *accounts.Editor) error { return nil })
	if diff := cmp.Diff(byHand, content(t, path)); diff != "" {
		t.Fatalf("an edit that changes nothing changed:\n%s", diff)
	}
	expires := issued.AddDate(1, 0, 0)
	f := edit(t, path, func(e *accounts.Editor) error {
		return errors.Join(
			e.Change("acme", func(t *accounts.Tenant) error {
				return t.AddToken(accounts.Token{Digest: [32]byte{0xab}, Hint: "wxyz", IssuedAt: issued})
			}),
			e.Change("other", func(t *accounts.Tenant) error {
				t.Provider = &accounts.Provider{Name: "betsapi", BaseURL: "http://127.0.0.1:1", AllowPrivateAddress: true,
					Hint: "new2", Credential: "-----BEGIN AGE ENCRYPTED FILE-----\nbmV3\n-----END AGE ENCRYPTED FILE-----"}
				return nil
			}),
			e.Add(accounts.Tenant{ID: "third", Name: "7", Status: account.Active, Limit: account.DefaultLimit, Features: map[string]bool{"advanced_stats": true},
				Products: map[football.Product]account.Subscription{football.MarketEngine: {Expires: &expires}, football.LiveIntelligence: {}}}),
		)
	})
	want := strings.NewReplacer(
		"{} # no end\n", "{} # no end\n    tokens:\n      - sha256: ab00000000000000000000000000000000000000000000000000000000000000\n        hint: wxyz\n        issued_at: 2026-11-20T09:07:00Z\n",
		"|\n        -----BEGIN AGE ENCRYPTED FILE-----\n        b2xk", "|-\n        -----BEGIN AGE ENCRYPTED FILE-----\n        bmV3",
		"hint: old1\n", "hint: new2\n      base_url: http://127.0.0.1:1\n      allow_private_address: true\n"+
			"  - id: third\n    name: \"7\"\n    status: ACTIVE\n    products:\n      live_intelligence: {}\n      market_engine:\n        expires: 2027-11-20T09:07:00Z\n    features:\n      advanced_stats: true\n",
	).Replace(byHand)
	if diff := cmp.Diff(lines(want), lines(content(t, path))); diff != "" {
		t.Errorf("edited file (-want +got):\n%s", diff)
	}
	if third, _ := f.Tenant("third"); third.Name != "7" {
		t.Errorf("name read back as %q", third.Name)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("mode = %v, want it kept", info.Mode())
	}
}

// Comments stay in their places under the line ends and the byte order mark of other editors, which
// an edit does not keep.
func TestEditOfOtherLineEnds(t *testing.T) {
	for name, as := range map[string]func(string) string{
		"line ends of Windows": func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"byte order mark":      func(s string) string { return "\ufeff" + s },
	} {
		path := write(t, as(kept))
		edit(t, path, of("acme", func(t *accounts.Tenant) error { return t.SetStatus(account.Active) }))
		if diff := cmp.Diff(lines(strings.Replace(kept, "SUSPENDED", "ACTIVE", 1)), lines(content(t, path))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestEditFirstTenant(t *testing.T) {
	for _, empty := range []string{"version: 1\ntenants: []\n", "version: 1\ntenants:\n", "version: 1\n"} {
		path := write(t, empty)
		edit(t, path, func(e *accounts.Editor) error { return e.Add(accounts.Tenant{ID: "a", Status: account.Active}) })
		if got, want := content(t, path), "version: 1\ntenants:\n  - id: a\n    status: ACTIVE\n    products: {}\n"; got != want {
			t.Errorf("from %q got\n%s", empty, got)
		}
	}
}

func TestEditRefusals(t *testing.T) {
	tests := []struct {
		name, before, want string
		change             func(*accounts.Editor) error
	}{
		{"tenant exists", byHand, "tenant acme exists already", func(e *accounts.Editor) error { return e.Add(accounts.Tenant{ID: "acme"}) }},
		{"invalid before", "version: 3\n", "version: is 3: this build of mkt reads 1", func(e *accounts.Editor) error { return nil }},
		{"invalid after", byHand, "the edit would make the file invalid", func(e *accounts.Editor) error { return e.Add(accounts.Tenant{ID: "No", Status: "X"}) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.before)
			_, err := accounts.Edit(t.Context(), path, tt.change)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want it to say %s", err, tt.want)
			}
			if content(t, path) != tt.before {
				t.Error("the file changed")
			}
		})
	}
}

// A blank line in a value stays, and an account is separated from the one before.
func TestEditBlankLineInValue(t *testing.T) {
	const armored = "-----BEGIN AGE ENCRYPTED FILE-----\n\nYQ\n-----END AGE ENCRYPTED FILE-----"
	path := write(t, "version: 1\n\ntenants:\n  - id: a\n    provider:\n      name: betsapi\n      credential: |\n        "+
		strings.ReplaceAll(armored, "\n", "\n        ")+"\n")
	edit(t, path, of("a", func(t *accounts.Tenant) error { return t.AddToken(accounts.Token{IssuedAt: issued}) }))
	f, err := accounts.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Tenants[0].Provider.Credential != armored {
		t.Errorf("credential = %q", f.Tenants[0].Provider.Credential)
	}
	edit(t, path, func(e *accounts.Editor) error { return e.Add(accounts.Tenant{ID: "b", Status: account.Active}) })
	if text := content(t, path); !strings.Contains(text, "-----\n    tokens:\n") || !strings.Contains(text, "\n\n  - id: b\n") {
		t.Errorf("the file is\n%s", text)
	}
}

func TestEditLocked(t *testing.T) {
	path := write(t, byHand)
	root, err := durable.OpenRoot(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := root.Lock("tenants.yaml.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // does not wait as long as an edit does
	defer cancel()
	_, err = accounts.Edit(ctx, path, func(*accounts.Editor) error { return nil })
	if !errors.Is(err, durable.ErrLocked) || !strings.Contains(err.Error(), "another command edits the accounts; try again later") {
		t.Errorf("error = %v, want ErrLocked", err)
	}
}

// TestEditKilled stops an edit at every file operation, with and without unsynced data: the file is
// the old or the new one, and a successful edit is kept.
func TestEditKilled(t *testing.T) {
	add := func(e *accounts.Editor) error { return e.Add(accounts.Tenant{ID: "new", Status: account.Active}) }
	for _, keep := range []float64{0, 0.5, 1} {
		for seed := range uint64(3) {
			for k := 1; ; k++ {
				mem := durabletest.NewMem()
				if err := durable.Create(mem, "tenants.yaml", durable.Bytes([]byte(byHand))); err != nil {
					t.Fatal(err)
				}
				wrapped := durabletest.Wrap(mem, durabletest.KillAt(k))
				_, err := accounts.EditIn(t.Context(), wrapped, "tenants.yaml", "tenants.yaml", add)
				after := mem.PowerCut(keep, seed)
				left, lost := durable.ReadFile(after, "tenants.yaml", 1<<20)
				if lost != nil {
					t.Fatalf("operation %d: %v", k, lost)
				}
				f, bad := accounts.Parse("tenants.yaml", left)
				if bad != nil {
					t.Fatalf("operation %d: %v", k, bad)
				}
				if _, there := f.Tenant("new"); err == nil && !there {
					t.Fatalf("operation %d: acknowledged and lost", k)
				}
				nothingIsLeft(t, after)
				if wrapped.Ops() < k {
					break
				}
			}
		}
	}
}

// nothingIsLeft edits once more and looks for files that killed edits left.
func nothingIsLeft(t *testing.T, f durable.FS) {
	t.Helper()
	_, err := accounts.EditIn(t.Context(), f, "tenants.yaml", "tenants.yaml", of("acme", func(t *accounts.Tenant) error { return t.SetStatus(account.Suspended) }))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := f.ReadDir(".")
	for _, e := range entries {
		if _, temp := durable.TempOf(e.Name()); temp || err != nil {
			t.Fatalf("%s is left, %v", e.Name(), err)
		}
	}
}
