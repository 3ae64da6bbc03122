package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/explain"
	"mkt/fetch/provider/all"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

func newExplain(a *app) *cobra.Command {
	var w wanted
	var at string
	cmd := &cobra.Command{
		Use:   "explain ID",
		Short: "Lead an id or live value back to the payload and the rule that read it",
		Long: `Lead an id or a live value back to the archived answer of the provider, the path
inside it, and the rule that read it. ID is one of
  fx_…, mk_…, sl_…               a fixture, market or selection
  fx_…/momentum                  and what it was made of
  fx_…/minute/37                 the samples that gave a minute its points
  fx_…/timeline/3                an entry, counted from 1 (all of them without a number)
  fx_…/counter/corners, fx_…/score, fx_…/clock
It needs the data root alone. Exit code 1 when not everything could be led back.`,
		Example: `  mkt explain sl_… --at 2026-11-21T14:05:00Z
  mkt explain fx_…/minute/37 --tenant acme --output json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := explain.ParseTarget(args[0])
			if err != nil {
				return asUsage(err)
			}
			moment, err := momentArg("--at", at)
			if err != nil {
				return err
			}
			return a.explain(cmd.Context(), w, moment, target)
		},
	}
	w.flags(cmd)
	cmd.Flags().StringVar(&at, "at", snapshot.Newest.String(), "as of which publication: "+snapshot.Forms)
	return cmd
}

func (a *app) explain(ctx context.Context, w wanted, at snapshot.Moment, target explain.Target) error {
	if err := w.check(); err != nil {
		return err
	}
	if target.IsLive() && w.product == "" {
		w.product = string(football.LiveIntelligence)
	}
	places, err := placesOf(a.data, w)
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range places {
		r, err := a.explainIn(ctx, p, at, target)
		if err == nil {
			return a.printExplained(r)
		}
		errs = append(errs, err)
	}
	return worst(errs)
}

// worst leaves out that other places do not have it, as far as one has more to
// say.
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
		return fmt.Errorf("%w; nor in %s", errs[0], plural(others, "other place"))
	}
	return errs[0]
}

func (a *app) explainIn(ctx context.Context, p place, at snapshot.Moment, target explain.Target) (*explain.Report, error) {
	root, err := p.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	bar := a.newBar("cycles")
	defer bar.done()
	return explain.Run(ctx, explain.Options{Tenant: p.tenant, Product: p.product, Root: root, At: at, Provider: all.Lookup, Progress: bar.set}, target)
}

// errExplained: what could be told was told.
var errExplained = errors.New("not everything could be led back to the payload, see the notes")

func (a *app) printExplained(r *explain.Report) error {
	if a.json() {
		if err := json.NewEncoder(a.out).Encode(r); err != nil {
			return err
		}
	} else {
		a.drawExplained(r)
	}
	if !r.Complete {
		return errExplained
	}
	return nil
}
