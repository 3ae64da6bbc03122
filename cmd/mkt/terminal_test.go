package main

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// ownCodes are the only escape sequences that reach a terminal: those of our colours.
var ownCodes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// onTerminals holds what commands print on terminals against their width, and hostile names
// against the codes of the colours.
func onTerminals(p *played, t *testing.T, live string) {
	for name, value := range map[string]string{"TERM": "xterm", "NO_COLOR": "", "CI": "1"} {
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
