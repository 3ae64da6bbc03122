package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/terminal/printable"
)

// RefreshEvery is how often the object store is asked for newer accounts: a lost right takes effect
// everywhere within 15 seconds.
const RefreshEvery = 10 * time.Second

// LoadTenants reads tenants.yaml; its error for a missing file names the next step. With the
// accounts in the object store it first brings the file up to date, and reads the file as it is if
// this fails.
func (env *Env) LoadTenants() (*accounts.File, error) {
	if env.SharedTenants {
		ctx, cancel := context.WithTimeout(context.Background(), refreshTimeout)
		defer cancel()
		err := env.RefreshTenants(ctx)
		if _, missing := os.Stat(env.Tenants); errors.Is(missing, fs.ErrNotExist) {
			if err == nil {
				err = errors.New("there are none yet: any command that changes them makes the first version, such as mkt tenant validate --seal on the machine that has tenants.yaml")
			}
			return nil, fmt.Errorf("accounts in the object store: %w", err)
		}
		if err != nil {
			env.warn("the accounts in the object store cannot be read: those that were copied before are used", err)
		}
	}
	return env.CopiedTenants()
}

// CopiedTenants is LoadTenants without a request.
func (env *Env) CopiedTenants() (*accounts.File, error) {
	f, err := accounts.Load(env.Tenants)
	return f, env.MissingTenants(err)
}

// refreshTimeout bounds how long a command waits for the accounts in the object store.
const refreshTimeout = 20 * time.Second

// SharedAccounts returns the accounts of the object store; tenants.yaml is a copy of them. It returns
// nil if the accounts are in the file alone.
func (env *Env) SharedAccounts(ctx context.Context) (accounts.Origin, error) {
	if !env.SharedTenants {
		return nil, nil
	}
	s, err := env.Store(ctx)
	if err != nil {
		return nil, err
	}
	return s.Accounts(), nil
}

// RefreshTenants brings tenants.yaml up to date with the accounts in the object store, if they are
// there.
func (env *Env) RefreshTenants(ctx context.Context) error {
	origin, err := env.SharedAccounts(ctx)
	if err != nil || origin == nil {
		return err
	}
	done, err := audit.CopyAt(env.Tenants, origin).Refresh(ctx)
	if err == nil && done.Backup != "" {
		env.warn("the file of the accounts had been changed by hand, and a newer version of the object store has replaced it: the changes are in "+done.Backup, nil)
	}
	return err
}

// warn prints or logs a warning: the command goes on.
func (env *Env) warn(text string, err error) {
	switch {
	case env.Log.Enabled(context.Background(), slog.LevelWarn):
		env.Log.Warn(text, "file", env.Tenants, "error", err)
	case err != nil:
		printable.Fprintf(env.Errs, "mkt: %s: %v\n", text, err)
	default:
		printable.Fprintf(env.Errs, "mkt: %s\n", text)
	}
}

// MissingTenants adds the next step to the error of a missing tenants file.
func (env *Env) MissingTenants(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("accounts %s: no such file; mkt init creates one, --tenants names another", env.Tenants)
	}
	return err
}

// LoadTenant returns one tenant of tenants.yaml.
func (env *Env) LoadTenant(id string) (*accounts.Tenant, error) {
	f, err := env.LoadTenants()
	if err != nil {
		return nil, err
	}
	return TenantByID(f, id)
}

func TenantByID(f *accounts.File, id string) (*accounts.Tenant, error) {
	t, ok := f.Tenant(id)
	if !ok {
		return nil, &accounts.UnknownError{File: f.Name, ID: id, Known: f.IDs()}
	}
	return t, nil
}
