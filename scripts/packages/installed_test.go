// Package packages_test installs the packages and runs the images that make packages and make
// image built. It runs only for make check-packages.
package packages_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mkt/internal/testing/needs"
)

// inSandbox runs a script of this folder in a copy of the machine that is thrown away.
func inSandbox(t *testing.T, script ...string) {
	t.Helper()
	needs.Env(t, "CHECK_PACKAGES", "1, to install what make packages and make image built (make check-packages)")
	needs.Root(t, "installs packages in a copy of this machine")
	cmd := exec.Command("scripts/packages/sandbox.sh", script...)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}

func TestInstalledDeb(t *testing.T) {
	needs.Program(t, "dpkg", "Debian")
	inSandbox(t, "scripts/packages/try-deb.sh")
}

func TestInstalledRPM(t *testing.T) {
	needs.Program(t, "rpm", "Debian's package rpm")
	inSandbox(t, "scripts/packages/try-rpm.sh")
}

func TestInstalledImage(t *testing.T) {
	needs.Program(t, "umoci", "Debian's package umoci")
	inSandbox(t, "scripts/packages/try-image.sh", "amd64")
}

func TestInstalledImageOfARM64(t *testing.T) {
	needs.Program(t, "umoci", "Debian's package umoci")
	needs.Program(t, "qemu-aarch64-static", "Debian's package qemu-user-static")
	needs.Program(t, "aarch64-linux-gnu-g++", "Debian's package g++-aarch64-linux-gnu")
	inSandbox(t, "scripts/packages/try-image.sh", "arm64")
}

// Two packages of the same content have the same bytes.
func TestInstalledIsReproducible(t *testing.T) {
	needs.Env(t, "CHECK_PACKAGES", "1, to pack a second time (make check-packages)")
	sums := func() string {
		t.Helper()
		out, err := exec.Command("bash", "-c", "cd ../.. && cat bin/packages/SHA256SUMS && sha256sum bin/*.oci.tar").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	first := sums()
	for _, script := range []string{"scripts/packages/build.sh", "scripts/image.sh"} {
		cmd := exec.Command(filepath.Join("../..", script))
		cmd.Env = os.Environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	if second := sums(); second != first {
		t.Errorf("first\n%s\nthen\n%s", first, second)
	}
}
