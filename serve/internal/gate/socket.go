package gate

import (
	"context"
	"net/http"
	"slices"

	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// SocketPass is the result of checking the handshake of a socket. The socket can be checked
// again later with it, without the token itself.
type SocketPass struct {
	ClientID string
	digest   [32]byte
	origin   string // "" if it sent none
}

// Handshake checks the handshake of a socket: its token, the account's status, and the
// origin in its headers. It does not use the rate limiter; later requests of the socket
// do. The account is the token's, even if there is an error, or nil if the token is
// unknown.
func (g *Gate) Handshake(token string, h http.Header) (SocketPass, *account.Account, error) {
	a, ok := g.Accounts.Load().Identify(token)
	if !ok {
		return SocketPass{}, nil, api.Refuse(api.InvalidAPIToken)
	}
	if err := CheckStatus(a); err != nil {
		return SocketPass{}, a, err
	}
	from, err := origin(h, a)
	if err != nil {
		return SocketPass{}, a, err
	}
	return SocketPass{ClientID: a.ClientID, digest: account.Digest(token), origin: from}, a, nil
}

// EnterSocket checks a request of a socket, as Enter does for HTTP. a is the current
// account of the socket, or nil if it no longer exists.
func (g *Gate) EnterSocket(ctx context.Context, p SocketPass, a *account.Account, need Need) error {
	if err := p.Check(a); err != nil {
		return err
	}
	if err := CheckStatus(a); err != nil {
		return err
	}
	if _, err := g.Limiter.Take(ctx, a.ClientID, a.Limit, g.Now()); err != nil {
		return err
	}
	return g.Entitled(a, need)
}

// Check returns an error if the token or the origin of the socket would no longer be
// accepted. a is the current account, or nil if it no longer exists. The account's
// status is not checked, because a suspension does not end a connection.
func (p SocketPass) Check(a *account.Account) error {
	switch {
	case a == nil || !slices.Contains(a.TokenDigests, p.digest):
		return api.Refuse(api.InvalidAPIToken)
	case p.origin != "" && !a.AllowsOrigin(p.origin):
		return api.Refuse(api.OriginNotAllowed)
	}
	return nil
}
