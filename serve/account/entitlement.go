package account

import (
	"slices"
	"time"

	"mkt/publish/football"
)

// Term is the state of a subscription at one time. All terms but [InForce] are refused with
// the same code; GET /account shows which one it is.
type Term string

const (
	None       Term = "NONE"
	NotStarted Term = "NOT_STARTED"
	InForce    Term = "ACTIVE"
	Expired    Term = "EXPIRED"
)

// Terms returns all states of a subscription.
func Terms() []Term { return []Term{None, NotStarted, InForce, Expired} }

// Statuses returns all statuses of an account, in the contract's order.
func Statuses() []Status { return []Status{Active, Suspended, Revoked} }

// TermAt returns the state of a product's subscription at now. It begins at Starts,
// inclusive, and ends at Expires, exclusive.
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

// Allows reports whether the feature is enabled for the account, whether or not there is
// a subscription to its product.
func (a *Account) Allows(feature string) bool { return a.Features[feature] }

// AllowsOrigin reports whether a web page of that origin may read answers. Origins are
// compared byte by byte.
func (a *Account) AllowsOrigin(origin string) bool { return slices.Contains(a.Origins, origin) }
