// Package account says who may read what: accounts, their entitlements, and
// the registry that swaps in a new generation of them while requests run. It
// holds token digests and a masked credential hint, never a token or credential.
package account

import (
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

// Account is one account as serve sees it. It is immutable once in a Generation.
type Account struct {
	ClientID      string
	Name          string
	Status        Status
	TokenDigests  [][32]byte // SHA-256 of each valid token
	Subscriptions map[football.Product]Subscription
	Features      map[string]bool // resolved: base features on unless switched off, add-ons when enabled
	Origins       []string        // exact origins allowed
	Limit         Limit
	Provider      Provider
	Cadence       map[football.Product]time.Duration // expected time between cycles; 0 = not scheduled
}

// Subscription is the term of one product. A nil time is unbounded. Judged at
// request time, never at load time.
type Subscription struct{ Starts, Expires *time.Time }

// Limit is a token bucket: Requests every Per, at most Burst at once.
type Limit struct {
	Requests int
	Per      time.Duration
	Burst    int
}

// Provider is what serve may know of the account's provider connection.
type Provider struct {
	Name         string
	Configured   bool
	Disabled     bool
	Hint         string // masked, at most 4 characters of the credential shown
	Fingerprint  string // of the sealed credential: ties fetch's state file to it
	Capabilities []string
}
