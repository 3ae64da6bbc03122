package cli

import (
	"errors"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mkt/fetch/credential"
	"mkt/internal/receipts/commitlog"
)

// Keys are the files of the two keys. Each is a setting only of the commands that use it.
type Keys struct {
	Seal string
	ID   string
}

// SealFlag adds the flag --seal-key.
func (k *Keys) SealFlag(set *Settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.Seal, "seal-key", "seal.key", "open the sealed credentials with the age identity in this file")
	set.BindPath(cmd.Flags(), "seal-key", "seal_key")
}

// credentialOpener opens a sealed credential.
type credentialOpener = func(sealed, tenant, provider string) (credential.Secret, error)

// Opener returns a function that opens credentials with the keys of seal.key. If they
// do not open one, it reads the file again: the credential may be sealed to a new key.
// The function is safe for concurrent use.
func (k *Keys) Opener() (credentialOpener, error) {
	key, err := credential.LoadIdentity(k.Seal)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex // guards key
	return func(sealed, tenant, provider string) (credential.Secret, error) {
		mu.Lock()
		defer mu.Unlock()
		secret, err := credential.Open(key, sealed, tenant, provider)
		if !errors.Is(err, credential.ErrSealed) {
			return secret, err
		}
		reread, unreadable := credential.LoadIdentity(k.Seal)
		if unreadable != nil {
			return secret, err
		}
		key = reread
		return credential.Open(key, sealed, tenant, provider)
	}, nil
}

// IDFlag adds the flag --id-key.
func (k *Keys) IDFlag(set *Settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.ID, "id-key", "id.key", "create ids with the key in this file, which never changes for a data root")
	set.BindPath(cmd.Flags(), "id-key", "id_key")
}

// LogKeyFlag adds the flag --log-key.
func LogKeyFlag(l *commitlog.Files, set *Settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.Key, "log-key", "log.key", "sign the transparency log with the key in this file; its verifier key is beside it, with .pub")
	set.BindPath(cmd.Flags(), "log-key", "log_key")
}

// LogPolicyFlag adds the flag --policy.
func LogPolicyFlag(l *commitlog.Files, set *Settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.Policy, "policy", "", "read the policy with the log and its witnesses from this file (default: none, the log is unwitnessed)")
	set.BindPath(cmd.Flags(), "policy", "log_policy")
}

// LogWaitFlag adds the flag for the longest wait for the witnesses of the log.
func LogWaitFlag(set *Settings, cmd *cobra.Command, name string, wait *time.Duration) {
	flags := cmd.Flags()
	flags.DurationVar(wait, name, 10*time.Second, "wait at most this long for the witnesses of the transparency log")
	Bound(flags, name, "a duration from 1s to 10m, such as 10s", Between(wait, time.Second, 10*time.Minute))
	set.Bind(flags, name, "log_wait")
}
