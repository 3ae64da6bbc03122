package needs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// No other package skips tests, and the reason for which a script skips begins with needs as well.
func TestSkipsAreHere(t *testing.T) {
	const top = "../../.."
	skips := map[string]*regexp.Regexp{
		".go":    regexp.MustCompile(`\b[tb]\.(Skip|Skipf|SkipNow)\(`),
		".txtar": regexp.MustCompile(`^(\[[^\]]*\]\s*)*skip\b`),
	}
	seen := 0
	err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() && (name == "../../../internal/testing/needs" || e.Name() == "node_modules" || e.Name() == ".git") {
			return filepath.SkipDir
		}
		skip := skips[filepath.Ext(name)]
		if err != nil || e.IsDir() || skip == nil {
			return err
		}
		seen++
		text, err := os.ReadFile(name)
		for number, line := range strings.Split(string(text), "\n") {
			if skip.MatchString(line) && !strings.Contains(line, "skip 'needs ") {
				t.Errorf("%s:%d: %s: a test is skipped by package needs, a script with a reason that begins with needs", name, number+1, strings.TrimSpace(line))
			}
		}
		return err
	})
	if err != nil || seen < 100 {
		t.Error(seen, err)
	}
}
