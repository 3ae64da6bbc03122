package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
)

// TestHelpPages: every help page fits 80 columns and has an example that calls the command.
func TestHelpPages(t *testing.T) {
	root := commands(cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version))
	root.InitDefaultHelpCmd()
	var check func(*cobra.Command)
	check = func(cmd *cobra.Command) {
		var page bytes.Buffer
		cmd.SetOut(&page)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(page.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.HasPrefix(line, "  ") {
				t.Errorf("%s --help: the example is not indented: %s", cmd.CommandPath(), line)
			}
		}
		if !strings.Contains(cmd.Example, cmd.CommandPath()) && !cmd.Hidden {
			t.Errorf("%s --help: no example of it:\n%s", cmd.CommandPath(), cmd.Example)
		}
		for _, below := range cmd.Commands() {
			check(below)
		}
	}
	check(root)
}
