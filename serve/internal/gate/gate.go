// Package gate decides who may pass: it knows the token, the account's status,
// the origin, the rate limit and the subscription, in this order, and answers
// with one of the contract's codes. It also counts who passed.
//
// It knows no route, no cursor and no data. HTTP and sockets share it, so that
// one account has one limit over both.
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

// Gate holds what outlives a request. Safe for concurrent use.
type Gate struct {
	Accounts *account.Registry
	Limits   *Limits
	Now      func() time.Time
	// Terms is the clock that subscriptions are judged by; nil = Now.
	Terms func() time.Time
}

// Need is what a route asks of an account beside a token. Zero fields ask for
// nothing.
type Need struct {
	Product football.Product
	Feature string
}

// Pass is what a request came in with. Account is nil for a request without a
// known token, where that is allowed.
type Pass struct {
	Account *account.Account
	Limit   Remaining // for the RateLimit headers; zero when it was not asked
	Origin  string    // the request's origin where it may read the answer, else ""
}

// Enter judges a request that needs a token. The pass says how far the request
// came, also beside an error. Every origin may read that the token is unknown:
// there is nothing private in it. The account's list decides about all else, about
// the refusal of a suspended account too.
func (g *Gate) Enter(r *http.Request, need Need) (Pass, error) {
	a, err := g.identify(r)
	if err != nil {
		return Pass{Origin: Origin(r.Header)}, err
	}
	pass := Pass{Account: a}
	allowed, notAllowed := origin(r.Header, a)
	pass.Origin = allowed
	if err := Standing(a); err != nil {
		return pass, err
	}
	if notAllowed != nil {
		return pass, notAllowed
	}
	if pass.Limit, err = g.Limits.Take(a.ClientID, a.Limit, g.Now()); err != nil {
		return pass, err
	}
	return pass, g.Entitled(a, need)
}

// EnterOpen judges a request whose token is optional: without a known one it
// passes as nobody, and all such requests share one limit. The account's status
// and the origin refuse nobody here; an origin that is not allowed just does not
// get to read the answer.
func (g *Gate) EnterOpen(r *http.Request) (pass Pass, err error) {
	a, err := g.identify(r)
	if err != nil {
		pass.Limit, err = g.Limits.Take("", anonymousLimit, g.Now())
		return pass, err
	}
	pass.Account = a
	pass.Origin, _ = origin(r.Header, a)
	pass.Limit, err = g.Limits.Take(a.ClientID, a.Limit, g.Now())
	return pass, err
}

// Entitled judges what is asked of an account: its product's subscription now,
// then the feature.
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

// identify finds the account of the request's token. Every failure is the same
// refusal.
func (g *Gate) identify(r *http.Request) (*account.Account, error) {
	a, ok := g.Accounts.Load().Identify(Bearer(r.Header["Authorization"]))
	if !ok {
		return nil, api.Refuse(api.InvalidAPIToken)
	}
	return a, nil
}

// Bearer takes the token out of the one Authorization header; "" when there is
// none or it is of another kind.
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

// Standing judges an account's status.
func Standing(a *account.Account) error {
	switch a.Status {
	case account.Active:
		return nil
	case account.Suspended:
		return api.Refuse(api.ClientSuspended)
	}
	return api.Refuse(api.ClientRevoked)
}

// browserOrigin is an origin as browsers write it: in lower case, without a path.
var browserOrigin = regexp.MustCompile(`^(null|[a-z][a-z0-9+.-]{0,30}://[a-z0-9._:\[\]-]{1,300})$`)

// Origin returns the origin that a browser names, "" when there is none. It can be
// repeated in an answer that everybody may read: what no browser writes, such as a
// token that a client put into the wrong header, is none.
func Origin(h http.Header) string {
	if headers := h["Origin"]; len(headers) == 1 && browserOrigin.MatchString(headers[0]) {
		return headers[0]
	}
	return ""
}

// origin returns a request's origin when the account allows it, "" when the
// request has none.
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
