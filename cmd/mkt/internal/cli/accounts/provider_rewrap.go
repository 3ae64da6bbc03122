package accounts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/printable"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/credential"
	"mkt/publish/durable"
	"mkt/serve/account"
)

type rewrapFlags struct{ newKey, retire bool }

func newProviderRewrap(g *Group) *cobra.Command {
	var f rewrapFlags
	cmd := &cobra.Command{
		Use:   "rewrap [--new-key | --retire]",
		Short: "Seal every credential again, to the keys of seal.key",
		Long: `Seal every credential again, to the keys of seal.key; nobody has to enter one.
This is how the sealing key is replaced:

  --new-key   makes a key and puts it first in seal.key. The older key stays in
              the file, and every credential is sealed to both, so that a
              running mkt schedule that has only the older key continues.
  --retire    seals every credential to the first key alone, then removes the
              older keys from seal.key.

Without a flag it seals to all keys of the file, as --new-key does: after a
key was added by hand, and after a rewrap that was interrupted. The status of
the connections stays, so that data routes continue to answer.`,
		Example: `  mkt provider rewrap --new-key`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.newKey && f.retire {
				return cli.Usagef("--new-key and --retire: want one of the two; between them, restart what has only the older key")
			}
			return g.rewrap(cmd, f)
		},
	}
	cmd.Flags().BoolVar(&f.newKey, "new-key", false, "make a new key first; the older one stays valid")
	cmd.Flags().BoolVar(&f.retire, "retire", false, "remove the older keys")
	g.Keys.SealFlag(g.Settings, cmd)
	return cmd
}

type rewrapView struct {
	Recipient string   `json:"recipient"` // of the key that is first
	OlderKeys int      `json:"older_keys"`
	Rewrapped []string `json:"rewrapped"`
	Left      []string `json:"left"` // what no key opens
}

func (g *Group) rewrap(cmd *cobra.Command, f rewrapFlags) error {
	v := rewrapView{Rewrapped: []string{}, Left: []string{}}
	var key credential.Identity
	// The key file changes under the lock of the accounts: one rewrap at a time.
	done, err := g.editTenants(cmd.Context(), audit.ProviderRewrap, func(e *tenants.Editor) (err error) {
		if key, err = credential.LoadIdentity(g.Keys.Seal); err != nil {
			return err
		}
		if f.newKey {
			if key, err = g.addSealKey(key); err != nil {
				return err
			}
		}
		to := key.Recipient()
		if f.retire {
			to = key.Newest().Recipient()
		}
		if err := v.seal(e, key, to); err != nil {
			return err
		}
		if f.retire && len(v.Left) > 0 {
			return fmt.Errorf("%w; nothing was changed", v.unopened(g))
		}
		return nil
	})
	if done == nil {
		return err
	}
	if f.retire && err == nil {
		key = key.Newest()
		err = g.writeSealKey(key)
	}
	v.Recipient, v.OlderKeys = key.Recipient().String(), key.Older()
	if len(v.Left) > 0 {
		err = errors.Join(err, v.unopened(g))
	}
	if g.JSON() {
		return errors.Join(err, g.Encode(v))
	}
	v.print(g)
	return err
}

func (v *rewrapView) unopened(g *Group) error {
	return fmt.Errorf("no key of %s opens the credential of %s: mkt provider set or unset each of them", g.Keys.Seal, strings.Join(v.Left, ", "))
}

// seal seals the credentials that can be opened. That of a revoked account may be one that
// cannot; nothing uses it.
func (v *rewrapView) seal(e *tenants.Editor, key credential.Identity, to credential.Recipient) error {
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
		sealed, err := credential.Seal(to, t.ID, t.Provider.Name, []byte(secret.Reveal()))
		if err != nil {
			return err
		}
		if err := e.RewrapCredential(t.ID, sealed); err != nil {
			return err
		}
		v.Rewrapped = append(v.Rewrapped, t.ID)
	}
	return nil
}

func (v *rewrapView) print(g *Group) {
	printable.Fprintf(g.Out, "%s sealed to %s", cli.Plural(len(v.Rewrapped), "credential"), v.Recipient)
	if v.OlderKeys == 0 {
		fmt.Fprintln(g.Out, " alone")
		return
	}
	printable.Fprintf(g.Out, " and to %s\nKeep a copy of %s. When everything that has the older key was restarted: mkt provider rewrap --retire\n",
		cli.Plural(v.OlderKeys, "older key"), g.Keys.Seal)
}

// addSealKey puts a new key before the present one.
func (g *Group) addSealKey(older credential.Identity) (credential.Identity, error) {
	if older.Older() > 0 {
		return older, fmt.Errorf("%s holds an older key already: mkt provider rewrap seals to it too, and mkt provider rewrap --retire removes it", g.Keys.Seal)
	}
	key, err := credential.NewIdentity()
	if err != nil {
		return key, err
	}
	key = key.Before(older)
	return key, g.writeSealKey(key)
}

// writeSealKey replaces seal.key atomically and keeps its owner.
func (g *Group) writeSealKey(key credential.Identity) error {
	path, err := filepath.EvalSymlinks(g.Keys.Seal) // a link stays a link
	if err != nil {
		return err
	}
	before, err := os.Stat(path)
	if err != nil {
		return err
	}
	folder, err := durable.OpenExisting(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	part := path + ".tmp0"
	for _, of := range []string{path, part} { // left by a rewrap that was killed
		if err := durable.RemoveTempsOf(folder, filepath.Base(of)); err != nil {
			return err
		}
	}
	if err := cli.WriteOnce(part, before.Mode().Perm(), key.File()); err != nil {
		return err
	}
	return errors.Join(tenants.GiveOwner(part, before), os.Rename(part, path), folder.SyncDir("."))
}
