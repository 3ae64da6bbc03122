// Backtest measures the live product's formulas on real matches.
//
//	go run ./scripts/backtest momentum --matches matches --variants
//
// It measures momentum against simple baselines, with the code of the live pipeline, on a folder of
// matches (matches.csv.gz and the files it names): who shoots next, who scores next, danger in the
// next five minutes, how steady momentum is and how often it is available. It is measured with
// current samples, and with samples as old as those that a client reads over HTTP.
// docs/momentum.md says what the figures mean.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"mkt/scripts/internal/backtest"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "backtest:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 || args[0] != "momentum" {
		return fmt.Errorf("want momentum, the only formula that is measured, and its flags")
	}
	var o backtest.Options
	flags := flag.NewFlagSet("backtest momentum", flag.ExitOnError)
	matches := flags.String("matches", "", "`folder` of the matches")
	csv := flags.String("csv", "", "also write momentum at every minute to this `file`: match_id,period,second,home")
	output := flags.String("output", "text", "`format` of the output: text or json")
	flags.IntVar(&o.Drawings, "drawings", 500, "bootstrap samples of matches for the intervals")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the samples, and of when each match is polled")
	flags.StringVar((*string)(&o.Half), "half", "", "only this half of the matches: constants are chosen on tuning and confirmed on held-out")
	flags.BoolVar(&o.Variants, "variants", false, "also measure momentum from poorer feeds")
	_ = flags.Parse(args[1:]) // ends the process if they are wrong
	switch {
	case *matches == "":
		return fmt.Errorf("--matches is needed: the folder with matches.csv.gz")
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.Drawings < 1:
		return fmt.Errorf("--drawings %d: want at least 1", o.Drawings)
	case *output != "text" && *output != "json":
		return fmt.Errorf("--output %s: want text or json", *output)
	}
	o.Matches = os.DirFS(*matches)
	r, err := backtest.Run(o)
	if err != nil {
		return fmt.Errorf("matches %s: %w", *matches, err)
	}
	if *csv != "" {
		if err := writeCSV(*csv, r); err != nil {
			return err
		}
	}
	if *output == "json" {
		return json.NewEncoder(out).Encode(r)
	}
	return r.WriteText(out)
}

func writeCSV(name string, r *backtest.Report) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := r.WriteCSV(file); err != nil {
		return err
	}
	return file.Close()
}
