package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/plain"
)

func newTenant(a *app) *cobra.Command {
	return group("tenant", "Keep the accounts in tenants.yaml",
		newTenantAdd(a), newTenantList(a), newTenantShow(a), newTenantValidate(a), newTenantLog(a), newTenantName(a),
		newTenantSuspend(a), newTenantReactivate(a), newTenantRevoke(a),
		group("token", "Issue, rotate and end API tokens", newTokenIssue(a), newTokenRotate(a), newTokenEnd(a)),
		group("product", "Set which products a tenant is subscribed to, and for how long", newProductSet(a), newProductUnset(a)),
		group("feature", "Switch features on and off", newFeatureEnable(a), newFeatureDisable(a)),
		group("origin", "Say which browser origins may read", newOriginAllow(a), newOriginDeny(a)),
		group("limit", "Set the rate limit", newLimitSet(a)),
		group("schedule", "Set when a tenant's cycles run", newScheduleSet(a), newScheduleUnset(a)))
}

func newTenantList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the tenants", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			f, err := a.loadTenants()
			if err != nil {
				return err
			}
			views := make([]tenantView, 0, len(f.Tenants))
			for i := range f.Tenants {
				views = append(views, viewOf(&f.Tenants[i], a.now()))
			}
			if a.json() {
				return json.NewEncoder(a.out).Encode(views)
			}
			w := newTableWriter(a.out)
			fmt.Fprintln(w, "TENANT\tSTATUS\tPRODUCTS\tPROVIDER\tTOKENS\tNAME")
			for _, v := range views {
				plain.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", v.ID, v.Status, v.products(), v.provider(), len(v.Tokens), v.Name)
			}
			return w.Flush()
		},
	}
}

func newTenantShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show one tenant", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := a.loadTenants()
			if err != nil {
				return err
			}
			t, err := tenantByID(f, args[0])
			if err != nil {
				return err
			}
			v := viewOf(t, a.now())
			if a.json() {
				return json.NewEncoder(a.out).Encode(v)
			}
			return v.print(a.out)
		},
	}
}

// parseMoment reads a time or a day, which begins at midnight UTC.
func parseMoment(flag, s string) (*time.Time, error) {
	if s == "" {
		return nil, nil
	}
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(form, s); err == nil {
			at = at.UTC()
			return &at, nil
		}
	}
	return nil, usagef("--%s %q: want a time such as 2026-11-20T09:07:00Z or a day such as 2026-11-20", flag, s)
}
