package tenants_test

import (
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/tenants"
	"mkt/serve/account"
)

func TestNewToken(t *testing.T) {
	token, entry, err := tenants.NewToken(issued)
	if err != nil || !account.ValidToken(token) {
		t.Fatalf("token of a wrong form, %v", err)
	}
	if entry.Digest != account.Digest(token) || !strings.HasSuffix(token, entry.Hint) || len(entry.Hint) != 4 || entry.IssuedAt != issued {
		t.Errorf("entry %+v is not the token's", entry)
	}
}
