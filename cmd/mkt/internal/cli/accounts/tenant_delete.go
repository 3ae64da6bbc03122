package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/deletion"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/layout"
	"mkt/serve"
)

type deleteFlags struct {
	redis       cli.Redis
	usage       string
	dryRun, yes bool
}

func newTenantDelete(g *Group) *cobra.Command {
	var f deleteFlags
	cmd := &cobra.Command{
		Use:   "delete ID",
		Short: "Delete a tenant with all its data, for good",
		Long: `Delete a tenant and its data: its entry in tenants.yaml with tokens and
credential, its folder in the data root, its usage counters and newest
requests, and with --store its objects. First the account leaves tenants.yaml,
so that its tokens get 401; three seconds later its data goes, or fifteen if
the accounts are in the store. While a cycle of it runs, nothing is deleted and
the exit code is 75. A deletion that was interrupted is finished by the same
command, also on another machine that has data of the account.

What stays: the audit log, which only grows; the id in the leaves of the
transparency log; in the object store the earlier versions of tenants.yaml;
tables that mkt lake wrote; backups; and what was copied elsewhere.
docs/operators.md says how to delete these.`,
		Example: `  mkt tenant delete acme --dry-run
  mkt tenant delete acme --yes`,
		Args:       cobra.ExactArgs(1),
		SuggestFor: []string{"remove", "rm", "drop", "purge", "erase"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !layout.ValidTenantID(args[0]) {
				return terminal.Usagef("tenant id %q: not an account's id", args[0])
			}
			return g.deleteTenant(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would be deleted without deleting it")
	cmd.Flags().StringVar(&f.usage, "usage-dir", "", "delete the account's usage counters in this folder, which serve writes to (default: usage below the data root)")
	g.Settings.BindPath(cmd.Flags(), "usage-dir", "serve.usage_dir")
	cli.YesFlag(cmd, &f.yes)
	f.redis.Flag(g.Settings, cmd)
	return cmd
}

func (g *Group) deleteTenant(ctx context.Context, id string, f deleteFlags) error {
	file, err := g.LoadTenants()
	if err != nil {
		return err
	}
	account := deletion.Account{ID: id, Data: g.Data, Usage: cmp.Or(f.usage, filepath.Join(g.Data, serve.UsageFolder))}
	if g.HasStore() {
		account.Store, account.WritableStore = g.Store, g.WritableStore
	}
	found, err := account.Remains(ctx, file)
	if err != nil {
		return err
	}
	if found.None() {
		_, err := cli.TenantByID(file, id)
		return err
	}
	v := remainsView{ID: id, DryRun: f.dryRun, Remains: found}
	if f.dryRun {
		return g.printRemains(g.Out, v)
	}
	if !f.yes {
		if err := g.printRemains(g.Errs, v); err != nil {
			return err
		}
	}
	if err := g.Confirm(ctx, fmt.Sprintf("Delete tenant %s and its data for good? This cannot be undone.", id), f.yes); err != nil {
		return err
	}
	o := deletion.Options{RemoveEntry: func(ctx context.Context) error { return g.removeEntry(ctx, id) }}
	if g.SharedTenants {
		o.Refresh = cli.RefreshEvery
	}
	if f.redis.Set() && g.HasStore() {
		if o.Leases, err = f.redis.Open(g.Env, g.IDKeyFingerprint()); err != nil {
			return err
		}
		defer o.Leases.Close()
	}
	err = account.Delete(ctx, found, o)
	if errors.Is(err, deletion.ErrInterrupted) {
		return fmt.Errorf("tenant %s: %w: %w", id, cli.ErrInterrupted, err)
	}
	if err != nil {
		return err
	}
	return g.printRemains(g.Out, v)
}

// removeEntry removes an account from tenants.yaml. That the change could not be logged is a warning.
func (g *Group) removeEntry(ctx context.Context, id string) error {
	done, err := g.editTenants(ctx, audit.TenantDelete, func(e *accounts.Editor) error { return e.Delete(id) })
	if done == nil {
		return err
	}
	if err != nil {
		printable.Fprintf(g.Errs, "mkt: %v\n", err)
	}
	return nil
}

// remainsView is what there is of an account, or what there was until it was deleted.
type remainsView struct {
	ID     string `json:"client_id"`
	DryRun bool   `json:"dry_run"`
	deletion.Remains
}

func (g *Group) printRemains(to io.Writer, r remainsView) error {
	if g.JSON() && to == g.Out {
		return g.Encode(r)
	}
	done := "deleted"
	if to != g.Out || r.DryRun {
		done = "would be deleted"
	}
	entry := "no entry"
	if r.Entry {
		entry = "its entry"
	}
	printable.Fprintf(to, "tenant %s %s: %s in the accounts, %s in the data root (%s), %s of usage counters", r.ID, done, entry,
		terminal.Plural(r.Files, "file"), terminal.Size(r.Bytes), terminal.Plural(r.Usage, "file"))
	if g.HasStore() {
		printable.Fprintf(to, ", %s in the object store (%s)", terminal.Plural(r.Objects, "object"), terminal.Size(r.Stored))
	}
	_, err := printable.Fprintf(to, "\nWhat stays: the audit log, the id in the leaves of the transparency log, earlier versions and copies of the accounts, tables of mkt lake, backups, and data roots of other machines.\n")
	return err
}
