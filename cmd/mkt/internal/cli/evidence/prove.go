package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/commitlog"
	"mkt/cmd/mkt/internal/explain"
	"mkt/cmd/mkt/internal/fixtures"
	"mkt/cmd/mkt/internal/printable"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/receipt"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/transparency"
)

type proveFlags struct {
	tenant, at string
	log        cli.LogFiles
	payload    bool
}

func newProve(g *Group) *cobra.Command {
	var f proveFlags
	cmd := &cobra.Command{
		Use:   "prove ID",
		Short: "Write a receipt of a price that anybody can check",
		Long: `Write a receipt to the standard output: a file with which anybody can check,
offline and with public keys alone, that the price of a selection was in a
publication, and when that publication was logged. ID is sl_…, mk_…/sl_…,
fx_…/mk_…/sl_…, or teams' names with words of a price. The receipt shows that
fixture in that publication, and nothing else of the account.

The publication must be in the log (mkt log), and its snapshot must be kept.
No secret is needed: of the log's key, only the verifier key beside it is read,
if there is no policy.`,
		Example: `  mkt prove sl_… --at 2026-11-28T14:05:00Z --policy policy.txt > price.receipt
  mkt prove Quarrybank match result home --payload > price.receipt`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return g.prove(f, strings.Join(args, " ")) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.tenant, "tenant", "", "only this account's data (default: all accounts)")
	flags.StringVar(&f.at, "at", snapshot.Newest.String(), "of which publication: "+snapshot.Forms)
	flags.BoolVar(&f.payload, "payload", false, "add the provider's answer that the price was read from, byte for byte")
	f.log.KeyFlag(g.Settings, cmd)
	f.log.PolicyFlag(g.Settings, cmd)
	return cmd
}

func (g *Group) prove(f proveFlags, id string) error {
	at, err := g.MomentArg("--at", f.at)
	if err != nil {
		return err
	}
	policy, err := f.policy()
	if err != nil {
		return err
	}
	w := cli.Filter{Tenant: f.tenant, Product: string(football.MarketEngine)}
	if err := w.Check(); err != nil {
		return err
	}
	datasets, err := cli.Datasets(g.Data, w)
	if err != nil {
		return err
	}
	if name, _ := explain.SplitName(id); name != "" {
		if datasets, err = fixtures.Having(datasets, name); err != nil {
			return err
		}
	}
	var errs []error
	for _, d := range datasets {
		made, result, err := g.receiptIn(d, id, at, policy, f.payload)
		if err == nil {
			if _, err = g.DataOut().Write(made.Encode()); err == nil {
				fmt.Fprintln(g.Errs, printable.Text(result.Says))
			}
			return err
		}
		if !isUnknown(err) {
			return remedyOf(err)
		}
		errs = append(errs, fmt.Errorf("%s: %w", d, err))
	}
	return cli.AsUsage(errors.Join(errs...))
}

// policy reads the policy. Without one, the log is that of the verifier key, and needs no witness.
func (f *proveFlags) policy() (*transparency.Policy, error) {
	if f.log.Policy != "" {
		return commitlog.LoadPolicy(f.log.Policy)
	}
	key, err := commitlog.LoadPublic(f.log.Key)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: mkt log init NAME makes it, or --policy names the log", err)
	}
	if err != nil {
		return nil, err
	}
	return transparency.ParsePolicy([]byte("log " + key + "\nquorum none\n"))
}

func isUnknown(err error) bool {
	return errors.Is(err, receipt.ErrUnknown) || errors.Is(err, fixtures.ErrUnknown) || errors.Is(err, snapshot.ErrUnknown)
}

// remedyOf adds the next step to an error.
func remedyOf(err error) error {
	switch {
	case errors.Is(err, transparency.ErrNoLog):
		return fmt.Errorf("%w: mkt log begins it", err)
	case errors.Is(err, transparency.ErrOtherKey):
		return fmt.Errorf("%w: the policy names another log", err)
	case errors.Is(err, transparency.ErrNotLogged):
		return cli.AsTemporary(fmt.Errorf("%w: mkt log logs it; try again then", err))
	case errors.Is(err, receipt.ErrRewritten):
		return fmt.Errorf("%w: mkt log audit says which", err)
	}
	return err
}

// receiptIn makes a receipt from a dataset.
func (g *Group) receiptIn(d cli.Dataset, id string, at snapshot.Moment, policy *transparency.Policy, payload bool) (*receipt.Receipt, *receipt.Result, error) {
	if id, _, err := idOf(d, id); err != nil {
		return nil, nil, err
	} else if target, err := explain.ParseTarget(id); err != nil || target.IsLive() {
		return nil, nil, cli.Usagef("%q: want the id of a selection, sl_… or fx_…/mk_…/sl_…", id)
	} else {
		fixture, market, selection := target.IDs()
		if selection == "" {
			return nil, nil, cli.Usagef("%s: want one selection, such as sl_… or fx_…/mk_…/sl_…; mkt inspect shows their ids", id)
		}
		return g.receiptOf(d, fixture, market, selection, at, policy, payload)
	}
}

func (g *Group) receiptOf(d cli.Dataset, fixture, market, selection string, at snapshot.Moment, policy *transparency.Policy, payload bool) (*receipt.Receipt, *receipt.Result, error) {
	root, err := d.Open()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	data, err := durable.OpenExisting(d.Data)
	if err != nil {
		return nil, nil, fmt.Errorf("data root: %w", err)
	}
	defer data.Close()
	c, err := snapshot.Find(root, at)
	if err != nil {
		return nil, nil, err
	}
	kept, err := snapshot.IsKept(root, c)
	if err != nil {
		return nil, nil, err
	}
	if !kept {
		return nil, nil, fmt.Errorf("the snapshot of version %d (%s) was deleted by retention: a receipt needs its rows; make receipts while the publication is kept (retention.snapshot_age)", c.Version, c.CycleID)
	}
	m, err := snapshot.Open(root, c)
	if err != nil {
		return nil, nil, err
	}
	if fixture == "" {
		if fixture, err = snapshot.FixtureWith(root, c, m, cmp.Or(market, selection)); err != nil {
			return nil, nil, err
		}
	}
	if market == "" {
		_, markets, _, err := snapshot.FixtureOf(root, c, m, fixture)
		if err != nil {
			return nil, nil, err
		}
		market = marketWith(markets, selection)
	}
	wanted := receipt.Wanted{Root: root, Data: data, ClientID: d.Tenant, Product: d.Product, Commit: c,
		FixtureID: fixture, MarketID: market, Selection: selection, Policy: policy}
	if payload {
		wanted.Answer = func(sum string) ([]byte, error) { return answerWith(root, c, sum) }
	}
	return receipt.Make(wanted)
}

func marketWith(markets []table.MarketRow, selection string) string {
	for _, m := range markets {
		for _, s := range m.Selections {
			if s.SelectionID == selection {
				return m.MarketID
			}
		}
	}
	return ""
}

// answerWith returns the archived answer with a hash, of the publication's cycle or of one before it.
func answerWith(root durable.ReadFS, newest snapshot.Commit, sum string) ([]byte, error) {
	for c, err := range snapshot.Backward(root, newest) {
		if err != nil {
			return nil, err
		}
		a, err := raw.Open(root, c.CycleID)
		if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, r := range a.Responses() {
			if r.SHA256 == sum {
				return a.Body(r)
			}
		}
	}
	return nil, fmt.Errorf("--payload: the answer with the hash %s is not kept any more (retention.cycle_age); without --payload there is a receipt", sum)
}
