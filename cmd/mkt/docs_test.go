package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocumentedMetrics: docs/operators.md names every metric, and no other.
func TestDocumentedMetrics(t *testing.T) {
	name := regexp.MustCompile(`\bmkt_[a-z_]+[a-z]\b`)
	literal := regexp.MustCompile(`"(mkt_[a-z_]+)"`)
	declared := map[string]bool{}
	for _, pattern := range []string{"internal/cli/*/*.go", "../../serve/*.go", "../../serve/admin/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range literal.FindAllStringSubmatch(string(text), -1) {
				declared[m[1]] = true
			}
		}
	}
	text, err := os.ReadFile("../../docs/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Health and metrics\n")
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string]bool{}
	for _, m := range name.FindAllString(section, -1) {
		for _, of := range []string{"_bucket", "_sum", "_count"} { // parts of a histogram
			if whole := strings.TrimSuffix(m, of); declared[whole] {
				m = whole
			}
		}
		documented[m] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(declared)), slices.Sorted(maps.Keys(documented))); diff != "" {
		t.Errorf("metrics (-there are, +documented):\n%s", diff)
	}
}
