package tenants

import (
	"time"

	"mkt/serve/account"
)

// HintLength is how many of a token's last characters its entry shows.
const HintLength = 4

// NewToken mints a token and the entry that is kept of it. The token itself
// exists only in the return value.
func NewToken(now time.Time) (string, Token, error) {
	token, err := account.NewToken(nil)
	if err != nil {
		return "", Token{}, err
	}
	return token, Token{
		Digest:   account.Digest(token),
		Hint:     token[len(token)-HintLength:],
		IssuedAt: now.UTC().Truncate(time.Second),
	}, nil
}
