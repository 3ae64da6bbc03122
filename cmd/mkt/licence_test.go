package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mkt/internal/testing/check"
)

// TestLicenceFields: every field that machines read has the identifier of LICENSE, docs/licence-choice.md
// names every file in which one is, and while no licence is chosen, the texts say so. What make release
// writes besides takes the identifier from LICENSE.
func TestLicenceFields(t *testing.T) {
	read := func(file string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("../..", file))
		check.Must(t, err)
		return string(text)
	}
	find := func(file, pattern string) string {
		t.Helper()
		all := regexp.MustCompile("(?m)"+pattern).FindAllStringSubmatch(read(file), -1)
		if len(all) != 1 {
			t.Fatalf("%s: %d fields match %s", file, len(all), pattern)
		}
		return all[0][1]
	}
	want := find("LICENSE", `^SPDX-License-Identifier: (.+)$`)
	page := read("docs/licence-choice.md")
	for file, pattern := range map[string]string{
		"docs/openapi.yaml":                        `^  license: \{ name: .*, identifier: (.+) \}$`,
		"docs/openapi-history.yaml":                `^  license: \{ name: .*, identifier: (.+) \}$`,
		"docs/asyncapi.yaml":                       `^  license: \{ name: (.+) \}$`,
		"scripts/packages/nfpm.yaml":               `^license: (.+)$`,
		"deploy/chart/Chart.yaml":                  `^  artifacthub.io/license: (.+)$`,
		"examples/clients/typescript/package.json": `^  "license": "(.+)",$`,
	} {
		if got := find(file, pattern); got != want {
			t.Errorf("%s says %s, LICENSE %s", file, got, want)
		}
		if !strings.Contains(page, "`"+file+"`") {
			t.Errorf("docs/licence-choice.md does not name %s", file)
		}
	}
	chosen := want != "LicenseRef-All-Rights-Reserved"
	for _, file := range []string{"README.md", "CONTRIBUTING.md"} {
		text := strings.Join(strings.Fields(read(file)), " ")
		if strings.Contains(text, "The owner has not chosen a [licence](LICENSE) yet") == chosen {
			t.Errorf("%s says something else than LICENSE about whether a licence is chosen", file)
		}
		if !strings.Contains(page, "`"+file+"`") {
			t.Errorf("docs/licence-choice.md does not name %s", file)
		}
	}
}
