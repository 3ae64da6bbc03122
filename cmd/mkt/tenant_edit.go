package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/audit"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/football"
)

// saying is what is said of an edit, with the account as it is then.
type saying func(*tenants.Tenant) string

func says(format string, args ...any) saying {
	return func(*tenants.Tenant) string { return fmt.Sprintf(format, args...) }
}

// editAccount changes one account, then says what was done and prints the
// account as it is now. The same done twice is done: the second time nothing
// changes.
func (a *app) editAccount(cmd *cobra.Command, id string, action audit.Action, said saying, change func(*tenants.Editor) error) error {
	done, err := a.editTenants(cmd.Context(), action, change)
	if done == nil {
		return err
	}
	t, unknown := tenantByID(done, id)
	if unknown != nil {
		return errors.Join(err, unknown)
	}
	v := viewOf(t, a.now())
	if a.json() {
		return errors.Join(err, json.NewEncoder(a.out).Encode(v))
	}
	fmt.Fprintf(a.out, "%s\n\n", said(t))
	return errors.Join(err, v.print(a.out))
}

// parseProduct reads a product that is an argument.
func parseProduct(s string) (football.Product, error) {
	p := football.Product(s)
	if !tenants.KnownProduct(p) {
		return "", usagef("product %q: want market_engine or live_intelligence", s)
	}
	return p, nil
}
