package accounts_test

import (
	"strings"
	"testing"

	"mkt/internal/accounts"
	"mkt/serve/account"
)

func TestNewToken(t *testing.T) {
	token, entry, err := accounts.NewToken(issued)
	if err != nil || !account.ValidToken(token) {
		t.Fatalf("token of a wrong form, %v", err)
	}
	if entry.Digest != account.Digest(token) || !strings.HasSuffix(token, entry.Hint) || len(entry.Hint) != 4 || entry.IssuedAt != issued {
		t.Errorf("entry %+v is not the token's", entry)
	}
}
