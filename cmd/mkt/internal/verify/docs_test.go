package verify_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/verify"
)

// Every code has its line in the page for operators, and is reported somewhere.
func TestCodesAreExplained(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/operators.md")
	must(t, err)
	for code, means := range verify.Codes() {
		if !strings.Contains(string(page), "| `"+code+"` | "+means+" |") {
			t.Errorf("docs/operators.md has no line for %s: %s", code, means)
		}
	}
	sources, err := exec.Command("sh", "-c", "cat $(ls *.go | grep -v _test.go | grep -v finding.go)").Output()
	must(t, err)
	for _, used := range regexp.MustCompile(`"([A-Z]+_[A-Z_]+)"`).FindAllStringSubmatch(string(sources), -1) {
		if _, ok := verify.Codes()[used[1]]; !ok {
			t.Errorf("%s is reported and has no description", used[1])
		}
	}
	for code := range verify.Codes() {
		if !strings.Contains(string(sources), `"`+code+`"`) {
			t.Errorf("%s is never reported", code)
		}
	}
}
