package cli

import (
	"path/filepath"

	"mkt/publish/layout"
)

// TenantDir returns the folder for a tenant's data of no product.
func (env *Env) TenantDir(id string) string { return filepath.Join(env.Data, layout.Tenant(id)) }
