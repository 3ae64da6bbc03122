package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/transform/live/backtest"
)

func newBacktest(g *Group) *cobra.Command {
	return cli.Group("backtest", "Measure the live product's formulas on real matches", newBacktestMomentum(g))
}

type backtestFlags struct {
	matches  string
	csv      string
	drawings int
	seed     uint64
	variants bool
	half     string
}

func newBacktestMomentum(g *Group) *cobra.Command {
	var f backtestFlags
	cmd := &cobra.Command{
		Use:   "momentum --matches DIR",
		Short: "Measure momentum against simple baselines",
		Long: `Measure momentum against simple baselines, with the code of the live pipeline,
on a folder of matches (matches.csv.gz and the files it names): who shoots
next, who scores next, danger in the next five minutes, how steady momentum is
and how often it is available. It is measured with current samples, and with
samples as old as those that a client reads over HTTP. docs/momentum.md says
what the figures mean. --half takes one half of the matches, divided by their
ids: constants are chosen on tuning and confirmed on held-out. Only --csv
writes a file.`,
		Example: `  mkt backtest momentum --matches matches --csv momentum.csv`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return g.backtestMomentum(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.matches, "matches", "", "folder of the matches")
	flags.StringVar(&f.csv, "csv", "", "also write momentum at every minute here: match_id,period,second,home")
	flags.IntVar(&f.drawings, "drawings", 500, "bootstrap samples of matches for the intervals")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the samples, and of when each match is polled")
	flags.StringVar(&f.half, "half", "", "only this half of the matches: tuning or held-out")
	flags.BoolVar(&f.variants, "variants", false, "also measure momentum from poorer feeds")
	return cmd
}

func (g *Group) backtestMomentum(ctx context.Context, f backtestFlags) error {
	if f.matches == "" {
		return cli.Usagef("--matches is needed: the folder with matches.csv.gz")
	}
	if f.drawings < 1 {
		return cli.Usagef("--drawings %d: want at least 1", f.drawings)
	}
	half := backtest.Half(f.half)
	if half != "" && half != backtest.Tuning && half != backtest.HeldOut {
		return cli.Usagef("--half %s: want %s or %s", f.half, backtest.Tuning, backtest.HeldOut)
	}
	if info, err := os.Stat(f.matches); err != nil || !info.IsDir() {
		return fmt.Errorf("matches %s: no such folder", f.matches)
	}
	r, err := backtest.Run(ctx, backtest.Options{Matches: os.DirFS(f.matches), Drawings: f.drawings, Seed: f.seed, Variants: f.variants, Half: half})
	if err != nil {
		return fmt.Errorf("matches %s: %w", f.matches, err)
	}
	if f.csv != "" {
		if err := writeNew(f.csv, r.WriteCSV); err != nil {
			return err
		}
	}
	return g.Answer(backtestOf(r), r.WriteText)
}

func writeNew(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

type backtestView struct {
	Matches int           `json:"matches"`
	Minutes int           `json:"minutes"`
	Rows    []backtestRow `json:"rows"` // momentum first
	Misses  []string      `json:"targets_missed"`
}

// backtestRow has one predictor's figures by name, null where none was measured.
type backtestRow struct {
	Name     string                     `json:"name"`
	Baseline bool                       `json:"baseline"`
	Figures  map[string]*backtestFigure `json:"figures"`
}

// backtestFigure is a value with its 95 % interval.
type backtestFigure struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func backtestOf(r *backtest.Report) backtestView {
	v := backtestView{Matches: r.Matches, Minutes: r.Minutes, Misses: append([]string{}, r.Misses()...)}
	for i := range r.Rows {
		row := backtestRow{Name: r.Rows[i].Name, Baseline: r.Rows[i].Baseline, Figures: map[string]*backtestFigure{}}
		for m, f := range r.Rows[i].Figures {
			var figure *backtestFigure
			if !math.IsNaN(f.Value) && !math.IsNaN(f.Low) && !math.IsNaN(f.High) {
				figure = &backtestFigure{f.Value, f.Low, f.High}
			}
			row.Figures[backtest.Metric(m).String()] = figure
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}
