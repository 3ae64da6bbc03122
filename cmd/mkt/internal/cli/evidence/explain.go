package evidence

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/explain"
	"mkt/fetch/provider/all"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

func newExplain(g *Group) *cobra.Command {
	var w cli.Filter
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
It needs the data root alone. The exit code is 1 if anything could not be
traced.`,
		Example: `  mkt explain sl_… --at 2026-11-21T14:05:00Z
  mkt explain fx_…/minute/37 --tenant acme --output json`,
		Args:        cobra.ExactArgs(1),
		Annotations: map[string]string{cli.Paged: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := explain.ParseTarget(args[0])
			if err != nil {
				return cli.AsUsage(err)
			}
			moment, err := cli.MomentArg("--at", at)
			if err != nil {
				return err
			}
			return g.explain(cmd.Context(), w, moment, target)
		},
	}
	w.Flags(cmd)
	cmd.Flags().StringVar(&at, "at", snapshot.Newest.String(), "as of which publication: "+snapshot.Forms)
	return cmd
}

func (g *Group) explain(ctx context.Context, w cli.Filter, at snapshot.Moment, target explain.Target) error {
	if err := w.Check(); err != nil {
		return err
	}
	if target.IsLive() && w.Product == "" {
		w.Product = string(football.LiveIntelligence)
	}
	datasets, err := cli.Datasets(g.Data, w)
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range datasets {
		r, err := g.explainIn(ctx, p, at, target)
		if err == nil {
			return g.printExplained(r)
		}
		errs = append(errs, err)
	}
	return worst(errs)
}

// worst joins the errors. That a dataset does not have the id counts only if there is no other
// error.
func worst(errs []error) error {
	var rest []error
	for _, err := range errs {
		if !errors.Is(err, explain.ErrUnknown) && !errors.Is(err, snapshot.ErrUnknown) {
			rest = append(rest, err)
		}
	}
	if len(rest) > 0 {
		return errors.Join(rest...)
	}
	if others := len(errs) - 1; others > 0 {
		return fmt.Errorf("%w; nor in %s", errs[0], cli.Plural(others, "other dataset"))
	}
	return errs[0]
}

func (g *Group) explainIn(ctx context.Context, p cli.Dataset, at snapshot.Moment, target explain.Target) (*explain.Report, error) {
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
	if g.JSON() {
		if err := g.Encode(r); err != nil {
			return err
		}
	} else {
		g.drawExplained(r)
	}
	if !r.Complete {
		return errExplained
	}
	return nil
}
