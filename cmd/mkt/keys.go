package main

import (
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

func (a *app) idKeyFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.idKey, "id-key", "id.key", "key that ids are made with; never changes for a data root")
	a.set.bindPath(cmd.Flags(), "id-key", "id_key")
}

// opener opens sealed credentials with seal.key, which is read at the first one.
func (a *app) opener() func(sealed, tenant, provider string) (credential.Secret, error) {
	load := sync.OnceValues(func() (credential.Identity, error) { return credential.LoadIdentity(a.sealKey) })
	return func(sealed, tenant, provider string) (credential.Secret, error) {
		key, err := load()
		if err != nil {
			return credential.Secret{}, err
		}
		return credential.Open(key, sealed, tenant, provider)
	}
}
