package evidence

import (
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/dataset"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/inspect"
	"mkt/internal/terminal"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

type inspectFlags struct {
	dataset.Filter
	at      string
	last    int
	columns bool

	sql    string
	format cli.Choice
	rows   int
	memory int
}

func newInspect(g *Group) *cobra.Command {
	f := inspectFlags{format: cli.OneOf("table", "table", "csv", "json")}
	cmd := &cobra.Command{
		Use:   "inspect [CYCLE|FIXTURE]",
		Short: "Look at cycles, snapshots, rows and freshness; query by SQL",
		Long: `Look at the data root, offline and without changing anything.

Without an argument: every account's products in a line each, or with --tenant
and --product one of them, publication by publication. With an argument: one
cycle, from what the provider sent to what was served. It is named by
` + snapshot.Forms + `
(UTC; the newest publication at that time). Or one fixture of market_engine
with its markets, by its id or a part of its teams' names, accents or not.

--sql queries a snapshot, the newest or the one of --at, with DuckDB:
fixtures, markets, selections, changes, steps, commits; live, live_counters,
live_timeline, live_buckets, live_periods; and all_fixtures and so on for the
same of every snapshot kept up to then. Only a single SELECT is executed, and
nothing else can be read.

--format csv and json print all rows, for a file or another program. DuckDB
itself writes Parquet: docs/auditors.md has the query.`,
		Example: `  mkt inspect --tenant acme --product market_engine
  mkt inspect --tenant acme 20261121T140312Z-market_engine
  mkt inspect "Quarrybank City" --tenant acme
  mkt inspect --tenant acme --at "5m ago" \
    --sql "SELECT * FROM fixtures WHERE league LIKE '%Cup%'"
  mkt inspect --tenant acme --sql "SELECT cycle, odds_decimal_text
    FROM all_selections WHERE selection_id = 'sl_…' ORDER BY cycle"
  mkt inspect --tenant acme --sql "SELECT * FROM selections" --format csv`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return g.inspect(cmd, f, args) },
	}
	cli.DatasetFlags(cmd, &f.Filter)
	flags := cmd.Flags()
	flags.StringVar(&f.at, "at", "", "query this snapshot with --sql: "+snapshot.Forms+" (default: the newest)")
	flags.StringVar(&f.sql, "sql", "", "execute this SELECT (-: read it from the standard input)")
	flags.Var(&f.format, "format", "print the result of --sql in this format (--output json is json)")
	flags.IntVar(&f.rows, "rows", 1000, "print at most this many rows of a table; csv and json print all")
	flags.IntVar(&f.memory, "memory", 1024, "let a query use this many MiB in the engine")
	flags.IntVar(&f.last, "last", 20, "list this many of the newest publications (0: all)")
	cli.TextOnly(flags, "format", "rows")
	cli.Bound(flags, "rows", "a whole number, 1 or more", func() bool { return f.rows >= 1 })
	cli.Bound(flags, "memory", "a whole number of MiB from 16 to 1048576", cli.Between(&f.memory, 16, 1<<20))
	cli.Bound(flags, "last", "a whole number, 0 or more", func() bool { return f.last >= 0 })
	flags.BoolVar(&f.columns, "columns", false, "count absent, null, zero and value of every column of one cycle")
	return cmd
}

func (g *Group) inspect(cmd *cobra.Command, f inspectFlags, args []string) error {
	if err := f.Check(); err != nil {
		return err
	}
	changed := cmd.Flags().Changed
	switch {
	case f.at != "" && len(args) > 0:
		return terminal.Usagef("--at and %s: want one of the two", args[0])
	case len(args) > 0:
		f.at = args[0]
	case f.at != "" && f.sql == "":
		return terminal.Usagef("--at is for --sql; without it say mkt inspect %q", f.at)
	case changed("rows") && f.format.Value != "table":
		return terminal.Usagef("--rows is for a table: --format %s has all rows", f.format.Value)
	}
	for _, of := range []struct {
		query bool // whether the flags are for --sql, or go without it
		flags []string
	}{{true, []string{"format", "rows", "memory"}}, {false, []string{"last", "columns"}}} {
		for _, name := range of.flags {
			if changed(name) && changed("sql") != of.query {
				return terminal.Usagef("--%s %s --sql", name, map[bool]string{true: "is for", false: "goes without"}[of.query])
			}
		}
	}
	switch {
	case f.columns && f.at == "":
		return terminal.Usagef("--columns is for one cycle: mkt inspect latest --columns")
	case changed("last") && f.at != "":
		return terminal.Usagef("--last is for the list of publications: leave out %q", f.at)
	}
	switch {
	case changed("sql"):
		return g.inspectSQL(cmd.Context(), f)
	case f.at != "":
		if _, err := snapshot.ParseMoment(f.at, g.Now()); err != nil {
			return g.inspectFixture(f, f.at)
		}
		return g.inspectCycle(f)
	}
	datasets, err := dataset.List(g.Data, f.Filter)
	if err != nil {
		return err
	}
	if len(datasets) == 1 && (f.Product != "" || f.Tenant != "") {
		return g.inspectHistory(datasets[0], f.last)
	}
	return g.inspectAll(datasets)
}

func withDataset(p dataset.Dataset, do func(inspect.Place) error) error {
	root, err := p.Open()
	if err != nil {
		return err
	}
	defer root.Close()
	if err := do(inspect.Place{ClientID: p.Tenant, Product: p.Product, Root: root}); err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	return nil
}

// inspectAll shows each dataset in a line, also an unreadable one.
func (g *Group) inspectAll(datasets []dataset.Dataset) error {
	list := []inspect.Overview{}
	for _, p := range datasets {
		o := inspect.Overview{Place: inspect.Place{ClientID: p.Tenant, Product: p.Product}, Bytes: map[string]int64{}}
		err := withDataset(p, func(p inspect.Place) (err error) {
			o, err = inspect.Of(p, g.Now())
			return err
		})
		if err != nil {
			o.Damage = err.Error()
		}
		list = append(list, o)
	}
	return g.show(list, func() *document.Document { return inspect.Table(list) })
}

// inspectHistory shows one dataset, publication by publication.
func (g *Group) inspectHistory(p dataset.Dataset, last int) error {
	return withDataset(p, func(p inspect.Place) error {
		o, err := inspect.Of(p, g.Now())
		if err != nil {
			return err
		}
		list, err := inspect.History(p.Root, last)
		if err != nil && o.Damage == "" {
			return err
		}
		if list == nil {
			list = []inspect.Publication{}
		}
		return g.show(struct {
			inspect.Overview
			Publications []inspect.Publication `json:"publications"`
		}{o, list}, func() *document.Document { return o.Document(list) })
	})
}

// inspectCycle shows all steps of one cycle. An unpublished cycle is found by its id.
func (g *Group) inspectCycle(f inspectFlags) error {
	m, err := g.MomentArg("CYCLE", f.at)
	if err != nil {
		return err
	}
	p, err := dataset.One(g.Data, f.Filter, m)
	if err != nil {
		return err
	}
	return withDataset(p, func(p inspect.Place) error {
		c, err := inspect.Find(p, m)
		if err != nil {
			return err
		}
		return g.show(c, func() *document.Document { return c.Document(f.columns) })
	})
}

// datasetsFor returns the datasets of a query: all products of one account.
func (g *Group) datasetsFor(w dataset.Filter, m snapshot.Moment) ([]dataset.Dataset, error) {
	if _, product, err := layout.ParseCycleID(m.String()); err == nil {
		w.Product = product
	}
	datasets, err := dataset.List(g.Data, w)
	if err != nil {
		return nil, err
	}
	if datasets[0].Tenant != datasets[len(datasets)-1].Tenant {
		var names []string
		for _, p := range datasets {
			if len(names) == 0 || names[len(names)-1] != p.Tenant {
				names = append(names, p.Tenant)
			}
		}
		return nil, terminal.Usagef("several accounts: give --tenant: %s", terminal.Several(names))
	}
	return datasets, nil
}
