package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"mkt/cmd/mkt/internal/tenants"
)

// LoadTenants reads tenants.yaml and says what to do if it does not exist.
func (env *Env) LoadTenants() (*tenants.File, error) {
	f, err := tenants.Load(env.Tenants)
	return f, env.MissingTenants(err)
}

// MissingTenants adds the next step to the error of a tenants file that does not exist.
func (env *Env) MissingTenants(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("accounts %s: no such file; mkt init makes one, --tenants names another", env.Tenants)
	}
	return err
}

// LoadTenant returns one tenant of tenants.yaml.
func (env *Env) LoadTenant(id string) (*tenants.Tenant, error) {
	f, err := env.LoadTenants()
	if err != nil {
		return nil, err
	}
	return TenantByID(f, id)
}

func TenantByID(f *tenants.File, id string) (*tenants.Tenant, error) {
	t, ok := f.Tenant(id)
	if !ok {
		return nil, &tenants.UnknownError{File: f.Name, ID: id, Known: f.IDs()}
	}
	return t, nil
}
