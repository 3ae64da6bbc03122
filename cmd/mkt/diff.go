package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/compare"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// diffFlags of mkt diff.
type diffFlags struct {
	wanted
	dataB    string
	fixture  string
	only     []string
	summary  bool
	html     string
	exitCode bool
}

func newDiff(a *app) *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff [A [B]]",
		Short: "Tell what differs between two published snapshots",
		Long: `Tell what differs between two published snapshots of an account's product: fixtures,
markets and selections that came, went or changed, odds that moved, what was
suspended or resumed; of live data scores, states, momentum and counters.
A and B are each
` + snapshot.Forms + `
(UTC; the newest publication that was out then), by default latest~1 and latest.
--data-b compares with the same account on another data root, by default newest
with newest.

Changes are told fixture by fixture, or with --output json one JSON object a line,
a summary last. Each ends with an id: mkt explain leads it back to the payload, with
--at as of A or B. "(not sent)" and "(null)" are kept apart; in JSON the first has no
key. --html writes a page with the odds' movements beside.

The exit code is 0 whether they differ or not. With --exit-code it is that of
diff(1): 0 the same, 1 different, 2 trouble; with --only, of what is asked for.`,
		Example: `  mkt diff --tenant acme --product market_engine
  mkt diff --tenant acme --product market_engine 2026-11-21T13:00:00Z 2026-11-21T14:05:00Z --only odds
  mkt diff --tenant acme --product market_engine --data-b ../replayed/data --exit-code --summary`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			differs, err := a.diff(cmd.Context(), f, args)
			switch {
			case err == nil && differs && f.exitCode:
				return errDiffers
			case err != nil && f.exitCode:
				return troubleError{err}
			}
			return err
		},
	}
	f.flags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.dataB, "data-b", "", "data root of B (default: the same)")
	flags.StringVar(&f.fixture, "fixture", "", "only this fixture, by its id")
	flags.StringSliceVar(&f.only, "only", nil, "only these: "+strings.Join(diffGroupNames(), ", "))
	flags.BoolVar(&f.summary, "summary", false, "only the counts")
	flags.StringVar(&f.html, "html", "", "also write a page here, - for the standard output instead of the text")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 1 when they differ, 2 when it could not be told")
	return cmd
}

// errDiffers is no failure: it makes the exit code.
var errDiffers = errors.New("the snapshots differ")

// troubleError is what kept a comparison from being made, when the exit code is
// that of diff(1).
type troubleError struct{ error }

func (e troubleError) Unwrap() error { return e.error }

// diffGroups are what changes can be asked for by.
var diffGroups = []struct {
	name  string
	whats []compare.What
}{
	{"fixtures", []compare.What{compare.FixtureAdded, compare.FixtureRemoved, compare.FixtureChanged}},
	{"markets", []compare.What{compare.MarketAdded, compare.MarketRemoved, compare.MarketChanged}},
	{"selections", []compare.What{compare.SelectionAdded, compare.SelectionRemoved, compare.SelectionChanged}},
	{"odds", []compare.What{compare.OddsMoved}},
	{"suspensions", []compare.What{compare.Suspended, compare.Resumed}},
	{"quality", []compare.What{compare.QualityChanged}},
	{"counters", []compare.What{compare.CounterMoved}},
}

func diffGroupNames() (names []string) {
	for _, g := range diffGroups {
		names = append(names, g.name)
	}
	return names
}

// shown are the kinds that are asked for; nil is all.
func (f *diffFlags) shown() (map[compare.What]bool, error) {
	if len(f.only) == 0 {
		return nil, nil
	}
	shown := map[compare.What]bool{}
	for _, name := range f.only {
		k := slices.IndexFunc(diffGroups, func(g struct {
			name  string
			whats []compare.What
		}) bool {
			return g.name == name
		})
		if k < 0 {
			return nil, usagef("--only %q: want %s", name, strings.Join(diffGroupNames(), ", "))
		}
		for _, w := range diffGroups[k].whats {
			shown[w] = true
		}
	}
	return shown, nil
}

// moments are the two publications that are meant.
func (f *diffFlags) moments(args []string) (a, b snapshot.Moment, err error) {
	before := snapshot.Newest.String() + "~1"
	if f.dataB != "" {
		before = snapshot.Newest.String()
	}
	texts := []string{before, snapshot.Newest.String()}
	copy(texts, args)
	if a, err = momentArg("A", texts[0]); err != nil {
		return a, b, err
	}
	b, err = momentArg("B", texts[1])
	return a, b, err
}

func (a *app) diff(ctx context.Context, f diffFlags, args []string) (differs bool, err error) {
	shown, err := f.shown()
	if err != nil {
		return false, err
	}
	momentA, momentB, err := f.moments(args)
	if err != nil {
		return false, err
	}
	placeA, err := onePlace(a.data, f.wanted, momentA, momentB)
	if err != nil {
		return false, err
	}
	placeB := placeA
	if f.dataB != "" {
		if placeB, err = onePlace(f.dataB, wanted{placeA.tenant, string(placeA.product)}); err != nil {
			return false, err
		}
	}
	o := compare.Options{Fixture: f.fixture}
	for _, side := range []struct {
		place place
		at    snapshot.Moment
		to    *compare.Side
	}{{placeA, momentA, &o.A}, {placeB, momentB, &o.B}} {
		root, err := side.place.open()
		if err != nil {
			return false, err
		}
		defer root.Close()
		if *side.to, err = sideOf(root, side.at); err != nil {
			return false, fmt.Errorf("%s: %w", side.place, err)
		}
	}
	return a.compare(ctx, f, o, shown)
}

func sideOf(root durable.ReadFS, at snapshot.Moment) (compare.Side, error) {
	c, err := snapshot.Find(root, at)
	if err != nil {
		return compare.Side{}, err
	}
	side, err := compare.Open(root, c)
	if errors.Is(err, compare.ErrNotKept) {
		err = fmt.Errorf("%w; mkt inspect lists those that are", err)
	}
	return side, err
}

// compare runs the comparison and prints what is asked for.
func (a *app) compare(ctx context.Context, f diffFlags, o compare.Options, shown map[compare.What]bool) (bool, error) {
	quiet := f.summary || f.html == "-"
	a.bars = quiet || !onTerminal(a.out) // never between the lines of the text
	bar := a.newBar("comparing")
	o.Progress = func(done, total int64) { bar.set(int(done), int(total)) }
	var print changePrinter = &textPrinter{out: newTableWriter(a.out)}
	switch {
	case quiet:
		print = silentPrinter{}
	case a.json():
		print = &jsonPrinter{json.NewEncoder(a.out)}
	}
	movements := newMovements(o)
	sum, err := compare.Run(ctx, o, func(c compare.Change) error {
		if shown != nil && !shown[c.What] {
			return nil
		}
		movements.add(c)
		return print.change(c)
	})
	bar.done()
	if err = errors.Join(err, print.end()); err != nil {
		return false, err
	}
	if f.html != "" {
		movements.finish(sum, a.now())
		if _, err := a.writePage(f.html, movements.write); err != nil {
			return false, err
		}
	}
	if f.html != "-" {
		err = a.printSummary(f, o, sum)
	}
	return differs(sum, shown), err
}

// differs tells whether any change was told.
func differs(sum compare.Summary, shown map[compare.What]bool) bool {
	for what, n := range sum.Changes {
		if n > 0 && (shown == nil || shown[what]) {
			return true
		}
	}
	return false
}
