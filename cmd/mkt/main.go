package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/accounts"
	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/cmd/mkt/internal/cli/browser"
	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/cmd/mkt/internal/cli/evidence"
	"mkt/cmd/mkt/internal/cli/lake"
	"mkt/cmd/mkt/internal/cli/live"
	"mkt/cmd/mkt/internal/cli/serving"
	"mkt/cmd/mkt/internal/cli/translog"
	_ "mkt/publish/store/azurestore"
	_ "mkt/publish/store/googlestore"
	_ "mkt/publish/store/s3store"
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
	stdout, stderr := cli.NewOutput(out), cli.NewOutput(errs)
	env := cli.NewEnv(in, stdout, stderr, time.Now, version)
	root := commands(env)
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

func commands(env *cli.Env) *cobra.Command {
	return cli.NewRoot(env, []cli.Section{
		{Title: "Begin", Names: "demo simulate init tenant provider doctor"},
		{Title: "Run", Names: "schedule cycle fetch transform publish serve gc log witness"},
		{Title: "Look and check", Names: "console inspect live tail explain mapping history diff verify prove check"},
		{Title: "Now and then", Names: "replay recover push pull lake backtest"},
	}, slices.Concat(demo.New(env), browser.New(env), accounts.New(env), batch.New(env), serving.New(env), translog.New(env), live.New(env), evidence.New(env), lake.New(env)))
}
