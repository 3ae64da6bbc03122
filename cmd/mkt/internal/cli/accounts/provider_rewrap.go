package accounts

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mkt/fetch/credential"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/serve/account"
)

func newProviderRewrap(g *Group) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rewrap",
		Short: "Seal every credential again, to the keys of seal.key",
		Long: `Seal every credential again, to all keys of seal.key; nobody has to enter one.
This is how the sealing key is replaced: put a new key before the older one,
run rewrap, restart what has only the older key, take the older key out of the
file, and run rewrap again. The status of the connections stays, so that data
routes continue to answer.`,
		Example: `  mkt provider rewrap`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return g.rewrap(cmd) },
	}
	g.Keys.SealFlag(g.Settings, cmd)
	return cmd
}

type rewrapView struct {
	Recipient string   `json:"recipient"` // of the key that is first
	OlderKeys int      `json:"older_keys"`
	Rewrapped []string `json:"rewrapped"`
	Left      []string `json:"left"` // what no key opens
}

func (g *Group) rewrap(cmd *cobra.Command) error {
	key, err := credential.LoadIdentity(g.Keys.Seal)
	if err != nil {
		return err
	}
	v := rewrapView{Recipient: key.Recipient().String(), OlderKeys: key.Older(), Rewrapped: []string{}, Left: []string{}}
	done, err := g.editTenants(cmd.Context(), audit.ProviderRewrap, func(e *accounts.Editor) error { return v.seal(e, key) })
	if done == nil {
		return err
	}
	if len(v.Left) > 0 {
		err = errors.Join(err, fmt.Errorf("no key of %s opens the credential of %s: mkt provider set or unset each of them, or put its key back into the file", g.Keys.Seal, strings.Join(v.Left, ", ")))
	}
	return errors.Join(g.Answer(v, v.print), err)
}

// seal seals the credentials that can be opened. That of a revoked account may be one that
// cannot; nothing uses it.
func (v *rewrapView) seal(e *accounts.Editor, key credential.Identity) error {
	for i := range e.File().Tenants {
		t := &e.File().Tenants[i]
		if t.Provider == nil {
			continue
		}
		secret, err := credential.Open(key, t.Provider.Credential, t.ID, t.Provider.Name)
		if err != nil {
			if t.Status != account.Revoked {
				v.Left = append(v.Left, t.ID)
			}
			continue
		}
		sealed, err := credential.Seal(key.Recipient(), t.ID, t.Provider.Name, []byte(secret.Reveal()))
		if err != nil {
			return err
		}
		err = e.Change(t.ID, func(t *accounts.Tenant) error {
			t.Provider.KnownAs, t.Provider.Credential = t.Provider.Fingerprint(), sealed
			return nil
		})
		if err != nil {
			return err
		}
		v.Rewrapped = append(v.Rewrapped, t.ID)
	}
	return nil
}

func (v rewrapView) print(out io.Writer) error {
	to := " alone"
	if v.OlderKeys > 0 {
		to = " and to " + terminal.Plural(v.OlderKeys, "older key")
	}
	_, err := printable.Fprintf(out, "%s sealed to %s%s\n", terminal.Plural(len(v.Rewrapped), "credential"), v.Recipient, to)
	return err
}
