// Command mkt-lake is run by "mkt lake": it has the library for Apache Iceberg, which is
// larger than the rest of mkt. It syncs one product of one account and reports lines of JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"mkt/lake"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// version is set by the build, see Makefile.
var version = "dev"

const usage = `usage: mkt-lake sync -data DIR -lake DIR -tenant ID -product PRODUCT [-location URL] [-dry-run]
       mkt-lake version
"mkt lake sync" runs it for you.
`

// Exit codes, as those of mkt.
const (
	exitFailed = 1
	exitUsage  = 2
	exitLater  = 75
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	if len(args) == 1 && args[0] == "version" {
		fmt.Fprintln(out, "mkt-lake", version)
		return 0
	}
	if len(args) == 0 || args[0] != "sync" {
		fmt.Fprint(errs, usage)
		return exitUsage
	}
	var o lake.Options
	var data, product string
	flags := flag.NewFlagSet("mkt-lake sync", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() { fmt.Fprint(errs, usage) }
	flags.StringVar(&data, "data", "", "")
	flags.StringVar(&o.Lake, "lake", "", "")
	flags.StringVar(&o.ClientID, "tenant", "", "")
	flags.StringVar(&product, "product", "", "")
	flags.StringVar(&o.Location, "location", "", "")
	flags.BoolVar(&o.DryRun, "dry-run", false, "")
	if err := flags.Parse(args[1:]); err != nil {
		return exitUsage
	}
	o.Product = football.Product(product)
	if data == "" || o.Lake == "" || !layout.ValidTenantID(o.ClientID) || flags.NArg() > 0 ||
		o.Product != football.MarketEngine && o.Product != football.LiveIntelligence {
		fmt.Fprint(errs, usage)
		return exitUsage
	}
	if o.Location != "" {
		if err := lake.CheckLocation(o.Location); err != nil {
			fmt.Fprintln(errs, "--location:", err)
			return exitUsage
		}
	}
	if err := sync(ctx, o, data, out); err != nil {
		fmt.Fprintln(errs, err)
		if errors.Is(err, durable.ErrLocked) || lake.IsConflict(err) {
			return exitLater
		}
		return exitFailed
	}
	return 0
}

// sync reports the progress, then the summary.
func sync(ctx context.Context, o lake.Options, data string, out io.Writer) error {
	root, err := durable.OpenWithin(data, layout.TenantProduct(o.ClientID, string(o.Product)))
	if err != nil {
		return fmt.Errorf("data root: %w", err)
	}
	defer root.Close()
	o.Root = root
	lines := json.NewEncoder(out)
	o.Progress = func(done, total int) {
		// If nobody reads it any more, the last line fails too.
		_ = lines.Encode(map[string]any{"event": "progress", "done": done, "total": total})
	}
	sum, err := lake.Sync(ctx, o)
	if err != nil {
		return err
	}
	return lines.Encode(struct {
		Event string `json:"event"`
		lake.Summary
	}{"done", sum})
}
