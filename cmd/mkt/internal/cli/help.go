package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mkt/internal/terminal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A help page is helpWidth columns wide, or as wide as a narrower terminal. The descriptions of
// flags begin in flagColumn, or on a line of their own if fewer than leastUsage columns are left.
const (
	helpWidth  = 80
	flagColumn = 28
	leastUsage = 36
)

// helpColumns returns the width of help pages on out.
func helpColumns(out io.Writer) int {
	if wide := terminal.ColumnsOf(out); wide > 0 {
		return max(20, min(wide, helpWidth))
	}
	return helpWidth
}

// setUpHelp lists flags in two columns, and wraps the help pages.
func (env *Env) setUpHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("flagUsages", func(flags *pflag.FlagSet) string { return flagUsages(flags, helpColumns(env.Out)) })
	usage := strings.ReplaceAll(root.UsageTemplate(), ".LocalFlags.FlagUsages", "flagUsages .LocalFlags")
	root.SetUsageTemplate(strings.ReplaceAll(usage, ".InheritedFlags.FlagUsages", "flagUsages .InheritedFlags"))
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var page bytes.Buffer
		out := cmd.OutOrStdout()
		if cmd == root && !env.helpAll {
			page.WriteString(firstScreen)
		} else {
			cmd.SetOut(&page)
			show(cmd, args)
			cmd.SetOut(out)
		}
		text := page.String()
		if wide := helpColumns(out); wide < helpWidth {
			text = narrowed(text, wide)
		}
		fmt.Fprint(out, text) // the output remembers an error
	})
}

// firstScreen is the help page of mkt without a command: one screen, ordered by tasks. Everything
// else is on the page of "mkt help all".
const firstScreen = `Football markets: fetch, transform, publish, serve

Begin:
  demo              run the whole system in one process, on emulated providers
  init, doctor      create an installation; check it and say what to repair
  tenant, provider  keep the accounts, and the connections to their providers

Run:
  schedule          run the cycles of all accounts until stopped
  cycle             run one cycle, as cron does: fetch, transform, publish
  serve             answer the API from the newest snapshots
  gc, replay        delete what retention does not keep; run past cycles again

Look and check:
  console           see accounts, cycles, prices and matches in a browser
  inspect, live     look at cycles, snapshots and rows; at matches in play
  tail              follow an account's changes over the API, as a client would
  explain, mapping  say which payload and rule a value or a market comes from
  history, diff     show the path of prices; what two snapshots differ in
  verify            check a data root against its own hashes, chain and rows
  prove, check      write a receipt of a price, for anybody; check one, offline

mkt COMMAND --help explains a command, with examples. mkt help all lists the
other commands, and the flags and settings of all.
`

// flagUsages lists the flags with their descriptions. pflag aligns all descriptions with the
// longest name, which leaves too few columns for them.
func flagUsages(flags *pflag.FlagSet, columns int) string {
	begin := flagColumn
	if columns-begin < leastUsage {
		begin = 8
	}
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		if kind != "" {
			name += " " + kind
		}
		if f.Value.Type() == "string" && f.DefValue != "" {
			usage += fmt.Sprintf(" (default %q)", f.DefValue)
		} else if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		b.WriteString(name)
		column := utf8.RuneCountInString(name)
		if column > begin-2 {
			b.WriteByte('\n')
			column = 0
		}
		for _, line := range terminal.Wrap(usage, columns-begin) {
			fmt.Fprintf(&b, "%*s%s\n", begin-column, "", line)
			column = 0
		}
	})
	return b.String()
}

// listFlags lists the commands below a command with their flags.
func listFlags(cmd *cobra.Command, out io.Writer) {
	for _, below := range cmd.Commands() {
		if !below.IsAvailableCommand() {
			continue
		}
		if usages := flagUsages(below.LocalFlags(), helpColumns(out)); usages != "" || !below.HasSubCommands() {
			fmt.Fprintf(out, "\n%s\n  %s\n%s", strings.TrimSuffix(below.UseLine(), " [flags]"), below.Short, usages)
		}
		listFlags(below, out)
	}
}

// narrowed returns a help page for a terminal with fewer columns than it was written for.
// Examples stay as they are, because they are copied; flags are listed for it already.
func narrowed(page string, columns int) string {
	var b, paragraph strings.Builder
	flush := func() {
		if paragraph.Len() > 0 {
			b.WriteString(strings.Join(terminal.Wrap(paragraph.String(), columns), "\n") + "\n")
			paragraph.Reset()
		}
	}
	section := ""
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		text := strings.TrimLeft(line, " ")
		if text == line && strings.HasSuffix(line, ":") {
			section = line
		}
		switch {
		case text == "", section == "Examples:", strings.HasSuffix(section, "Flags:") && text != line:
			flush()
			b.WriteString(line + "\n")
		case text == line:
			paragraph.WriteString(line + " ")
		default:
			flush()
			lead := line[:len(line)-len(text)]
			if name, about, is := strings.Cut(text, "  "); is { // a list: a word and its description
				lead, text = lead+name+strings.Repeat(" ", len(text)-len(name)-len(strings.TrimLeft(about, " "))), strings.TrimLeft(about, " ")
			}
			b.WriteString(terminal.Indented(lead, text, columns) + "\n")
		}
	}
	flush()
	return b.String()
}

// completionExamples enable the completion, by shell.
var completionExamples = map[string]string{
	"bash":       "  source <(mkt completion bash)",
	"fish":       "  mkt completion fish | source",
	"powershell": "  mkt completion powershell | Out-String | Invoke-Expression",
	"zsh":        "  source <(mkt completion zsh)",
}

// addBuiltins adds the commands provided by cobra.
func (env *Env) addBuiltins(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Long = "Show the help page of a command, or with the word all the list of all commands\nand their flags."
			cmd.Example = "  mkt help tenant add\n  mkt help all"
			cmd.Run, cmd.RunE = nil, func(_ *cobra.Command, args []string) error {
				if env.helpAll = len(args) == 1 && args[0] == "all"; env.helpAll {
					err := root.Help()
					listFlags(root, root.OutOrStdout())
					return err
				}
				of, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 {
					err = subcommand(of, rest)
				}
				if err != nil {
					return err
				}
				of.InitDefaultHelpFlag()
				return of.Help()
			}
		case "completion":
			cmd.Args, cmd.RunE = subcommand, showHelp
			cmd.Example = completionExamples["bash"]
			for _, shell := range cmd.Commands() {
				shell.Long = fmt.Sprintf("Print the script by which %s completes the commands and flags of mkt.\nThe example loads it into a shell that is running.", shell.Name())
				shell.Example = completionExamples[shell.Name()]
			}
		}
	}
}
