package demo_test

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

// The first build takes minutes: that a port is in use is said before it.
func TestMakeLooksAtThePorts(t *testing.T) {
	t.Parallel()
	program := needs.Program(t, "make", "the README asks for it")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	check.Must(t, err)
	defer taken.Close()
	run := func(listen, console string) (string, error) {
		cmd := exec.Command(program, "-C", "../../../../..", "--no-print-directory", "demo-ports")
		cmd.Env = append(os.Environ(), "MKT_DEMO_LISTEN="+listen, "MKT_DEMO_CONSOLE="+console)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const free = "127.0.0.1:0"
	if out, err := run(free, free); err != nil || out != "" {
		t.Errorf("free ports: %v: %s", err, out)
	}
	at := taken.Addr().String()
	for _, ports := range [][2]string{{at, free}, {free, at}} {
		if out, err := run(ports[0], ports[1]); err == nil || !strings.Contains(out, "make demo: "+at+" is in use") {
			t.Errorf("%v: %v: %s", ports, err, out)
		}
	}
}
