// Package account defines who may read what: accounts, their entitlements, and the
// registry that replaces all accounts by a new generation while requests run. It has
// token digests and a masked credential hint, but never a token or a credential.
package account

import (
	"slices"
	"time"

	"mkt/publish/football"
)

// Status of an account (specification, section 3.1).
type Status string

const (
	Active    Status = "ACTIVE"
	Suspended Status = "SUSPENDED"
	Revoked   Status = "REVOKED"
)

// Account is one account. It is immutable once it is in a Generation.
type Account struct {
	ClientID      string
	Name          string
	Status        Status
	TokenDigests  [][32]byte // SHA-256 of each valid token
	Subscriptions map[football.Product]Subscription
	Features      map[string]bool // effective: base features unless disabled, add-ons and extensions if enabled
	Origins       []string        // exact origins allowed
	Limit         Limit
	Provider      Provider
	Cadence       map[football.Product]time.Duration // expected time between cycles; 0 = not scheduled
}

// Subscription is the term of one product. A nil time is unbounded. It is checked at the
// time of each request.
type Subscription struct {
	Starts  *time.Time `yaml:",omitempty"`
	Expires *time.Time `yaml:",omitempty"`
}

// Limit is a token bucket: Requests every Per, at most Burst at once.
type Limit struct {
	Requests int
	Per      time.Duration
	Burst    int
}

// DefaultLimit is the limit of an account without one of its own.
var DefaultLimit = Limit{Requests: 600, Per: time.Minute, Burst: 120}

// Provider is the account's provider connection as far as serve knows it.
type Provider struct {
	Name         string
	Configured   bool
	Disabled     bool
	Hint         string                // masked, at most 4 characters of the credential shown
	Fingerprint  string                // of the sealed credential, by which fetch's state file refers to it
	Capabilities []football.Capability // sold by the provider; those of the account's plan are in the state files
}

// CanServe reports whether the provider sells what a product needs. A provider whose
// capabilities are not known counts as one that does.
func (p *Provider) CanServe(product football.Product) bool {
	return len(p.Capabilities) == 0 || slices.Contains(p.Capabilities, product.Needs())
}
