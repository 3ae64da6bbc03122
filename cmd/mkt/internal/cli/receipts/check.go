package receipts

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/receipt"
	"mkt/internal/terminal"
)

func newCheck(g *Group) *cobra.Command {
	var policy string
	cmd := &cobra.Command{
		Use:   "check RECEIPT",
		Short: "Check a receipt, offline",
		Long: `Check a receipt that mkt prove wrote, - for the standard input. It needs the
policy alone: the public keys of the log and of the witnesses whose word counts.
Get them from their owners, not from the sender of the receipt. It reads no
data root, no setting and no network.

It prints the claim in six lines: the price, the match and the market, or the
score, the match and its momentum; when it was published, who has witnessed it,
and what is not proven.

The exit code is 0 if the receipt holds and is witnessed as the policy demands,
1 if not, or if the times of the witnesses contradict each other.`,
		Example: `  mkt check price.receipt --policy policy.txt`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return g.check(args[0], policy) },
	}
	cmd.Flags().StringVar(&policy, "policy", "", "read the keys of the log and of the witnesses from this file (c2sp.org/tlog-policy)")
	return cmd
}

// Errors of a receipt that holds.
var (
	errUnwitnessed = errors.New("the receipt holds, but it is not witnessed as the policy demands")
	errContradicts = errors.New("the receipt holds, but the times of its witnesses contradict each other: it was logged not before the later one, and published not after the earlier one")
)

func (g *Group) check(name, policyFile string) error {
	if policyFile == "" {
		return terminal.Usagef("--policy: want the file with the keys of the log and of the witnesses; docs/receipts.md shows one")
	}
	policy, err := commitlog.LoadPolicy(policyFile)
	if err != nil {
		return err
	}
	in := os.Stdin
	if name != "-" {
		if in, err = os.Open(name); err != nil {
			return terminal.AsUsage(fmt.Errorf("receipt: %w", err))
		}
		defer in.Close()
	}
	data, err := io.ReadAll(io.LimitReader(in, receipt.MaxBytes+1))
	if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	result, err := receipt.Check(data, policy)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := g.Answer(result, func(w io.Writer) error { return printChecked(w, result) }); err != nil {
		return err
	}
	switch {
	case result.Contradicts():
		return fmt.Errorf("%s: %w", name, errContradicts)
	case !result.Enough:
		return fmt.Errorf("%s: %w", name, errUnwitnessed)
	}
	return nil
}

func printChecked(w io.Writer, r *receipt.Result) error {
	_, err := fmt.Fprintln(w, r.Says)
	if err == nil && r.Answer {
		_, err = fmt.Fprintln(w, "it has the provider's answer that the price was read from")
	}
	if err == nil && r.Enough {
		_, err = fmt.Fprintln(w, "the receipt holds")
	}
	return err
}
