package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A help page is helpWidth columns wide. The descriptions of flags begin in flagColumn.
const (
	helpWidth  = 80
	flagColumn = 28
)

func usageTemplate(of string) string {
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	of = strings.ReplaceAll(of, ".LocalFlags.FlagUsages", "flagUsages .LocalFlags")
	return strings.ReplaceAll(of, ".InheritedFlags.FlagUsages", "flagUsages .InheritedFlags")
}

// flagUsages lists the flags with their descriptions. pflag aligns all descriptions with the
// longest name, which leaves too few columns for them.
func flagUsages(flags *pflag.FlagSet) string {
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
		if column > flagColumn-2 {
			b.WriteByte('\n')
			column = 0
		}
		for _, line := range Wrap(usage, helpWidth-flagColumn) {
			fmt.Fprintf(&b, "%*s%s\n", flagColumn-column, "", line)
			column = 0
		}
	})
	return b.String()
}

// Wrap returns the words of a text in lines of at most that many columns.
func Wrap(text string, columns int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// completionExamples enable the completion, by shell.
var completionExamples = map[string]string{
	"bash":       "  source <(mkt completion bash)",
	"fish":       "  mkt completion fish | source",
	"powershell": "  mkt completion powershell | Out-String | Invoke-Expression",
	"zsh":        "  source <(mkt completion zsh)",
}

// addBuiltins adds the commands that cobra provides.
func addBuiltins(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Long = "Show the help page of a command."
			cmd.Example = "  mkt help tenant add"
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
