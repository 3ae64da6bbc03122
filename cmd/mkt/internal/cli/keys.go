package cli

import (
	"errors"
	"sync"

	"github.com/spf13/cobra"

	"mkt/fetch/credential"
)

// Keys are the files of the two keys. Each is a setting only of the commands that use it.
type Keys struct {
	Seal string
	ID   string
}

// SealFlag adds the flag --seal-key.
func (k *Keys) SealFlag(set *Settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.Seal, "seal-key", "seal.key", "age identity that opens the sealed credentials")
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
	cmd.Flags().StringVar(&k.ID, "id-key", "id.key", "key that ids are made with; never changes for a data root")
	set.BindPath(cmd.Flags(), "id-key", "id_key")
}
