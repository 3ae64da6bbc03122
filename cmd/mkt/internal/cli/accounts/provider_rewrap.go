package accounts

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/fetch/credential"
	"mkt/serve/account"
)

// rewrapFlags of mkt provider rewrap.
type rewrapFlags struct{ newKey, retire bool }

func newProviderRewrap(g *Group) *cobra.Command {
	var f rewrapFlags
	cmd := &cobra.Command{
		Use:   "rewrap [--new-key | --retire]",
		Short: "Seal every credential anew, to the keys of seal.key",
		Long: `Seal every credential anew, to the keys of seal.key, without asking anybody for it.
That is how the sealing key is replaced:

  --new-key   makes a key and puts it first in seal.key. The older one stays below
              it, and every credential is sealed to both: whoever has either key, such
              as a mkt schedule that runs, goes on.
  --retire    seals every credential to the first key alone, then takes the older
              ones out of seal.key.

Without a flag it seals to all keys of the file, as after --new-key: for a key that
was put there by hand, and after a rewrap that was broken off. What is known of a
connection stays, so that data routes go on answering.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.newKey && f.retire {
				return cli.Usagef("--new-key and --retire: want one of the two, and time between them for whoever has the older key only")
			}
			return g.rewrap(cmd, f)
		},
	}
	cmd.Flags().BoolVar(&f.newKey, "new-key", false, "make a new key first; the older one stays valid")
	cmd.Flags().BoolVar(&f.retire, "retire", false, "take the older keys out")
	g.Keys.SealFlag(g.Settings, cmd)
	return cmd
}

// rewrapView is what mkt provider rewrap did.
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
		return errors.Join(err, json.NewEncoder(g.Out).Encode(v))
	}
	v.print(g)
	return err
}

func (v *rewrapView) unopened(g *Group) error {
	return fmt.Errorf("no key of %s opens the credential of %s: mkt provider set or unset each of them", g.Keys.Seal, strings.Join(v.Left, ", "))
}

// seal seals what can be opened. A revoked account's credential, which nothing uses,
// may be one that cannot.
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
	plain.Fprintf(g.Out, "%s sealed to %s", cli.Plural(len(v.Rewrapped), "credential"), v.Recipient)
	if v.OlderKeys == 0 {
		fmt.Fprintln(g.Out, " alone")
		return
	}
	plain.Fprintf(g.Out, " and to %s\nKeep a copy of %s. When everything that holds the older key was started anew: mkt provider rewrap --retire\n",
		cli.Plural(v.OlderKeys, "older key"), g.Keys.Seal)
}

// addSealKey puts a new key before the one there is.
func (g *Group) addSealKey(older credential.Identity) (credential.Identity, error) {
	if older.Older() > 0 {
		return older, fmt.Errorf("%s holds an older key already: mkt provider rewrap goes on with it, and mkt provider rewrap --retire takes it out", g.Keys.Seal)
	}
	key, err := credential.NewIdentity()
	if err != nil {
		return key, err
	}
	key = key.Before(older)
	return key, g.writeSealKey(key)
}

// writeSealKey replaces seal.key, whole or not at all, and keeps its owner.
func (g *Group) writeSealKey(key credential.Identity) error {
	path, err := filepath.EvalSymlinks(g.Keys.Seal) // so that a link stays one
	if err != nil {
		return fmt.Errorf("sealing key: %w", err)
	}
	before, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("sealing key: %w", err)
	}
	part := path + ".tmp0"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) { // of a rewrap that was killed
		return fmt.Errorf("sealing key: %w", err)
	}
	if err := writeOnce(part, before.Mode().Perm(), key.File()); err != nil {
		return fmt.Errorf("sealing key: %w", err)
	}
	if err := errors.Join(tenants.SameOwner(part, before), os.Rename(part, path)); err != nil {
		return fmt.Errorf("sealing key: %w", err)
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
