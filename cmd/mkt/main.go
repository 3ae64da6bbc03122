package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/commands"
	_ "mkt/internal/cluster/store/s3store"
	"mkt/internal/terminal"
)

// version is set by the build, see Makefile.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	os.Exit(code)
}

// run runs a command line and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	log.SetOutput(io.Discard) // net/http writes there what a provider sent unasked
	stdout, stderr := terminal.NewOutput(out), terminal.NewOutput(errs)
	env := cli.NewEnv(in, stdout, stderr, time.Now, version)
	root := commands.New(env)
	env.ExpectOutput(args)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if lost := stdout.Err(); err == nil {
		err = lost
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) && !errors.As(err, new(cli.Interrupted)) {
		err = cli.Interrupted("the command was not finished")
	}
	if err != nil && !errors.Is(err, cli.ErrDiffers) {
		env.PrintError(err)
	}
	return cli.ExitCode(err)
}
