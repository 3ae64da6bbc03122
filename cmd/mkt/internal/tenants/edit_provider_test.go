package tenants_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/tenants"
)

func TestProviderIsSwitchedOffAndOn(t *testing.T) {
	const before = `version: 1
tenants:
  # the first one
  - id: acme # our best
    products: {}
    provider:
      name: betsapi # since May
      hint: '****7f1a'
      credential: |
        -----BEGIN AGE ENCRYPTED FILE-----
        YQ==
        -----END AGE ENCRYPTED FILE-----

  - id: beta
    products: {}
    provider: null
`
	path := filepath.Join(t.TempDir(), "tenants.yaml")
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	turn := func(id string, off bool) (*tenants.File, error) {
		return tenants.Edit(t.Context(), path, func(e *tenants.Editor) error { return e.SetProviderDisabled(id, off) })
	}
	for range 2 { // the second time changes nothing
		f, err := turn("acme", true)
		if err != nil || !f.Tenants[0].Provider.Disabled || f.Tenants[0].Provider.Hint != "****7f1a" {
			t.Fatalf("%+v, %v", f, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "disabled: true") != 1 {
		t.Errorf("%v\n%s", err, text)
	}
	for range 2 {
		if f, err := turn("acme", false); err != nil || f.Tenants[0].Provider.Disabled {
			t.Fatalf("%+v, %v", f, err)
		}
	}
	if text := content(t, path); lines(text) != lines(before) {
		t.Errorf("the file is another one:\n%s", text)
	}
	for _, id := range []string{"beta", "gamma"} {
		if _, err := turn(id, true); err == nil || !strings.Contains(err.Error(), id) {
			t.Errorf("%s: %v", id, err)
		}
	}
}
