package evidence

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/provider/all"
	"mkt/internal/dataset"
	"mkt/internal/evidence/document"
	"mkt/internal/evidence/explain"
	"mkt/internal/evidence/find"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

func newExplain(g *Group) *cobra.Command {
	var w dataset.Filter
	var at string
	cmd := &cobra.Command{
		Use:   "explain ID",
		Short: "Trace an id or a live value to the payload and the rule",
		Long: `Trace an id or a live value to the archived answer of the provider, the path
inside it, and the rule that read it. ID is one of
  fx_…, mk_…, sl_…        a fixture, market or selection
  fx_…/momentum           and what it was computed from
  fx_…/minute/37          the samples from which a minute got its points
  fx_…/timeline/3         an entry, counted from 1 (without a number all)
  fx_…/counter/corners, fx_…/score, fx_…/clock
A part of the teams' names, accents or not, may be given instead of fx_…: of a
fixture of the newest publication, or else of one that left, as of the newest
that has it. Words of a market or a price of the newest publication may follow.

It needs the data root alone. The exit code is 1 if anything could not be
traced.`,
		Example: `  mkt explain sl_… --at 2026-11-21T14:05:00Z
  mkt explain Arsenal match result home
  mkt explain Arsenal/minute/37 --tenant acme --output json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			moment, err := g.MomentArg("--at", at)
			if err != nil {
				return err
			}
			wanted := explained{text: strings.Join(args, " "), at: moment, newest: !cmd.Flags().Changed("at")}
			return g.explain(cmd.Context(), w, wanted)
		},
	}
	cli.DatasetFlags(cmd, &w)
	cmd.Flags().StringVar(&at, "at", snapshot.Newest.String(), "explain the value as of this publication: "+snapshot.Forms)
	return cmd
}

// explained is the request of an explanation.
type explained struct {
	text   string // an id, the path of a live value, or one beginning with teams' names
	at     snapshot.Moment
	newest bool // at was not given
}

// in returns the target in a dataset, and the moment of its publication.
func (e explained) in(d dataset.Dataset) (explain.Target, snapshot.Moment, error) {
	text, found, err := find.ID(d, e.text)
	at := e.at
	if err != nil {
		return explain.Target{}, at, err
	}
	if e.newest && !found.Left.IsZero() {
		at = snapshot.Numbered(found.Version)
	}
	target, err := explain.ParseTarget(text)
	if err != nil {
		err = terminal.AsUsage(err)
	}
	return target, at, err
}

func (g *Group) explain(ctx context.Context, w dataset.Filter, e explained) error {
	if err := w.Check(); err != nil {
		return err
	}
	stands := e.text // for a target whose form can be checked before anything is opened
	if name, rest := explain.SplitName(e.text); name != "" {
		stands = "fx_" + strings.Repeat("a", 26) + rest
	}
	target, err := explain.ParseTarget(stands)
	if err != nil {
		return terminal.AsUsage(err)
	}
	if target.IsLive() && w.Product == "" {
		w.Product = string(football.LiveIntelligence)
	}
	datasets, err := dataset.List(g.Data, w)
	if err != nil {
		return err
	}
	if name, _ := explain.SplitName(e.text); name != "" {
		if datasets, err = find.Having(datasets, name); err != nil {
			return err
		}
	}
	var errs []error
	for _, p := range datasets {
		r, err := g.explainIn(ctx, p, e)
		if err == nil {
			return g.printExplained(r)
		}
		if errors.As(err, new(find.Several)) {
			return err // another dataset may have only one of them, which need not be meant
		}
		errs = append(errs, err)
	}
	return worst(errs)
}

// worst joins the errors. A dataset without the id is an error only if there is no other one.
func worst(errs []error) error {
	var rest []error
	for _, err := range errs {
		if !errors.Is(err, explain.ErrUnknown) && !errors.Is(err, snapshot.ErrUnknown) && !errors.Is(err, find.ErrUnknown) {
			rest = append(rest, err)
		}
	}
	if len(rest) > 0 {
		return errors.Join(rest...)
	}
	return unknownTo(errs)
}

// unknownTo returns the first of the errors of datasets without the target. It is an error of usage,
// unless nothing was published yet.
func unknownTo(errs []error) error {
	err := errs[0]
	if others := len(errs) - 1; others > 0 {
		err = fmt.Errorf("%w; nor in %s", err, terminal.Plural(others, "other dataset"))
	}
	if errors.Is(err, snapshot.ErrNothing) {
		return err
	}
	return terminal.AsUsage(err)
}

func (g *Group) explainIn(ctx context.Context, p dataset.Dataset, e explained) (*explain.Report, error) {
	target, at, err := e.in(p)
	if err != nil {
		return nil, err
	}
	root, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	bar := g.NewBar("explain", "cycles")
	defer bar.Done()
	return explain.Run(ctx, explain.Options{Tenant: p.Tenant, Product: p.Product, Root: root, At: at, Provider: all.Lookup, Progress: bar.Set}, target)
}

var errExplained = errors.New("not everything could be traced to the payload: see the notes")

func (g *Group) printExplained(r *explain.Report) error {
	if err := g.show(r, func() *document.Document { return r.Document(g.Data) }); err != nil {
		return err
	}
	if !r.Complete {
		return errExplained
	}
	return nil
}
