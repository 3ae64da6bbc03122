package cli

import (
	"errors"
	"sync"

	"github.com/spf13/cobra"

	"mkt/fetch/credential"
)

// Keys are the files of the two keys. They are settings of the commands that need
// them and of no other.
type Keys struct {
	Seal string
	ID   string
}

func (k *Keys) SealFlag(set *Settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.Seal, "seal-key", "seal.key", "age identity that opens the sealed credentials")
	set.BindPath(cmd.Flags(), "seal-key", "seal_key")
}

// credentialOpener opens a sealed credential.
type credentialOpener = func(sealed, tenant, provider string) (credential.Secret, error)

// Opener opens credentials with the keys of seal.key. One that they do not open may be
// sealed to a key that is there since: the file is read once more.
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
		again, unreadable := credential.LoadIdentity(k.Seal)
		if unreadable != nil {
			return secret, err
		}
		key = again
		return credential.Open(key, sealed, tenant, provider)
	}, nil
}

func (k *Keys) IDFlag(set *Settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.ID, "id-key", "id.key", "key that ids are made with; never changes for a data root")
	set.BindPath(cmd.Flags(), "id-key", "id_key")
}
