package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// version is set by the build, see Makefile.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal finds no handler and ends the process
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	os.Exit(code)
}

// run is the program with everything it takes from the world handed in.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	told, warned := newOutput(out), newOutput(errs)
	a := newApp(in, told, warned, time.Now, version)
	root := commands(a)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(told)
	root.SetErr(warned)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = told.lost()
	}
	if err != nil && !errors.Is(err, errDiffers) {
		fmt.Fprintf(warned, "mkt: %v\n", err)
	}
	return exitCode(err)
}

// commands is the whole tree of commands.
func commands(a *app) *cobra.Command {
	return newRoot(a, newInit(a), newFetch(a), newTransform(a), newPublish(a), newCycle(a), newSchedule(a),
		newServe(a), newTail(a), newSimulate(a), newDemo(a), newMapping(a), newBacktest(a), newLive(a), newInspect(a), newDiff(a), newExplain(a), newTenant(a),
		newProvider(a), newDoctor(a), newVersion(a), newCheck(), newVerify(a), newReplay(a), newRecover(a), newGC(a))
}
