package accounts

import (
	"time"

	"mkt/serve/account"
)

// HintLength is how many of a token's last characters are its hint.
const HintLength = 4

// NewToken returns a new token and its entry. The token itself is stored nowhere.
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
