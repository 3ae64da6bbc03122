package receipts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/dataset"
	"mkt/internal/evidence/explain"
	"mkt/internal/evidence/find"
	"mkt/internal/evidence/prove"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

type proveFlags struct {
	dataset.Filter
	at      string
	payload bool
}

func newProve(g *Group) *cobra.Command {
	var f proveFlags
	cmd := &cobra.Command{
		Use:   "prove ID",
		Short: "Write a receipt of a price or a match that anybody can check",
		Long: `Write a receipt to the standard output: a file with which anybody can check,
offline and with public keys alone, that the price of a selection was in a
publication, and when that publication was logged. ID is sl_…, mk_…/sl_…,
fx_…/mk_…/sl_…, or teams' names with words of a price.

A fixture alone, fx_… (or with --product live_intelligence teams' names), is a
match in play: the receipt has its clock, score, counters, timeline, minutes
and momentum in that live publication.

The receipt shows that fixture in that publication, and no other fixture. It
also tells where the fixture stands among those of the publication, about how
many there are, and what commit records have: how many changes there were so
far, and the times and hashes of publications up to the logged one.

The publication must be in the log (mkt log), and its snapshot must be kept.
No secret is needed: of the log's key, only the verifier key beside it is read,
if there is no policy.`,
		Example: `  mkt prove sl_… --at 2026-11-28T14:05:00Z --policy policy.txt > price.receipt
  mkt prove Quarrybank match result home --payload > price.receipt
  mkt prove fx_… --at 2026-11-28T15:52:00Z > match.receipt`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return g.prove(f, strings.Join(args, " ")) },
	}
	flags := cmd.Flags()
	cli.DatasetFlags(cmd, &f.Filter)
	flags.StringVar(&f.at, "at", snapshot.Newest.String(), "prove the price in this publication: "+snapshot.Forms)
	flags.BoolVar(&f.payload, "payload", false, "add the provider's answer that the price was read from, byte for byte")
	cli.LogKeyFlag(&g.files, g.Settings, cmd)
	cli.LogPolicyFlag(&g.files, g.Settings, cmd)
	return cmd
}

func (g *Group) prove(f proveFlags, id string) error {
	if terminal.OnTerminal(g.Out) {
		return terminal.Usagef("a receipt is a file, of some hundred kilobytes: write it into one, as in mkt prove … > price.receipt, or into a pipe")
	}
	at, err := g.MomentArg("--at", f.at)
	if err != nil {
		return err
	}
	policy, err := prove.Policy(g.files)
	if err != nil {
		return err
	}
	if f.Product == "" {
		f.Product = string(football.MarketEngine)
		if prove.IsFixture(id) {
			f.Product = string(football.LiveIntelligence)
		}
	}
	if err := f.Check(); err != nil {
		return err
	}
	if f.payload && f.Product == string(football.LiveIntelligence) {
		return terminal.Usagef("--payload: the state of a match in play is read from many answers, and a receipt of it has none")
	}
	datasets, err := dataset.List(g.Data, f.Filter)
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
		made, result, err := prove.MakeOf(d, id, prove.Wanted{At: at, Policy: policy, Payload: f.payload})
		if err == nil {
			if _, err = g.DataOut().Write(made.Encode()); err == nil {
				fmt.Fprintln(g.Errs, result.Says)
			}
			return err
		}
		if !prove.IsUnknown(err) {
			return prove.Remedy(err)
		}
		errs = append(errs, fmt.Errorf("%s: %w", d, err))
	}
	return terminal.AsUsage(errors.Join(errs...))
}
