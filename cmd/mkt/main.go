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

	"mkt/fetch/provider/all"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal finds no handler and ends the process
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	os.Exit(code)
}

// run is the program with everything it takes from the world handed in.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	told, warned := newOutput(out), newOutput(errs)
	a := &app{in: in, out: told, errs: warned, now: time.Now, adapter: all.Lookup}
	root := newRoot(a)
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
