package servers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// MKT returns the path of the program mkt. It is in the variable MKT_CLUSTER_BINARY, which the
// Makefile sets; otherwise each process builds it once from the module around this one.
var MKT = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("MKT_CLUSTER_BINARY"); path != "" {
		return filepath.Abs(path) // processes run in folders of their own
	}
	top, err := Top()
	if err != nil {
		return "", err
	}
	path := filepath.Join(top, "bin", "mkt-cluster")
	build := exec.Command("go", "build", "-o", path, "./cmd/mkt")
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build mkt: %w: %s", err, out)
	}
	return path, nil
})

// Top returns the folder of the module mkt, above this module.
func Top() (string, error) {
	file, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	return filepath.Dir(filepath.Dir(string(bytes.TrimSpace(file)))), nil
}
