package receipts

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts/audit"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
)

type auditFlags struct {
	from     []string
	receipts []string
	log      string
	verifier string
}

func newLogAudit(g *Group) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Find rewritten and forked histories",
		Long: `Read the whole transparency log, and check that it extends an older checkpoint,
that every tile and entry leads to its root, that the leaves are its entries,
and that each logged publication is still the one in the data root. Keep
checkpoints (log/checkpoint) where the operator cannot change them: nothing else
shows that a log was rewritten as a whole.

With an object store run it where the log is. mkt pull copies the publications
that were made elsewhere.

With --log it audits a copy of the folder log alone, which needs no data root
and nothing secret, and says what it could not check. It opens no key. --receipt
names a receipt, whose leaf must be an entry of the log: two receipts of one
dataset show whether its history was rewritten.

The exit code is 0 if nothing is wrong, 1 otherwise.`,
		Example: `  mkt log audit --from last-week.checkpoint
  mkt log audit --from last-week.checkpoint --log copy --policy policy`,
		Args: cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error { return g.audit(f) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.from, "from", nil, "compare the log with the older checkpoint in this file (may be repeated)")
	flags.StringArrayVar(&f.receipts, "receipt", nil, "compare the log with the leaf of the receipt in this file (may be repeated)")
	flags.StringVar(&f.log, "log", "", "read this copy of the folder log (default: that of the data root)")
	flags.StringVar(&f.verifier, "verifier-key", "", "check signatures with this verifier key of the log (default: that of the policy, or else the one beside --log-key)")
	cli.LogKeyFlag(&g.files, g.Settings, cmd)
	cli.LogPolicyFlag(&g.files, g.Settings, cmd)
	return cmd
}

func (g *Group) audit(f auditFlags) error {
	data, root, err := g.auditRoot(f.log)
	if err != nil {
		return err
	}
	defer root.Close()
	var files durable.ReadFS = root
	if data == "" {
		files = commitlog.LogOnly{ReadFS: root}
	}
	view, head, err := g.view(files, f.verifier)
	if err != nil {
		return commitlog.Explain(err)
	}
	var older []transparency.Checkpoint
	for _, name := range f.from {
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("--from: %w", err)
		}
		c, err := view.Open(text)
		if err != nil {
			return terminal.Usagef("--from %s: %w", name, err)
		}
		older = append(older, c.Checkpoint)
	}
	shown, err := shownLeaves(f.receipts)
	if err != nil {
		return err
	}
	result, err := commitlog.AuditLog(view, head, commitlog.AuditOptions{Older: older, Shown: shown, Data: data, Shared: g.HasStore(), Deletions: g.deletions()})
	if err != nil {
		return fmt.Errorf("log audit: %w", err)
	}
	if err := g.Answer(result, func(out io.Writer) error { return printAudit(out, result) }); err != nil {
		return err
	}
	if n := len(result.Faults); n > 0 {
		return fmt.Errorf("log audit: %s", terminal.Plural(n, "fault"))
	}
	return nil
}

// shownLeaves reads the leaves of receipts. Whether the receipts hold is for mkt check.
func shownLeaves(names []string) (list []transparency.ShownLeaf, err error) {
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("--receipt: %w", err)
		}
		r, err := receipt.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--receipt %s: %w", name, err)
		}
		leaf, err := transparency.ParseLeaf(r.Leaf)
		proof, invalid := transparency.ParseProof([]byte(r.Proof))
		if err = errors.Join(err, invalid); err != nil {
			return nil, fmt.Errorf("--receipt %s: %w", name, err)
		}
		list = append(list, transparency.ShownLeaf{Index: proof.Index, Leaf: leaf})
	}
	return list, nil
}

// deletions returns when accounts were deleted; nil if this machine has no accounts.
func (g *Group) deletions() map[string][]time.Time {
	if _, err := os.Stat(g.Tenants); err != nil {
		return nil
	}
	log, err := audit.Open(g.Tenants, audit.Filter{Action: audit.TenantDelete})
	if err != nil {
		return nil
	}
	all := map[string][]time.Time{}
	for _, e := range log.Entries {
		all[e.Tenant] = append(all[e.Tenant], e.At)
	}
	return all
}

// auditRoot opens the data root, or a copy of the folder log; data is "" for a copy.
func (g *Group) auditRoot(copied string) (data string, root *durable.Disk, err error) {
	if copied != "" {
		if root, err = durable.OpenExisting(copied); err != nil {
			err = fmt.Errorf("--log: %w", err)
		}
		return "", root, err
	}
	if root, err = durable.OpenExisting(g.Data); err != nil {
		err = fmt.Errorf("data root: %w", err)
	}
	return g.Data, root, err
}

// view opens the log with the verifier key that was given, or with that of the policy that has signed
// it, or with the one beside the key.
func (g *Group) view(root durable.ReadFS, given string) (*transparency.View, transparency.Signed, error) {
	policy, err := commitlog.LoadPolicy(g.files.Policy)
	if err != nil {
		return nil, transparency.Signed{}, err
	}
	if given == "" && policy != nil {
		return policy.OpenLog(root)
	}
	if given == "" {
		if given, err = commitlog.LoadPublic(g.files.Key); err != nil {
			return nil, transparency.Signed{}, fmt.Errorf("%w: give it with --verifier-key, or a policy with --policy", err)
		}
	}
	view, err := transparency.OpenView(root, given)
	if err != nil {
		return nil, transparency.Signed{}, terminal.AsUsage(err)
	}
	head, err := view.Head()
	return view, head, err
}

func printAudit(out io.Writer, a commitlog.Audit) error {
	printable.Fprintf(out, "%s: size %d, root %s\n", a.Log, a.Size, a.Root)
	for _, size := range a.From {
		printable.Fprintf(out, "  compared with the older checkpoint of size %d\n", size)
	}
	printable.Fprintf(out, "  read: entries %d; compared with them: leaves %d; found in the data root: logged publications %d\n", a.Entries, a.Leaves, a.Commits)
	if a.Shown > 0 {
		printable.Fprintf(out, "  compared with entries: leaves of receipts %d\n", a.Shown)
	}
	for _, text := range a.NotChecked {
		if err := terminal.Paragraph(out, "  not checked: ", text); err != nil {
			return err
		}
	}
	for _, f := range a.Faults {
		lead := "FAULT  "
		if f.ClientID != "" {
			lead += f.ClientID + " " + f.Product + " "
		}
		if f.Version > 0 {
			lead += fmt.Sprintf("version %d: ", f.Version)
		}
		if err := terminal.Paragraph(out, lead, f.What); err != nil {
			return err
		}
	}
	if len(a.Faults) > 0 {
		return nil
	}
	_, err := fmt.Fprintln(out, "nothing is wrong")
	return err
}
