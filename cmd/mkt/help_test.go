package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/commands"
	"mkt/internal/testing/check"
)

// TestHelpPages: every help page fits 80 columns and has an example that calls the command.
func TestHelpPages(t *testing.T) {
	root := commands.New(cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version))
	root.InitDefaultHelpCmd()
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		var page bytes.Buffer
		cmd.SetOut(&page)
		check.Must(t, cmd.Help())
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
			visit(below)
		}
	}
	visit(root)
}

// TestFirstScreen: the help of mkt alone fits a terminal of 24 lines, names only commands that
// exist, and with the list of all, which is in sections, every command can be found.
func TestFirstScreen(t *testing.T) {
	var screen, list, errs bytes.Buffer
	for args, out := range map[string]*bytes.Buffer{"--help": &screen, "help all": &list} {
		if code := run(t.Context(), strings.Fields(args), nil, out, &errs); code != 0 {
			t.Fatalf("mkt %s: exit %d: %s", args, code, errs.String())
		}
	}
	if n := strings.Count(screen.String(), "\n"); n > 24 {
		t.Errorf("%d lines", n)
	}
	root := commands.New(cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version))
	for line := range strings.Lines(screen.String()) {
		names, _, is := strings.Cut(strings.TrimPrefix(line, "  "), "  ")
		if !strings.HasPrefix(line, "  ") || !is {
			continue
		}
		for name := range strings.SplitSeq(names, ", ") {
			if found, _, err := root.Find([]string{name}); err != nil || found == root {
				t.Errorf("there is no command %s: %v", name, err)
			}
		}
	}
	for _, cmd := range root.Commands() {
		if cmd.Hidden {
			continue
		}
		if !strings.Contains(list.String(), "\n  "+cmd.Name()+" ") {
			t.Errorf("mkt help all does not list %s", cmd.Name())
		}
		if cmd.GroupID == "" && !slices.Contains([]string{"help", "completion", "version"}, cmd.Name()) {
			t.Errorf("%s is in no section", cmd.Name())
		}
	}
}

// TestRelease: the release that mkt --version says is the newest in CHANGELOG.md, and that of README.md.
func TestRelease(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	check.Must(t, err)
	newest := regexp.MustCompile(`(?m)^## (\d\S*)`).FindStringSubmatch(string(text))
	if newest == nil || newest[1] != cli.Release {
		t.Errorf("the newest release in CHANGELOG.md is %q, and the program says %s", newest, cli.Release)
	}
	if text, err = os.ReadFile("../../README.md"); err != nil || !strings.Contains(string(text), "Version "+cli.Release+",") {
		t.Errorf("README.md does not say %s: %v", cli.Release, err)
	}
}

// TestDidYouMean: the message about a wrong flag, word or command says what is accepted, and of a
// command the nearest.
func TestDidYouMean(t *testing.T) {
	for args, want := range map[string]string{
		"inspect --prodct market_engine":     "unknown flag: --prodct (mkt inspect --help shows the flags)",
		"cycle --all --product market_engin": `--product "market_engin": want market_engine or live_intelligence`,
		"inspect --format jsno":              `--format "jsno": want table or csv or json`,
		"provider set a --provider betapi":   `--provider "betapi": want one of betsapi, `,
		"fetsh":                              `unknown command "fetsh"; did you mean fetch? (mkt help all lists them)`,
		"qqqqqq":                             `unknown command "qqqqqq" (mkt help all lists them)`,
		"mapping chek":                       `unknown command "chek": want explain or report (mkt mapping --help lists them)`,
		"mapping check --tenant acme":        `unknown command "check"; did you mean report?`,
		"mapping reprot":                     "did you mean report?",
		"tenant rm":                          "did you mean delete?",
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), nil, &out, &errs); code != cli.ExitUsage {
			t.Errorf("%s: exit %d", args, code)
		}
		if !strings.Contains(errs.String(), want) {
			t.Errorf("%s: %s; want %s", args, errs.String(), want)
		}
	}
}
