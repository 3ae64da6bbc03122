package parquetfile

import (
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"mkt/internal/testing/needs"
)

// The reproduction for the library in docs/upstream shows what it says. If it does not after an
// update, the library has the checks of [pageReader], and its own reader may do.
func TestLibraryAllocates(t *testing.T) {
	needs.Time(t, "a program that is compiled and allocates a gibibyte")
	out, err := exec.Command("go", "run", "../../../docs/upstream/page_header.go").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	most := 0
	for _, m := range regexp.MustCompile(`(\d+) MiB allocated`).FindAllSubmatch(out, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		most = max(most, n)
	}
	if most < 256 {
		t.Errorf("docs/upstream/parquet-go.md is no longer true:\n%s", out)
	}
}
