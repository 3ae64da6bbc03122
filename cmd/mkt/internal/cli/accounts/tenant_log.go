package accounts

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/internal/timetext"
	"mkt/publish/layout"
)

type logFlags struct {
	since string
	last  int
}

func newTenantLog(g *Group) *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use:   "log [ID]",
		Short: "Show who changed which account, when, and what",
		Long: `Show the audit log, oldest entry first: audit.log beside tenants.yaml, to
which every command that changes an account appends. MKT_ACTOR names the
person if several people share a user. Changes by hand are not in the log; a
comparison of the file's hashes shows that there were some. With
--tenants-in-store it has the changes of all machines.`,
		Example: `  mkt tenant log acme --since yesterday`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pick, err := g.logged(f, args)
			if err != nil {
				return err
			}
			if err := g.RefreshTenants(cmd.Context()); err != nil {
				printable.Fprintf(g.Errs, "mkt: the log lacks what other machines changed since: %v\n", err)
			}
			log, err := audit.Open(g.Tenants, pick)
			if err != nil {
				return err
			}
			return g.printLog(log)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "", "list only changes from this time or day on: yesterday, 2026-11-21, "+timetext.Forms)
	flags.IntVar(&f.last, "last", 0, "list only this many of the newest changes")
	cli.Bound(flags, "last", "a whole number, 1 or more", func() bool { return f.last >= 1 })
	return cmd
}

// logged returns which entries the flags select.
func (g *Group) logged(f logFlags, args []string) (pick audit.Filter, err error) {
	pick.Last = f.last
	if len(args) == 1 {
		pick.Tenant = args[0]
	}
	if pick.Tenant != "" && !layout.ValidTenantID(pick.Tenant) {
		return pick, terminal.Usagef("tenant id %q: not an account's id", pick.Tenant)
	}
	pick.Since, err = g.TimeArg("--since", f.since, timetext.Past)
	return pick, err
}

// printLog prints a table, or a list of entries for scripts. What is missing from the log is
// reported on stderr.
func (g *Group) printLog(log audit.Log) error {
	if g.JSON() {
		shown := make([]shownEntry, len(log.Entries))
		for i, e := range log.Entries {
			shown[i] = shownEntry{Entry: e, ClientID: e.Tenant}
		}
		if err := g.Encode(shown); err != nil {
			return err
		}
	} else if err := g.printLogTable(log); err != nil {
		return err
	}
	for _, n := range log.Unreadable {
		printable.Fprintf(g.Errs, "mkt: %s:%d: is not a valid entry: cut off by a crash, or changed by hand\n", audit.FileName, n)
	}
	if g.changedSince(log) {
		printable.Fprintf(g.Errs, "mkt: %s was changed by hand after the newest entry\n", g.Tenants)
	}
	return nil
}

func (g *Group) printLogTable(log audit.Log) error {
	w := terminal.NewTableWriter(g.Out)
	w.Header("TIME", "WHO", "ACTION", "TENANT", "CHANGE")
	for _, e := range log.Entries {
		if e.AfterUnlogged {
			fmt.Fprintln(w, "\t\t(by hand)\t\tthe file was changed without an entry")
		}
		changes := []string{"none"}
		if len(e.Changes) > 0 {
			changes = nil
		}
		for _, c := range e.Changes {
			changes = append(changes, c.String())
		}
		printable.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.At.UTC().Format(time.RFC3339), e.Name(), e.Action, e.Tenant, strings.Join(changes, "; "))
	}
	return w.Flush()
}

// shownEntry is an entry with the key that every answer of a command has for the account. The log
// itself keeps the key that it was written with.
type shownEntry struct {
	audit.Entry
	Tenant   string `json:"tenant,omitempty"` // hides that of Entry; always empty
	ClientID string `json:"client_id"`
}

func (g *Group) changedSince(log audit.Log) bool {
	f, err := accounts.Load(g.Tenants)
	if err != nil || log.Last == "" {
		return false // mkt tenant validate reports what is wrong
	}
	sum := f.Sum()
	return hex.EncodeToString(sum[:]) != log.Last
}
