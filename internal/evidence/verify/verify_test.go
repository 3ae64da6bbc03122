package verify_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"mkt/internal/evidence/verify"
	"mkt/internal/testing/check"
)

func TestClean(t *testing.T) {
	for name, of := range map[string]func() (testRoot, error){"markets": markets, "ticks": ticks} {
		h := built(t, of)
		for _, change := range []func(*verify.Options){nil, h.deep} {
			r := h.verify(t, change)
			if !r.Clean || r.Head == nil || r.Checked.Snapshots < 3 || r.Checked.Raw < 4 || r.Checked.Rows == 0 {
				t.Errorf("%s: %+v", name, r)
			}
			if change != nil && r.Checked.Rebuilt < 6 {
				t.Errorf("%s: %d remade; %v", name, r.Checked.Rebuilt, r.Notes)
			}
			t.Logf("%s: %+v %v", name, r.Checked, r.Notes)
		}
	}
}

// Every code that is reported has a description, and every code with one is reported.
func TestCodesAreExplained(t *testing.T) {
	sources, err := exec.Command("sh", "-c", "cat $(ls *.go | grep -v _test.go | grep -v finding.go)").Output()
	check.Must(t, err)
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
