package socketio_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mkt/internal/testing/needs"
)

// The official client talks to the echo program over each transport, and raw conversations
// with it are compared with the official server's. make check-node installs both.
func TestNodeOfficial(t *testing.T) {
	modules := needs.Node(t)
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("testdata/official")))
	must(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	echo := filepath.Join(dir, "echo")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", echo, "./echo").CombinedOutput(); err != nil {
		t.Fatalf("build the echo program: %v\n%s", err, out)
	}
	for _, file := range []string{"wire.test.mjs", "client.test.mjs"} {
		t.Run(file, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "node", "--test", "--test-force-exit", "--test-reporter=spec", file)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "ECHO="+echo)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
