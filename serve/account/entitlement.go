package account

import (
	"slices"
	"time"

	"mkt/publish/football"
)

// Term is the state of a subscription at one moment. One code refuses all that
// are not in force; GET /account tells them apart.
type Term string

const (
	None       Term = "NONE"
	NotStarted Term = "NOT_STARTED"
	InForce    Term = "ACTIVE"
	Expired    Term = "EXPIRED"
)

// Terms lists every state of a subscription.
func Terms() []Term { return []Term{None, NotStarted, InForce, Expired} }

// Statuses lists every status of an account, in the contract's order.
func Statuses() []Status { return []Status{Active, Suspended, Revoked} }

// TermAt judges a product's subscription at now. It starts at Starts and is
// over at Expires, that instant included.
func (a *Account) TermAt(p football.Product, now time.Time) Term {
	s, ok := a.Subscriptions[p]
	switch {
	case !ok:
		return None
	case s.Expires != nil && !now.Before(*s.Expires):
		return Expired
	case s.Starts != nil && now.Before(*s.Starts):
		return NotStarted
	}
	return InForce
}

// Allows tells whether the account has the feature switched on. Whether its
// product is subscribed is judged apart.
func (a *Account) Allows(feature string) bool { return a.Features[feature] }

// AllowsOrigin tells whether a browser page of that origin may read. Origins
// are compared as browsers write them: exactly.
func (a *Account) AllowsOrigin(origin string) bool { return slices.Contains(a.Origins, origin) }
