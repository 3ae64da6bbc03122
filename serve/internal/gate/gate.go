// Package gate decides which requests are allowed. It checks the token, the account's
// status, the origin, the rate limit and the subscription, in this order, and refuses
// with one of the contract's codes. It also counts the requests of each account.
//
// It knows nothing of routes, cursors and data. HTTP and sockets share it, so an
// account has one rate limit for both.
//
// Source: interface specification, section 5; DESIGN, section 4.
package gate

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/internal/api"
)

// Gate checks requests against the current accounts. Safe for concurrent use.
type Gate struct {
	Accounts *account.Registry
	Limiter  Limiter
	Now      func() time.Time
	// Terms is the clock by which subscriptions expire; nil = Now.
	Terms func() time.Time
}

// Need is the product and the feature for which an account must have a right. An empty
// field requires nothing.
type Need struct {
	Product football.Product
	Feature string
}

// Pass is the result of checking a request. Account is nil for a request without a known
// token, on a route open to all.
type Pass struct {
	Account *account.Account
	Limit   Remaining // for the RateLimit headers; zero if the limiter was not asked
	Origin  string    // the request's origin if it may read the answer, else ""
}

// Enter checks a request to a route with a mandatory token. If it returns an error, the
// [Pass] has the results of the checks before the failed one. Every origin may read the
// refusal of an unknown token, which is not private. Only the origins in the account's list
// may read all other answers, including the refusal of a suspended account.
func (g *Gate) Enter(r *http.Request, need Need) (Pass, error) {
	a, err := g.identify(r)
	if err != nil {
		return Pass{Origin: Origin(r.Header)}, err
	}
	pass := Pass{Account: a}
	allowed, notAllowed := origin(r.Header, a)
	pass.Origin = allowed
	if err := CheckStatus(a); err != nil {
		return pass, err
	}
	if notAllowed != nil {
		return pass, notAllowed
	}
	if pass.Limit, err = g.Limiter.Take(r.Context(), a.ClientID, a.Limit, g.Now()); err != nil {
		return pass, err
	}
	return pass, g.Entitled(a, need)
}

// EnterOpen checks a request to a route with an optional token. A request without a known
// token is anonymous, and all anonymous requests share one limit. Neither the account's
// status nor the origin leads to a refusal here, but a forbidden origin may not read the
// answer.
func (g *Gate) EnterOpen(r *http.Request) (pass Pass, err error) {
	a, err := g.identify(r)
	if err != nil {
		pass.Limit, err = g.Limiter.Take(r.Context(), "", anonymousLimit, g.Now())
		return pass, err
	}
	pass.Account = a
	pass.Origin, _ = origin(r.Header, a)
	pass.Limit, err = g.Limiter.Take(r.Context(), a.ClientID, a.Limit, g.Now())
	return pass, err
}

// Entitled returns an error if the account has no current subscription to the product,
// or if it does not have the feature.
func (g *Gate) Entitled(a *account.Account, need Need) error {
	terms := g.Terms
	if terms == nil {
		terms = g.Now
	}
	if need.Product != "" && a.TermAt(need.Product, terms()) != account.InForce {
		return api.Refuse(api.SubscriptionRequired)
	}
	if need.Feature != "" && !a.Allows(need.Feature) {
		return api.Refuse(api.FeatureNotEnabled)
	}
	return nil
}

// identify returns the account of the request's token. Every failure is the same
// refusal.
func (g *Gate) identify(r *http.Request) (*account.Account, error) {
	a, ok := g.Accounts.Load().Identify(Bearer(r.Header["Authorization"]))
	if !ok {
		return nil, api.Refuse(api.InvalidAPIToken)
	}
	return a, nil
}

// Bearer returns the token in the only Authorization header, or "" if there is not
// exactly one or it has another scheme.
func Bearer(headers []string) string {
	if len(headers) != 1 {
		return ""
	}
	scheme, token, ok := strings.Cut(headers[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.Trim(token, " ")
}

// CheckStatus returns an error if the account is suspended or revoked.
func CheckStatus(a *account.Account) error {
	switch a.Status {
	case account.Active:
		return nil
	case account.Suspended:
		return api.Refuse(api.ClientSuspended)
	}
	return api.Refuse(api.ClientRevoked)
}

// browserOrigin matches an origin as browsers write it: in lower case, without a path.
var browserOrigin = regexp.MustCompile(`^(null|[a-z][a-z0-9+.-]{0,30}://[a-z0-9._:\[\]-]{1,300})$`)

// Origin returns the origin that a browser sent, or "" if there is none. It may be
// repeated in an answer for everybody. So a text no browser sends, such as a token in the
// wrong header, is not an origin.
func Origin(h http.Header) string {
	if headers := h["Origin"]; len(headers) == 1 && browserOrigin.MatchString(headers[0]) {
		return headers[0]
	}
	return ""
}

// origin returns a request's origin if the account allows it, or "" if the request has
// none.
func origin(h http.Header, a *account.Account) (string, error) {
	headers := h["Origin"]
	switch {
	case len(headers) == 0:
		return "", nil
	case len(headers) == 1 && a.AllowsOrigin(headers[0]):
		return headers[0], nil
	}
	return "", api.Refuse(api.OriginNotAllowed)
}
