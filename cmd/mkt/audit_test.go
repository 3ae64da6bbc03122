package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mkt/internal/testing/check"
)

// Every command that changes an account uses editTenants, which logs the change. The demo only
// changes accounts that it made itself.
func TestEditsAreLogged(t *testing.T) {
	files, err := filepath.Glob("internal/cli/*/*.go")
	check.Must(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "internal/cli/demo/accounts.go" {
			continue
		}
		text, err := os.ReadFile(name)
		check.Must(t, err)
		for _, verb := range []string{"accounts.Edit(", "accounts.EditIn(", "accounts.EditLogged("} {
			if strings.Contains(string(text), verb) {
				t.Errorf("%s calls %s): use editTenants, so that the change is logged", name, verb)
			}
		}
	}
}
