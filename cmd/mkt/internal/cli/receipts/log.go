package receipts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
)

func newLog(g *Group) *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Add the newest publications to the transparency log",
		Long: `Add the newest publication of every account and product to the transparency
log in the data root, if it is newer than the last one there, sign the log's
head, and ask the witnesses of the policy for cosignatures. Publications before
it are proven by their chain of hashes.

Cycles do not wait for it. A witness that is away is no failure: it is asked
again with the next head. mkt schedule does the same every minute if there is
a key. Run it on one machine only: two logs with one key are a fork. With the
setting store it adds the publications in the object store, of all machines,
and copies the log there: a log that is behind that copy is not continued.`,
		Example: `  mkt log
  mkt log --policy /etc/mkt/policy --wait 5s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.log(cmd.Context(), wait) },
	}
	cli.LogWaitFlag(g.Settings, cmd, "wait", &wait)
	cli.LogKeyFlag(&g.files, g.Settings, cmd)
	cli.LogPolicyFlag(&g.files, g.Settings, cmd)
	cmd.AddCommand(newLogInit(g), newLogAudit(g))
	return cmd
}

func (g *Group) log(ctx context.Context, wait time.Duration) error {
	result, err := g.RunLog(ctx, g.files, wait)
	failed := cli.Failures{Of: result.Datasets}
	for _, f := range result.Failed {
		failed.Add(g.Env, f.Err)
	}
	if err != nil {
		return errors.Join(err, failed.Err())
	}
	return errors.Join(g.Answer(result, func(out io.Writer) error { return printLog(out, result, g.files.Policy != "") }), failed.Err())
}

func printLog(out io.Writer, r commitlog.Result, hasPolicy bool) error {
	w := terminal.NewTableWriter(out)
	printable.Fprintf(w, "%s: %s added, %d in all\n", r.Log, leaves(len(r.Added)), r.Size)
	for _, a := range r.Added {
		printable.Fprintf(w, "  %s\t%s\tversion %d\tpublished %s\n", a.ClientID, a.Product, a.Version, terminal.ClockTime(a.PublishedAt))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if r.Unremembered != "" {
		printable.Fprintf(out, "  %s\n", r.Unremembered)
	}
	if !hasPolicy {
		_, err := fmt.Fprintln(out, "unwitnessed: no policy names witnesses (--policy); receipts say so until one does")
		return err
	}
	for _, s := range r.Witnesses {
		var err error
		switch {
		case s.Since != nil:
			_, err = printable.Fprintf(out, "  %s: %s, since %s\n", s.Name, s.Error, terminal.ClockTime(*s.Since))
		case s.CosignedAt != nil:
			_, err = printable.Fprintf(out, "  %s: cosigned %d at %s\n", s.Name, s.Size, terminal.ClockTime(*s.CosignedAt))
		}
		if err != nil {
			return err
		}
	}
	word := "witnessed: the policy is satisfied"
	if !r.Witnessed {
		word = "unwitnessed: the policy asks for more cosignatures"
	}
	_, err := fmt.Fprintf(out, "%s (%s)\n", word, terminal.Plural(r.Cosigned, "cosignature"))
	return err
}

func leaves(n int) string {
	if n == 1 {
		return "1 leaf"
	}
	return fmt.Sprintf("%d leaves", n)
}
