package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/check"
)

// ownCodes are the only escape sequences that reach a terminal: those of our colours.
var ownCodes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// onTerminals holds what commands print on terminals against their width, and hostile names
// against the codes of the colours.
func onTerminals(p *played, t *testing.T, live string) {
	for name, value := range map[string]string{"TERM": "xterm", "NO_COLOR": "", "CI": "1", "MKT_PAGER": ""} {
		t.Setenv(name, value)
	}
	coloured := false
	for _, columns := range []uint16{60, 80, 200} {
		for _, args := range [][]string{
			{"live", "list", "--tenant", "acme"}, {"live", "show", live}, {"inspect"}, {"verify", "--help"},
			{"diff", "--tenant", "acme", "--product", "market_engine", "--only", "odds,suspensions"}, {"doctor"},
		} {
			said := inTerminal(p, columns, append(args, "--data", p.data)...)
			plainText := ownCodes.ReplaceAllString(said, "")
			coloured = coloured || plainText != said
			for line := range strings.Lines(plainText) {
				line = strings.TrimSuffix(line, "\n")
				copied := strings.Contains(line, "fix:") || strings.Contains(line, "  mkt ") || strings.Contains(line, "--sql") || strings.HasPrefix(line, "fx_") || args[0] == "doctor"
				if n := len([]rune(line)); n > int(columns) && !copied {
					t.Errorf("%s: %d of %d columns: %s", args, n, columns, line)
				}
				if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u202e' }) {
					t.Errorf("%s: a terminal acts on %q", args, line)
				}
			}
		}
	}
	if !coloured {
		t.Error("no colour at all")
	}
	if said := inTerminal(p, 80, "prove", live, "--data", p.data); !strings.Contains(said, "write it into one, as in mkt prove") {
		t.Errorf("a receipt on a terminal: %.500s", said)
	}
	if rows := inTerminal(p, 80, "inspect", "--tenant", "acme", "--data", p.data, "--sql", "SELECT range FROM range(1234)", "--rows", "2"); !strings.HasSuffix(rows, "\n\nthe first 2 of 1,234 rows; --rows or --format csv shows more\n") {
		t.Errorf("rows are not counted: %s", rows)
	}
}

// inTerminal runs a command on a pseudo-terminal.
func inTerminal(p *played, columns uint16, args ...string) string {
	p.Helper()
	master, tty, err := pty.Open()
	p.must(err)
	p.must(pty.Setsize(master, &pty.Winsize{Rows: 50, Cols: columns}))
	said := make(chan string)
	go func() {
		all, _ := io.ReadAll(master)
		master.Close()
		said <- string(all)
	}()
	run(p.Context(), args, strings.NewReader(""), tty, tty)
	tty.Close()
	return strings.ReplaceAll(<-said, "\r\n", "\n")
}

// A long answer goes through the pager, a short one and one that is not on a terminal do not, and
// leaving the pager early is no failure.
func TestPager(t *testing.T) {
	for _, c := range []struct {
		pager string
		rows  uint16
		args  []string
		want  string // begins what is printed
		code  int
	}{
		{"sed s/^/PAGED/", 24, []string{"inspect", "--help"}, "PAGEDLook at the data root", cli.ExitDone},
		{"sed s/^/PAGED/", 200, []string{"inspect", "--help"}, "Look at the data root", cli.ExitDone},
		{"sed s/^/PAGED/", 24, []string{"inspect", "--help", "--no-pager"}, "Look at the data root", cli.ExitDone},
		{"", 24, []string{"inspect", "--help"}, "Look at the data root", cli.ExitDone},
		{"no-such-pager", 24, []string{"inspect", "--help"}, `mkt: the pager "no-such-pager" is not there`, cli.ExitDone},
		{"head -n 1", 24, []string{"mapping", "explain", "goal"}, "RULE ", cli.ExitFailed},
		{"true", 5, []string{"inspect", "--help"}, "", cli.ExitDone},
		{"true", 3, []string{"doctor"}, "", cli.ExitFailed},
	} {
		cmd := exec.Command("mkt", c.args...)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "TERM=xterm", "MKT_PAGER="+c.pager)
		terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: c.rows, Cols: 80})
		check.Must(t, err)
		said, _ := io.ReadAll(terminal)
		terminal.Close()
		code := 0
		if failed := new(exec.ExitError); errors.As(cmd.Wait(), &failed) {
			code = failed.ExitCode()
		}
		if code != c.code || !strings.HasPrefix(string(said), c.want) {
			t.Errorf("%s %s: exit %d, want %d: %s", c.pager, c.args, code, c.code, said)
		}
	}
}
