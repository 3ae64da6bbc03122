package main

import (
	"github.com/spf13/cobra"
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
