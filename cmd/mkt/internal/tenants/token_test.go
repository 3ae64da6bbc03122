package tenants_test

import (
	"crypto/sha256"
	"regexp"
	"testing"

	"mkt/cmd/mkt/internal/tenants"
)

func TestNewToken(t *testing.T) {
	form := regexp.MustCompile(`^mkt_[0-9A-Za-z]{49}$`)
	seen := map[string]bool{}
	for range 1000 {
		token, entry := tenants.NewToken(issued)
		if !form.MatchString(token) || !tenants.ValidToken(token) || seen[token] {
			t.Fatalf("token of a wrong form, or twice")
		}
		seen[token] = true
		if entry.Digest != sha256.Sum256([]byte(token)) || entry.Hint != token[len(token)-4:] {
			t.Fatal("the entry is not the token's")
		}
		wrong := []byte(token)
		wrong[10] ^= 1
		if tenants.ValidToken(string(wrong)) {
			t.Fatal("a mistyped token passes")
		}
	}
	for _, s := range []string{"", "mkt_", "abc"} {
		if tenants.ValidToken(s) {
			t.Errorf("%q passes", s)
		}
	}
}
