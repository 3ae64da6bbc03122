package tenants

import (
	"time"

	"mkt/serve/account"
)

// NewToken mints a token and the entry that is kept of it. The token itself
// exists only in the return value.
func NewToken(now time.Time) (string, Token, error) {
	token, err := account.NewToken(nil)
	if err != nil {
		return "", Token{}, err
	}
	const shown = 4
	return token, Token{
		Digest:   account.Digest(token),
		Hint:     token[len(token)-shown:],
		IssuedAt: now.UTC().Truncate(time.Second),
	}, nil
}
