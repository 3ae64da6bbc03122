// Package needs skips a test if the machine lacks something, or if the run is a quick one. No
// other package skips tests. Every reason begins with "needs", names the missing thing and the
// way to get it. Because .ci/summary.awk counts the reasons, no skipped test goes unnoticed.
package needs

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Time skips a test in a quick run (-short); make test-long runs it. The reason ends with the
// text in what, which describes the work of that time.
func Time(t testing.TB, what string) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs time (make test-long): " + what)
	}
}

// Shared returns the path of a file or folder in ../shared, which is next to the repository
// and not a part of it: recorded payloads, real matches, and the specification.
func Shared(t testing.TB, path ...string) string {
	t.Helper()
	name, ok := FindShared(path...)
	if !ok {
		t.Skip("needs " + filepath.ToSlash(filepath.Join("../shared", filepath.Join(path...))) + ", next to the repository")
	}
	return name
}

// FindShared is Shared for callers that skip in another way.
func FindShared(path ...string) (name string, ok bool) {
	name = filepath.Join(append([]string{module(), "..", "shared"}, path...)...)
	_, err := os.Stat(name)
	return name, err == nil
}

// module returns the folder of go.mod. Tests run in the folder of their package.
func module() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	panic("needs: no go.mod above the test")
}

// Node returns testdata/node/node_modules, which has the official Socket.IO client and
// server. make check-node installs it and sets CHECK_NODE; the test fails if it is missing
// then.
func Node(t testing.TB) string {
	t.Helper()
	name := filepath.Join(module(), "testdata", "node", "node_modules")
	_, err := os.Stat(name)
	switch asked := os.Getenv("CHECK_NODE") != ""; {
	case err != nil && asked:
		t.Fatal("testdata/node is not installed: ", err)
	case err != nil || !asked && testing.Short():
		t.Skip("needs the official Socket.IO client (make check-node)")
	}
	return name
}

// Program returns the path of a program; from says where it comes from.
func Program(t testing.TB, name, from string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("needs %s (%s)", name, from)
	}
	return path
}

// Python returns a Python that has the given modules, or skips the test.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	python := Program(t, "python3", "such as Debian's package python3")
	list := strings.Join(append(modules, "sys"), ", ")
	if err := exec.CommandContext(t.Context(), python, "-c", "import "+list).Run(); err != nil {
		t.Skipf("needs modules of Python (pip install %s)", strings.Join(modules, " "))
	}
	return python
}

// GoModules runs a go command that downloads the modules of an example in dir. This module does
// not use them. It skips the test if they cannot be downloaded.
func GoModules(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("needs modules of Go, from the module proxy or the cache: %v: %.300s", err, out)
	}
}

// Browser returns the result of [Node] and the program of a Chromium that Node can drive.
func Browser(t testing.TB) (modules, program string) {
	t.Helper()
	modules = Node(t)
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if program, err := exec.LookPath(name); err == nil {
			return modules, program
		}
	}
	t.Skip("needs a browser: Chromium, such as Debian's package chromium")
	return "", ""
}

// Env returns the value of an environment variable that is only set to run this test. usage
// describes the value.
func Env(t testing.TB, name, usage string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Skip("needs " + name + ": " + usage)
	}
	return value
}

// Root skips a test unless it runs as root.
func Root(t testing.TB, why string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: " + why)
	}
}

// Disk mounts a new file system of the given size, such as "500k", and returns its folder. The
// test fills it.
func Disk(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	unmount, err := MountDisk(dir, size)
	if err != nil {
		t.Skip("needs the right to mount a file system: " + err.Error())
	}
	t.Cleanup(unmount)
	return dir
}

// MountDisk is Disk for callers that skip in another way.
func MountDisk(dir, size string) (unmount func(), err error) {
	return mount(dir, "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir)
}

// ReadOnly makes a folder read-only, as the system does with a disk that has errors.
func ReadOnly(t testing.TB, dir string) {
	t.Helper()
	unmount, err := mount(dir, "--bind", dir, dir)
	if err == nil {
		t.Cleanup(unmount)
		_, err = mount(dir, "-o", "remount,ro,bind", dir)
	}
	if err != nil {
		t.Skip("needs the right to mount a file system: " + err.Error())
	}
}

func mount(dir string, args ...string) (unmount func(), err error) {
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mount: %w: %s", err, bytes.TrimSpace(out))
	}
	return func() { _ = exec.Command("umount", "-l", dir).Run() }, nil
}

// Loopback skips a test unless this machine has the given loopback address. Linux has every
// address of 127.0.0.0/8; other systems have only 127.0.0.1.
func Loopback(t testing.TB, address string) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Skip("needs the loopback address " + address + ": " + err.Error())
	}
	l.Close()
}
