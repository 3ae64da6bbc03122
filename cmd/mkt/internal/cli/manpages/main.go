// Command manpages writes the man pages of all commands into a folder, for packages:
//
//	go run ./cmd/mkt/internal/cli/manpages VERSION DIR
package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/commands"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: manpages VERSION DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}

func write(version, dir string) error {
	root := commands.New(cli.NewEnv(nil, io.Discard, io.Discard, time.Now, version))
	root.DisableAutoGenTag = true
	keepLines(root)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "mkt " + version, Manual: "mkt"}, dir)
}

// keepLines sets descriptions as they are on help pages, whose lists have columns.
func keepLines(cmd *cobra.Command) {
	if cmd.Long != "" {
		cmd.Long = "```\n" + cmd.Long + "\n```"
	}
	for _, below := range cmd.Commands() {
		keepLines(below)
	}
}
