package main

import (
	"errors"
	"fmt"
	"io/fs"
	"mkt/cmd/mkt/internal/tenants"
)

// loadTenants reads tenants.yaml and says what to do when it is not there.
func (a *app) loadTenants() (*tenants.File, error) {
	f, err := tenants.Load(a.tenants)
	return f, a.missingTenants(err)
}

// missingTenants adds the next step to the error of a tenants file that is not there.
func (a *app) missingTenants(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("accounts %s: no such file; mkt init makes one, --tenants names another", a.tenants)
	}
	return err
}

// tenantByID finds one tenant of the file.
func tenantByID(f *tenants.File, id string) (*tenants.Tenant, error) {
	t, ok := f.Tenant(id)
	if !ok {
		return nil, &tenants.UnknownError{File: f.Name, ID: id, Known: f.IDs()}
	}
	return t, nil
}
