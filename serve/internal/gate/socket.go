package gate

import (
	"net/http"
	"slices"

	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// Holder is what a socket came in with: enough to judge it again for as long as
// it lasts, and not the token itself.
type Holder struct {
	ClientID string
	digest   [32]byte
	origin   string // "" when it named none
}

// Greet judges the handshake of a socket: its token, the account's status, the
// origin in its headers. A socket takes no token of the rate limit: what it asks
// for later does. The account is that of the token also beside a refusal, nil
// when there is none.
func (g *Gate) Greet(token string, h http.Header) (Holder, *account.Account, error) {
	a, ok := g.Accounts.Load().Identify(token)
	if !ok {
		return Holder{}, nil, api.Refuse(api.InvalidAPIToken)
	}
	if err := Standing(a); err != nil {
		return Holder{}, a, err
	}
	from, err := origin(h, a)
	if err != nil {
		return Holder{}, a, err
	}
	return Holder{ClientID: a.ClientID, digest: account.Digest(token), origin: from}, a, nil
}

// Still judges a holder under an account of a later generation, nil when it is
// gone: whether its token and its origin would be let in today. The account's
// status is judged apart, since losing that one does not end a connection.
func (h Holder) Still(a *account.Account) error {
	switch {
	case a == nil || !slices.Contains(a.TokenDigests, h.digest):
		return api.Refuse(api.InvalidAPIToken)
	case h.origin != "" && !a.AllowsOrigin(h.origin):
		return api.Refuse(api.OriginNotAllowed)
	}
	return nil
}
