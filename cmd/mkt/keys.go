package main

import (
	"errors"
	"sync"

	"github.com/spf13/cobra"

	"mkt/fetch/credential"
)

// The two keys are settings of the commands that need them and of no other:
// seal.key of fetch and provider, id.key of transform.

func (a *app) sealKeyFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.sealKey, "seal-key", "seal.key", "age identity that opens the sealed credentials")
	a.set.bindPath(cmd.Flags(), "seal-key", "seal_key")
}

// credentialOpener opens a sealed credential.
type credentialOpener = func(sealed, tenant, provider string) (credential.Secret, error)

// opener opens credentials with the keys of seal.key. One that they do not open may be
// sealed to a key that is there since: the file is read once more.
func (a *app) opener() (credentialOpener, error) {
	key, err := credential.LoadIdentity(a.sealKey)
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
		again, unreadable := credential.LoadIdentity(a.sealKey)
		if unreadable != nil {
			return secret, err
		}
		key = again
		return credential.Open(key, sealed, tenant, provider)
	}, nil
}

func (a *app) idKeyFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.idKey, "id-key", "id.key", "key that ids are made with; never changes for a data root")
	a.set.bindPath(cmd.Flags(), "id-key", "id_key")
}
