package scratch_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mkt/internal/scratch"
)

// TestMain is also the process that creates a folder and is killed.
func TestMain(m *testing.M) {
	if parent := os.Getenv("SCRATCH_TEST_PARENT"); parent != "" {
		f, err := scratch.Make(parent, "mkt-test-")
		if err == nil {
			err = os.WriteFile(filepath.Join(f.Dir, "content"), nil, 0o600)
		}
		fmt.Println(err)
		select {}
	}
	os.Exit(m.Run())
}

func folders(t *testing.T, parent string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFolderOfAKilledProcessIsRemoved(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"mkt-other-1", "mkt-test-file"} { // must stay: another prefix, and a new folder without a lock
		if err := os.Mkdir(filepath.Join(parent, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	killed := exec.Command(os.Args[0])
	killed.Env = append(os.Environ(), "SCRATCH_TEST_PARENT="+parent)
	out, err := killed.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "<nil>\n" {
		t.Fatalf("%q, %v", line, err)
	}
	first, err := scratch.Make(parent, "mkt-test-")
	if err != nil {
		t.Fatal(err)
	}
	if got := folders(t, parent); len(got) != 4 {
		t.Errorf("while the other process runs: %q", got)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.Wait()
	second, err := scratch.Make(parent, "mkt-test-")
	if err != nil {
		t.Fatal(err)
	}
	if got := folders(t, parent); len(got) != 4 || !strings.Contains(strings.Join(got, " "), filepath.Base(first.Dir)) {
		t.Errorf("after the other process was killed: %q", got)
	}
	for _, f := range []*scratch.Folder{first, second} {
		if err := f.Remove(); err != nil {
			t.Error(err)
		}
	}
	if got := folders(t, parent); len(got) != 2 {
		t.Errorf("left behind: %q", got)
	}
}
