package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/dataset"
	"mkt/internal/evidence/compare"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/find"
	"mkt/internal/evidence/page"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

type diffFlags struct {
	dataset.Filter
	dataB    string
	fixture  string
	only     []string
	summary  bool
	html     string
	exitCode bool
}

func newDiff(g *Group) *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff [A [B]]",
		Short: "Report what differs between two published snapshots",
		Long: `Report what differs between two published snapshots of an account's product:
fixtures, markets and selections that were added, removed or changed, odds
that moved, what was suspended or resumed; for live data scores, states,
momentum and counters. A and B are each
` + snapshot.Forms + `
(UTC; the newest publication at that time), by default latest~1 and latest.
--data-b compares with the same account on another data root, by default
newest with newest.

Changes are listed by fixture, or with --output json as one JSON object a
line, and a summary last. Each ends with an id that mkt explain takes, with
--at as of A or B. "(not sent)" and "(null)" are different values; in JSON the
first has no key. --html also writes a page that shows how the odds moved.
What an edit of a mapping table moved: mkt mapping report --against.

The exit code is 0 whether they differ or not. With --exit-code it is that of
diff(1): 0 if they are the same, 1 if they differ, 2 if they could not be
compared. Differences that --only or --fixture leaves out do not count.`,
		Example: `  mkt diff --tenant acme --product market_engine
  mkt diff --tenant acme --product market_engine --only odds \
    "2h ago" 2026-11-21T14:05:00Z
  mkt diff --tenant acme --product market_engine --exit-code --summary \
    --data-b ../replayed/data`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			differs, err := g.diff(cmd.Context(), f, args)
			switch {
			case differs && f.exitCode && err == nil:
				return cli.ErrDiffers
			case err != nil && f.exitCode:
				return terminal.AsUsage(err) // exit with 2, as diff(1) does
			}
			return err
		},
	}
	cli.DatasetFlags(cmd, &f.Filter)
	flags := cmd.Flags()
	flags.StringVar(&f.dataB, "data-b", "", "read B from this data root (default: the same)")
	flags.StringVar(&f.fixture, "fixture", "", "compare only this fixture: its id, or a part of its teams' names")
	flags.StringSliceVar(&f.only, "only", nil, "compare only these: "+strings.Join(diffGroupNames(), ", "))
	flags.BoolVar(&f.summary, "summary", false, "print only the counts")
	flags.StringVar(&f.html, "html", "", "also write a page to this file, or with - the page instead of the text to the standard output")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 1 if they differ, 2 if they could not be compared")
	return cmd
}

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

// shown returns the requested kinds of changes, nil for all.
func (f *diffFlags) shown() (map[compare.What]bool, error) {
	if len(f.only) == 0 {
		return nil, nil
	}
	shown := map[compare.What]bool{}
	for _, name := range f.only {
		k := slices.Index(diffGroupNames(), name)
		if k < 0 {
			return nil, terminal.CheckWord("--only", name, diffGroupNames()...)
		}
		for _, w := range diffGroups[k].whats {
			shown[w] = true
		}
	}
	return shown, nil
}

func (f *diffFlags) moments(g *Group, args []string) (a, b snapshot.Moment, err error) {
	before := snapshot.Newest.String() + "~1"
	if f.dataB != "" {
		before = snapshot.Newest.String()
	}
	texts := []string{before, snapshot.Newest.String()}
	copy(texts, args)
	if a, err = g.MomentArg("A", texts[0]); err != nil {
		return a, b, err
	}
	b, err = g.MomentArg("B", texts[1])
	return a, b, err
}

func (g *Group) diff(ctx context.Context, f diffFlags, args []string) (differs bool, err error) {
	shown, err := f.shown()
	if err != nil {
		return false, err
	}
	momentA, momentB, err := f.moments(g, args)
	if err != nil {
		return false, err
	}
	placeA, err := dataset.One(g.Data, f.Filter, momentA, momentB)
	if err != nil {
		return false, err
	}
	placeB := placeA
	if f.dataB != "" {
		if placeB, err = dataset.One(f.dataB, dataset.Filter{Tenant: placeA.Tenant, Product: string(placeA.Product)}); err != nil {
			return false, err
		}
	}
	o := compare.Options{}
	if f.fixture != "" {
		found, err := find.Named(placeA, f.fixture)
		if err != nil {
			return false, err
		}
		o.Fixture = found.ID
	}
	for _, side := range []struct {
		place dataset.Dataset
		at    snapshot.Moment
		to    *compare.Side
	}{{placeA, momentA, &o.A}, {placeB, momentB, &o.B}} {
		root, err := side.place.Open()
		if err != nil {
			return false, err
		}
		defer root.Close()
		if *side.to, err = sideOf(root, side.at); err != nil {
			return false, fmt.Errorf("%s: %w", side.place, err)
		}
	}
	return g.compare(ctx, f, o, shown)
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

func (g *Group) compare(ctx context.Context, f diffFlags, o compare.Options, shown map[compare.What]bool) (bool, error) {
	quiet := f.summary || f.html == "-"
	bar := g.NewBar("comparing", "")
	o.Progress = func(done, total int64) { bar.Set(int(done), int(total)) }
	var print changePrinter = &textPrinter{out: terminal.NewTableWriter(g.Out)}
	switch {
	case quiet:
		print = silentPrinter{}
	case g.JSON():
		print = &jsonPrinter{g.Encode}
	}
	report := compare.NewReport(o)
	sum, err := compare.Run(ctx, o, func(c compare.Change) error {
		if shown != nil && !shown[c.What] {
			return nil
		}
		report.Add(c)
		return print.change(c)
	})
	bar.Done()
	if err = errors.Join(err, print.end()); err != nil {
		return false, err
	}
	report.Finish(sum)
	made, err := report.Document(f.dataB)
	if err != nil {
		return false, err
	}
	if f.html != "" {
		c := page.Content{MadeBy: "mkt " + g.Version, MadeAt: g.Now(), Command: "mkt diff"}
		title := fmt.Sprintf("What changed: %s %s", o.A.Manifest.ClientID, o.A.Manifest.Product)
		if _, err := page.WriteFile(f.html, g.Out, func(w io.Writer) error { return made.Write(w, title, c) }); err != nil {
			return false, err
		}
	}
	if f.html != "-" {
		err = g.show(summaryOf(o, sum), func() *document.Document { return made })
	}
	return differs(sum, shown), err
}

func differs(sum compare.Summary, shown map[compare.What]bool) bool {
	for what, n := range sum.Changes {
		if n > 0 && (shown == nil || shown[what]) {
			return true
		}
	}
	return false
}
