package lake

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

var temp string // removed after the tests

func TestMain(m *testing.M) {
	var err error
	if temp, err = os.MkdirTemp("", "mkt-lake-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(temp)
	os.Exit(code)
}

// roots has the data roots after each round of cycles of both products, made by the real
// binary on the simulator. Tests copy what they change.
var roots = sync.OnceValues(func() (roots [4]string, err error) {
	bin := filepath.Join(temp, "mkt")
	build := exec.Command("go", "build", "-o", bin, "./cmd/mkt")
	build.Dir, build.Stderr = "..", os.Stderr
	if err := build.Run(); err != nil {
		return roots, err
	}
	home := filepath.Join(temp, "home")
	run := func(stdin string, args ...string) {
		if err != nil {
			return
		}
		cmd := exec.Command(bin, args...)
		cmd.Dir, cmd.Stdin, cmd.Stderr = home, strings.NewReader(stdin), os.Stderr
		err = cmd.Run()
	}
	if err := os.Mkdir(home, 0o755); err != nil {
		return roots, err
	}
	run("", "init")
	simulator := exec.Command(bin, "simulate", "--listen", "127.0.0.1:0", "--fixtures", "5", "--in-play", "3", "--speed", "2000", "--output", "json")
	simulator.Dir = home
	out, pipeErr := simulator.StdoutPipe()
	if err != nil || pipeErr != nil || simulator.Start() != nil {
		return roots, err
	}
	defer func() {
		simulator.Process.Kill()
		simulator.Wait()
	}()
	var ready struct {
		BaseURL string `json:"base_url"`
		Token   string `json:"token"`
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	if err := json.Unmarshal(lines.Bytes(), &ready); err != nil {
		return roots, err
	}
	run("", "tenant", "add", "acme", "--product", "market_engine", "--product", "live_intelligence")
	run(ready.Token, "provider", "set", "acme", "--provider", "betsapi", "--base-url", ready.BaseURL, "--allow-private-address")
	for i := range roots {
		time.Sleep(time.Second) // a cycle is named by its second
		run("", "cycle", "--tenant", "acme")
		roots[i] = filepath.Join(temp, "root", string(rune('0'+i)))
		if err == nil {
			err = os.CopyFS(roots[i], os.DirFS(filepath.Join(home, "data")))
		}
	}
	return roots, err
})

// dataRoot returns the data root after a number of rounds, from 1.
func dataRoot(t *testing.T, rounds int) string {
	t.Helper()
	all, err := roots()
	if err != nil {
		t.Fatal("the data root: ", err)
	}
	return all[rounds-1]
}

// copyOf returns a copy of a data root that the test may change.
func copyOf(t *testing.T, root string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	return to
}

func productDir(root string, product football.Product) string {
	return filepath.Join(root, filepath.FromSlash(layout.TenantProduct("acme", string(product))))
}

func optionsFor(t *testing.T, root, lake string, product football.Product) Options {
	t.Helper()
	disk, err := durable.OpenExisting(productDir(root, product))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disk.Close() })
	return Options{ClientID: "acme", Product: product, Root: disk, Lake: lake}
}

func mustSync(t *testing.T, root, lake string, product football.Product) Summary {
	t.Helper()
	sum, err := Sync(t.Context(), optionsFor(t, root, lake, product))
	if err != nil {
		t.Fatalf("sync of %s: %v", product, err)
	}
	return sum
}
