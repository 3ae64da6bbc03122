package packages_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"mkt/internal/testing/check"
)

// TestVersion: the files of a release have the version that its tag and the program say; other
// commits and trees are marked as such, and a tag that says something else is refused.
func TestVersion(t *testing.T) {
	script, err := filepath.Abs("version.sh")
	check.Must(t, err)
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-11-30T01:00:00+02:00")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	is := func(want string) {
		t.Helper()
		cmd := exec.Command(script, "0.2.0")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if got := string(out); (err != nil) != (want[0] == 'r') || !regexp.MustCompile(`^`+want+`\n$`).MatchString(got) {
			t.Errorf("%q, %v; want %s", got, err, want)
		}
	}
	change := func(text string) { check.Must(t, os.WriteFile(filepath.Join(dir, "file"), []byte(text), 0o600)) }
	const commit = `20261129230000\.[0-9a-f]{12}`
	change("1")
	git("init", "-q")
	git("add", "file")
	git("commit", "-q", "-m", "one")
	is(`0\.2\.0~` + commit)
	change("2")
	is(`0\.2\.0~` + commit + `\.dirty`)
	git("tag", "v0.2.0")
	is(`release: commit [0-9a-f]{12} has the tag v0\.2\.0, and the tree has changes that are in no commit: git status`)
	git("checkout", "-q", "file")
	is(`0\.2\.0`)
	git("tag", "v0.3.0")
	is(`release: commit [0-9a-f]{12} has the tag v0\.3\.0, and the program says 0\.2\.0 .*`)
	git("commit", "-q", "--allow-empty", "-m", "two")
	is(`0\.2\.0\+` + commit)
}
