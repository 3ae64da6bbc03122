package main

import (
	"errors"
	"sync"

	"github.com/spf13/cobra"

	"mkt/fetch/credential"
)

// keys are the files of the two keys. They are settings of the commands that need
// them and of no other.
type keys struct {
	seal string
	id   string
}

func (k *keys) sealFlag(set *settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.seal, "seal-key", "seal.key", "age identity that opens the sealed credentials")
	set.bindPath(cmd.Flags(), "seal-key", "seal_key")
}

// credentialOpener opens a sealed credential.
type credentialOpener = func(sealed, tenant, provider string) (credential.Secret, error)

// opener opens credentials with the keys of seal.key. One that they do not open may be
// sealed to a key that is there since: the file is read once more.
func (k *keys) opener() (credentialOpener, error) {
	key, err := credential.LoadIdentity(k.seal)
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
		again, unreadable := credential.LoadIdentity(k.seal)
		if unreadable != nil {
			return secret, err
		}
		key = again
		return credential.Open(key, sealed, tenant, provider)
	}, nil
}

func (k *keys) idFlag(set *settings, cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.id, "id-key", "id.key", "key that ids are made with; never changes for a data root")
	set.bindPath(cmd.Flags(), "id-key", "id_key")
}
