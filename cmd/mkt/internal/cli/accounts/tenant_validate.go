package accounts

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
)

func newTenantValidate(g *Group) *cobra.Command {
	var seal bool
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check tenants.yaml and say what is wrong in which line",
		Long: `Check tenants.yaml and say what is wrong, with line and reason.

The commands that change an account seal the file: its last line says that it
is complete. After a change by hand, --seal does that if the file is valid.
Without it, mkt serve and mkt schedule ignore a change by hand that removes
something, because a file that was cut off looks the same. With
--tenants-in-store, --seal also stores the file, also as the first version.`,
		Example: `  mkt tenant validate`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := g.LoadTenants()
			if err != nil {
				return err
			}
			if err := checkRevoked(f); err != nil {
				return err
			}
			before := f
			stored, err := g.isStored(cmd.Context())
			if err != nil {
				return err
			}
			if seal && (f.Seal() != accounts.Sealed || !stored) {
				f, err = g.editTenants(cmd.Context(), audit.FileSeal, func(e *accounts.Editor) error { return checkRevoked(e.File()) })
				if f == nil {
					return err
				}
			}
			if g.JSON() {
				return errors.Join(err, g.Encode(map[string]any{"file": f.Name, "valid": true, "tenants": len(f.Tenants), "sealed": f.Seal() == accounts.Sealed}))
			}
			printable.Fprintf(g.Out, "%s is valid: %s\n", f.Name, terminal.Plural(len(f.Tenants), "tenant"))
			_, lost := printable.Fprintf(g.Out, "%s\n", sealWords(before, f))
			if !stored && !seal {
				_, lost = printable.Fprintf(g.Out, "It is not in the object store: mkt tenant validate --seal stores it.\n")
			}
			return errors.Join(err, lost)
		},
	}
	cmd.Flags().BoolVar(&seal, "seal", false, "seal the file after a change by hand, so that the change takes effect")
	return cmd
}

// isStored reports whether the file is the newest version of the accounts in the object store, if
// they are there.
func (g *Group) isStored(ctx context.Context) (bool, error) {
	origin, err := g.SharedAccounts(ctx)
	if err != nil || origin == nil {
		return origin == nil, err
	}
	s, err := accounts.Copy{Path: g.Tenants, Origin: origin}.Status(ctx)
	return s.Newest > 0 && s.Version == s.Newest && !s.ByHand, err
}

func checkRevoked(f *accounts.File) error {
	undone, err := audit.Undone(f)
	if err != nil {
		return err
	}
	if len(undone) > 0 {
		return &accounts.InvalidError{File: f.Name, Problems: undone}
	}
	return nil
}

func sealWords(before, now *accounts.File) string {
	switch {
	case now.Seal() == accounts.Unsealed:
		return "It is not sealed, so it may have been cut off: what it removes is not put in force. If it is complete: mkt tenant validate --seal"
	case now.Seal() == accounts.Stale:
		return "It was changed by hand since it was sealed with " + terminal.Plural(now.SealedAccounts(), "tenant") + ": what it removes is not put in force. If that is intended: mkt tenant validate --seal"
	case before.Seal() == accounts.Stale:
		return "It is sealed; it was sealed with " + terminal.Plural(before.SealedAccounts(), "tenant") + " before."
	}
	return "It is sealed."
}
