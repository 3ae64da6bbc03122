package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// newMan returns the command that "make packages" writes the man pages with. It is hidden, because
// an installed package has them.
func newMan(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:         "man DIR",
		Short:       "Write the man pages of all commands",
		Example:     `  mkt man /usr/local/share/man/man1`,
		Args:        cobra.ExactArgs(1),
		Hidden:      true,
		Annotations: map[string]string{WithoutConfig: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("man pages: %w", err)
			}
			return env.writeManPages(cmd.Root(), args[0])
		},
	}
}

func (env *Env) writeManPages(cmd *cobra.Command, dir string) error {
	if cmd.Hidden {
		return nil
	}
	name := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
	if err := os.WriteFile(name, env.manPage(cmd), 0o644); err != nil {
		return fmt.Errorf("man pages: %w", err)
	}
	for _, below := range cmd.Commands() {
		if err := env.writeManPages(below, dir); err != nil {
			return err
		}
	}
	return nil
}

// manPage returns the help page of a command in the format of man(7). The text is not filled
// again, because its lines and columns are those of the help page.
func (env *Env) manPage(cmd *cobra.Command) []byte {
	var b bytes.Buffer
	path := cmd.CommandPath()
	name := strings.ReplaceAll(path, " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"mkt %s\" \"mkt\"\n", strings.ToUpper(roff(name)), roff(env.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	section := func(title, text string) {
		if text = strings.Trim(text, "\n"); text == "" {
			return
		}
		fmt.Fprintf(&b, ".SH %s\n.nf\n", title)
		for line := range strings.Lines(text) {
			b.WriteString(roff(strings.TrimSuffix(line, "\n")) + "\n")
		}
		b.WriteString(".fi\n")
	}
	section("SYNOPSIS", cmd.UseLine())
	section("DESCRIPTION", cmd.Long)
	var below strings.Builder
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			fmt.Fprintf(&below, "%-14s %s\n", c.Name(), c.Short)
		}
	}
	section("COMMANDS", below.String())
	section("OPTIONS", flagUsages(cmd.LocalFlags(), helpWidth))
	section("GLOBAL OPTIONS", flagUsages(cmd.InheritedFlags(), helpWidth))
	section("EXAMPLES", cmd.Example)
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(strings.ReplaceAll(cmd.Parent().CommandPath(), " ", "-")))
	}
	return b.Bytes()
}

// roff escapes a line: troff sees no request and no escape in it.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "⋯", "...").Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
