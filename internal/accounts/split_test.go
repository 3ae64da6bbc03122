package accounts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/internal/accounts"
	"mkt/publish/football"
)

func TestSplit(t *testing.T) {
	f, err := accounts.Parse("t.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	served := f.Accounts(issued)
	acme := served[0]
	if strings.Contains(fmt.Sprintf("%+v", acme), "AGE ENCRYPTED") {
		t.Error("the account holds the sealed credential")
	}
	if !acme.Provider.Configured || acme.Provider.Hint != "…7f3a" || acme.Provider.Name != "betsapi" {
		t.Errorf("provider = %+v", acme.Provider)
	}
	want := map[string]bool{"fixtures": true, "markets": true, "changes": true, "live_match": true, "momentum": false, "advanced_stats": true}
	for name, on := range want {
		if acme.Features[name] != on {
			t.Errorf("feature %s = %v, want %v", name, acme.Features[name], on)
		}
	}
	if acme.Cadence[football.MarketEngine] != 30*time.Minute {
		t.Errorf("cadence = %v", acme.Cadence)
	}
	tenant, err := f.Tenants[0].FetchTenant()
	if err != nil || tenant.Fingerprint != acme.Provider.Fingerprint || len(tenant.Fingerprint) != 64 {
		t.Errorf("fetch tenant = %+v, %v", tenant, err)
	}
	acmeOn := f.Tenants[0]
	acmeOn.Provider = &accounts.Provider{Name: "theoddsapi", Bookmaker: "betsson", Credential: "sealed"}
	if tenant, err := acmeOn.FetchTenant(); err != nil || tenant.Bookmaker != "betsson" {
		t.Errorf("fetch tenant = %+v, %v", tenant, err)
	}
	if _, err := f.Tenants[1].FetchTenant(); err == nil || !strings.Contains(err.Error(), "mkt provider set other") {
		t.Errorf("no provider: %v", err)
	}
}
