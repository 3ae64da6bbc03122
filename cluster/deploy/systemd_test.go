package deploy_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mkt/cluster/servers"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

const systemdDir = "../../deploy/systemd"

// systemd understands the units with their drop-ins, and runs mkt with flags that it has.
func TestSystemdUnits(t *testing.T) {
	analyze := needs.Program(t, "systemd-analyze", "of systemd")
	mkt, err := servers.MKT()
	check.Must(t, err)
	dir := t.TempDir()
	for _, name := range []string{"mkt-serve.service", "mkt-schedule.service"} {
		unit := read(t, "../../scripts/systemd", name)
		dropIn := read(t, systemdDir, name+".d", "cluster.conf")
		check.Must(t, os.Mkdir(filepath.Join(dir, name+".d"), 0o755))
		command := ""
		for file, text := range map[string]string{name: unit, name + ".d/cluster.conf": dropIn} {
			text = strings.NewReplacer("ExecStart=/usr/local/bin/mkt ", "ExecStart="+mkt+" ", "ExecStart=mkt ", "ExecStart="+mkt+" ").Replace(text)
			check.Must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
			if _, after, ok := strings.Cut(text, "ExecStart="+mkt+" "); ok && (command == "" || strings.Contains(file, "cluster")) {
				command, _, _ = strings.Cut(after, "\n")
			}
		}
		verify := exec.Command(analyze, "verify", name)
		verify.Env = append(os.Environ(), "SYSTEMD_UNIT_PATH="+dir+":/usr/lib/systemd/system")
		if out, err := verify.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v: %s", name, err, out)
		}
		// The settings that do not exist are named before the help is shown.
		if out, err := exec.Command(mkt, append(strings.Fields(command), "--help")...).CombinedOutput(); err != nil {
			t.Errorf("%s: mkt %s: %v: %s", name, command, err, out)
		}
	}
}

// The example of settings is accepted by mkt.
func TestSystemdSettings(t *testing.T) { checkSettings(t, read(t, systemdDir, "mkt.yaml")) }

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	check.Must(t, err)
	return string(bytes.TrimSpace(text)) + "\n"
}
