package scratch_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"mkt/internal/scratch"
	"mkt/internal/testing/check"
)

var must = check.Must

// TestMain is also the process that creates a folder and is killed.
func TestMain(m *testing.M) {
	if parent := os.Getenv("SCRATCH_TEST_PARENT"); parent != "" {
		f, err := scratch.Make(parent, "mkt-test-")
		if err == nil {
			err = os.WriteFile(filepath.Join(f.Dir, "content"), nil, 0o600)
		}
		fmt.Println(err)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed; select{} would be a deadlock, at which the runtime ends the process
		runtime.KeepAlive(f)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func folders(t *testing.T, parent string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(parent)
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFolderOfAKilledProcessIsRemoved(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{"mkt-other-1", "mkt-test-file"} { // must stay: another prefix, and a new folder without a lock
		must(t, os.Mkdir(filepath.Join(parent, name), 0o700))
	}
	killed := exec.Command(os.Args[0])
	killed.Env = append(os.Environ(), "SCRATCH_TEST_PARENT="+parent)
	_, err := killed.StdinPipe()
	must(t, err)
	out, err := killed.StdoutPipe()
	must(t, err)
	must(t, killed.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "<nil>\n" {
		t.Fatalf("%q, %v", line, err)
	}
	first, err := scratch.Make(parent, "mkt-test-")
	must(t, err)
	if got := folders(t, parent); len(got) != 4 {
		t.Errorf("while the other process runs: %q", got)
	}
	must(t, killed.Process.Kill())
	killed.Wait()
	second, err := scratch.Make(parent, "mkt-test-")
	must(t, err)
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

// Processes that make folders at the same time, and sweep before, leave each other's.
func TestMakeWhileOthersSweep(t *testing.T) {
	parent := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				f, err := scratch.Make(parent, "mkt-test-")
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(f.Dir, "content"), nil, 0o600); err != nil {
					t.Error(err)
				}
				if err := f.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
