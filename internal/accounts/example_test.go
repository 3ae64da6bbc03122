package accounts_test

import (
	"os"
	"testing"

	"mkt/internal/accounts"
	"mkt/serve/account"
)

func TestExample(t *testing.T) {
	const path = "../../tenants.yaml.example"
	f, err := accounts.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	acme, _ := f.Tenant("acme")
	if acme == nil || acme.Provider == nil || len(acme.Schedule) == 0 || len(acme.Tokens) == 0 {
		t.Errorf("acme = %+v: want every key shown", acme)
	}
	if acme.Limit != account.DefaultLimit {
		t.Errorf("the rate limit is %+v, and is said to be the default, %+v", acme.Limit, account.DefaultLimit)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := write(t, string(before))
	edit(t, copied, of("betaco", func(t *accounts.Tenant) error { return t.AddToken(accounts.Token{IssuedAt: issued}) }))
	if _, err := accounts.Load(copied); err != nil {
		t.Errorf("after an edit: %v", err)
	}
}
