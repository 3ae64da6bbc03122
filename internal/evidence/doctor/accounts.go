package doctor

import (
	"fmt"

	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/serve/account"
)

// accounts looks for valid entries of the tenants file that are probably mistakes.
func (d *doctor) accounts() {
	if d.file == nil {
		return
	}
	if _, there := d.file.Tenant(d.Tenant); d.Tenant != "" && !there {
		d.bad(Fail, "TENANT_UNKNOWN", "accounts", place{tenant: d.Tenant, file: d.Tenants}, d.mkt("tenant list"), "the file has no such tenant")
	}
	d.revocations()
	d.seal(d.file)
	if len(d.file.Tenants) == 0 {
		d.bad(Warn, "TENANTS_NONE", "accounts", place{file: d.Tenants}, d.mkt("tenant add acme --product market_engine"), "there is no account yet; acme is an example of an id")
	}
	for i := range d.file.Tenants {
		if t := &d.file.Tenants[i]; t.Status == account.Active {
			d.account(t)
		}
	}
}

// seal checks the seal of the file, without which a truncated file cannot be detected.
func (d *doctor) seal(f *accounts.File) {
	if f.Seal() == accounts.Sealed || len(f.Tenants) == 0 {
		return
	}
	reason := "it has no seal: nobody could see if it were cut off"
	if f.Seal() == accounts.Stale {
		reason = "it was changed by hand since it was sealed: what the change removes stays in force"
	}
	d.bad(Warn, "TENANTS_UNSEALED", "accounts", place{file: d.Tenants}, d.mkt("tenant validate --seal"), "%s", reason)
}

// revocations looks for accounts that were revoked permanently and are active again. An
// unreadable log is another finding.
func (d *doctor) revocations() {
	undone, err := audit.Undone(d.file)
	if err != nil {
		return
	}
	for _, p := range undone {
		at := place{tenant: p.Tenant, file: fmt.Sprintf("%s:%d", d.Tenants, p.Line)}
		d.bad(Fail, "REVOKED_UNDONE", "accounts", at, d.mkt("tenant revoke "+p.Tenant), "status: %s", p.Reason)
	}
}

func (d *doctor) account(t *accounts.Tenant) {
	at := place{tenant: t.ID, file: d.Tenants}
	before := len(d.findings)
	if len(t.Tokens) == 0 {
		d.bad(Warn, "TOKEN_NONE", "accounts", at, d.mkt("tenant token issue "+t.ID), "it has no token: nobody can use it")
	}
	if len(t.Products) == 0 {
		d.bad(Warn, "PRODUCT_NONE", "accounts", at, d.mkt("tenant product set "+t.ID+" market_engine"), "it has no product")
	}
	inForce := false
	for _, p := range football.Products() {
		s, subscribed := t.Products[p]
		inForce = inForce || subscribed && t.Subscription(p, d.now) == account.InForce
		if subscribed && t.Subscription(p, d.now) == account.Expired {
			at := place{t.ID, string(p), d.Tenants}
			d.bad(Warn, "PRODUCT_EXPIRED", "accounts", at, d.mkt("tenant product set "+t.ID+" "+string(p)),
				"expired %s ago, on %s; the command renews it without an end, --expires sets one, and mkt tenant product unset takes the product away", ago(d.now.Sub(*s.Expires)), s.Expires.Format("2006-01-02"))
		}
	}
	if t.Provider == nil && inForce {
		d.bad(Warn, "PROVIDER_NONE", "accounts", at, d.mkt("provider set "+t.ID+" --provider "+accounts.ProviderNames()[0]), "it has no provider: its data routes answer 409; mkt provider set --help lists the others")
	}
	if t.Provider != nil {
		d.baseURL(t)
	}
	if len(d.findings) == before {
		d.ok("accounts", at, "account")
	}
}

func (d *doctor) baseURL(t *accounts.Tenant) {
	p := t.Provider
	reason := accounts.RefusedHost(*p)
	if reason == "" {
		return
	}
	d.bad(Fail, "BASE_URL_REFUSED", "accounts", place{tenant: t.ID, file: d.Tenants},
		d.connect(t)+" --base-url ''",
		"base_url %s %s, and allow_private_address is not set: fetch refuses it; a simulator needs --allow-private-address instead", terminal.Quote(p.BaseURL), reason)
}

// connect returns the command to connect a tenant to its provider with a new credential and no
// other change.
func (d *doctor) connect(t *accounts.Tenant) string {
	return d.mkt("provider set " + t.ID + " --provider " + t.Provider.Name)
}
