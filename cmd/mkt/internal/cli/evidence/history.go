package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mkt/internal/dataset"
	"mkt/internal/evidence/explain"
	"mkt/internal/evidence/find"
	"mkt/internal/evidence/history"
	"mkt/internal/evidence/page"
	"mkt/internal/past"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

type historyFlags struct {
	tenant   string
	from, to string
	at       string
	csv      bool
	html     string
}

func newHistory(g *Group) *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "Show the path of prices",
		Long: `Show the path of the prices of a fixture, a market or a selection: the
opening, the last before kick-off and the current price, and every step with
the times at which it was retrieved, processed and published. ID is fx_…,
mk_…, sl_…, fx_…/mk_…, fx_…/mk_…/sl_…, or a part of the teams' names, accents
or not, also of a fixture that left; words of a market or a price may follow.
Of a fixture, the main markets are drawn; --csv and --output json have all of
them.

Every change is recorded when it is published, and kept for a year: the path
needs no snapshot. Prices are the provider's own digits.`,
		Example: `  mkt history "Quarrybank City" --tenant acme
  mkt history Quarrybank total goals over 2.5
  mkt history fx_…/mk_… --html prices.html
  mkt history fx_… --csv --from "2h ago" > prices.csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.history(cmd.Context(), f, strings.Join(args, " "))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.tenant, "tenant", "", "select this account's data (default: all accounts)")
	flags.StringVar(&f.from, "from", "", "show only steps from this publication, time or day on, and the one in force then: "+snapshot.Forms)
	flags.StringVar(&f.to, "to", "", "show only steps up to this publication or time")
	flags.StringVar(&f.at, "at", "", "show only the prices as of this publication or time")
	flags.BoolVar(&f.csv, "csv", false, "write all prices and their changes as CSV")
	flags.StringVar(&f.html, "html", "", "write the page of a market to this file (-: the standard output)")
	return cmd
}

// wantedPrices selects the prices to show.
type wantedPrices struct {
	dataset                    dataset.Dataset
	fixture, market, selection string
}

func (g *Group) history(ctx context.Context, f historyFlags, id string) error {
	if f.csv && (g.JSON() || f.html != "") {
		return terminal.Usagef("--csv: want it alone, without --html and --output json")
	}
	if f.at != "" && (f.from != "" || f.to != "") {
		return terminal.Usagef("--at: want it without --from and --to")
	}
	var bounds []bound
	for _, of := range [][2]string{{"--from", f.from}, {"--to", f.to}, {"--at", f.at}} {
		if of[1] == "" {
			continue
		}
		m, err := g.MomentArg(of[0], of[1])
		if err != nil {
			return err
		}
		bounds = append(bounds, bound{of[0], m})
	}
	w := dataset.Filter{Tenant: f.tenant, Product: string(football.MarketEngine)}
	if err := w.Check(); err != nil {
		return err
	}
	datasets, err := dataset.List(g.Data, w)
	if err != nil {
		return err
	}
	if name, _ := explain.SplitName(id); name != "" {
		if datasets, err = find.Having(datasets, name); err != nil {
			return err
		}
	}
	var errs []error
	for _, d := range datasets {
		p, of, err := g.pathIn(ctx, d, id, bounds)
		if err == nil {
			return g.printHistory(f, p, of)
		}
		switch {
		case errors.Is(err, find.ErrUnknown), errors.Is(err, snapshot.ErrUnknown):
			errs = append(errs, err)
		case errors.Is(err, history.ErrUnknown), errors.Is(err, errReversed):
			errs = append(errs, fmt.Errorf("%s: %w", d, err))
		default:
			return err
		}
	}
	return unknownTo(errs)
}

var errReversed = errors.New("--from is after --to")

// bound is the moment of a flag.
type bound struct {
	flag   string
	moment snapshot.Moment
}

// boundsIn returns the options with the times of the flags in a dataset.
func boundsIn(d dataset.Dataset, bounds []bound) (o history.Options, err error) {
	for _, b := range bounds {
		at, err := past.TimeOf([]dataset.Dataset{d}, b.flag, b.moment)
		if err != nil {
			return o, err
		}
		if b.flag != "--to" {
			o.From = at
		}
		if b.flag != "--from" {
			o.To = at // with --at, the step in force then is the only one
		}
	}
	if !o.To.IsZero() && o.From.After(o.To) {
		return o, errReversed
	}
	return o, nil
}

func (g *Group) pathIn(ctx context.Context, d dataset.Dataset, id string, bounds []bound) (*history.Path, wantedPrices, error) {
	of := wantedPrices{dataset: d}
	root, err := d.Open()
	if err != nil {
		return nil, of, err
	}
	defer root.Close()
	id, _, err = find.ID(d, id)
	if err != nil {
		return nil, of, err
	}
	if err := of.find(root, id); err != nil {
		return nil, of, err
	}
	o, err := boundsIn(d, bounds)
	if err != nil {
		return nil, of, err
	}
	o.Root, o.Fixture, o.Market = root, of.fixture, of.market
	p, err := history.Read(ctx, o)
	if snapshot.IsDamage(err) {
		err = fmt.Errorf("%w: to rebuild it: mkt recover --tenant %s --product %s", err, d.Tenant, d.Product)
	}
	if err != nil {
		return nil, of, err
	}
	if of.market != "" && p.Market(of.market) == nil {
		return nil, of, fmt.Errorf("%s: the kept publications of %s have no such market", of.market, of.fixture)
	}
	return p, of, nil
}

// find finds the fixture, the market and the selection of an id.
func (w *wantedPrices) find(root durable.ReadFS, id string) error {
	target, err := explain.ParseTarget(id)
	if err != nil || target.IsLive() {
		return terminal.Usagef("%q: want fx_…, mk_…, sl_…, fx_…/mk_…, fx_…/mk_…/sl_…, or a part of the teams' names", id)
	}
	w.fixture, w.market, w.selection = target.IDs()
	if w.fixture != "" && (w.selection == "" || w.market != "") {
		return nil
	}
	return w.findIn(root, id)
}

// findIn finds the fixture of a market or selection of the newest publication.
func (w *wantedPrices) findIn(root durable.ReadFS, id string) error {
	commit, found, err := snapshot.Head(root)
	if err != nil {
		return err
	}
	unknown := unknownError{id + ": the newest publication does not have it; if an older one has, give the id of its fixture, too: fx_…/mk_…"}
	if !found {
		return unknown
	}
	manifest, err := snapshot.Open(root, commit)
	if err != nil {
		return err
	}
	if w.fixture, err = snapshot.FixtureWith(root, commit, manifest, cmp.Or(w.selection, w.market)); err != nil {
		return err
	}
	if w.fixture == "" {
		return unknown
	}
	_, markets, _, err := snapshot.FixtureOf(root, commit, manifest, w.fixture)
	for i := range markets {
		m := &markets[i]
		isIts := slices.ContainsFunc(m.Selections, func(s table.SelectionRow) bool { return s.SelectionID == w.selection })
		if w.selection != "" && isIts && (w.market == "" || m.MarketID == w.market) {
			w.market = m.MarketID
			return err
		}
	}
	if w.selection != "" && err == nil {
		return unknown
	}
	return err
}

// unknownError is [history.ErrUnknown] with a message of its own.
type unknownError struct{ string }

func (e unknownError) Error() string { return e.string }
func (unknownError) Unwrap() error   { return history.ErrUnknown }

func (g *Group) printHistory(f historyFlags, p *history.Path, of wantedPrices) error {
	switch {
	case f.html != "":
		return g.historyPage(f, p, of)
	case f.csv:
		return history.WriteCSV(g.DataOut(), p, of.market, of.selection)
	case g.JSON():
		return g.Encode(history.ReportOf(p, of.market, of.selection))
	}
	d, err := p.Document(history.Shown{Account: of.dataset.Tenant, Market: of.market, Selection: of.selection, Columns: g.Columns()})
	if err != nil {
		return err
	}
	return d.Print(g.Out)
}

func (g *Group) historyPage(f historyFlags, p *history.Path, of wantedPrices) error {
	if of.market == "" {
		groups := history.Grouped(p.Offered())
		if len(groups) == 0 {
			return fmt.Errorf("%s: the kept publications have no markets of it", of.fixture)
		}
		of.market = groups[0].Markets[0].MarketID // the match result, if there is one
	}
	d, err := p.Document(history.Shown{Account: of.dataset.Tenant, Market: of.market})
	if err != nil {
		return err
	}
	title := history.Title(&p.Market(of.market).MarketRow)
	size, err := page.WriteFile(f.html, g.Out, func(w io.Writer) error {
		return d.Write(w, history.FixtureName(&p.Fixture)+": "+title, page.Content{MadeBy: "mkt " + g.Version, MadeAt: g.Now(), Command: "mkt history " + of.fixture + "/" + of.market})
	})
	if err != nil || f.html == "-" {
		return err
	}
	if g.JSON() {
		return g.Encode(map[string]any{"file": f.html, "bytes": size, "fixture_id": of.fixture, "market_id": of.market, "client_id": of.dataset.Tenant})
	}
	_, err = printable.Fprintf(g.Out, "%s: %s, %s\n", f.html, history.FixtureName(&p.Fixture), title)
	return err
}
