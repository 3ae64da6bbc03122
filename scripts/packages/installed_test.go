// Package packages_test installs the packages and runs the images that make release made, for make
// check-packages, and tests how a release is named.
package packages_test

import (
	"os/exec"
	"testing"

	"mkt/internal/testing/needs"
)

// inSandbox runs a script of this folder in a copy of the machine that is thrown away.
func inSandbox(t *testing.T, script ...string) {
	t.Helper()
	needs.Env(t, "CHECK_PACKAGES", "1, to install what make release made (make check-packages)")
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
