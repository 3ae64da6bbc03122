package account

import (
	"fmt"
	"sync/atomic"
)

// Generation is the accounts of one version of tenants.yaml. It is immutable and shared
// by the requests that began while it was current.
type Generation struct {
	accounts []Account
	byDigest map[[32]byte]*Account
	byID     map[string]*Account
}

// NewGeneration indexes accounts, and keeps the slice. If two accounts have the same id or
// token, the error names them.
func NewGeneration(accounts []Account) (*Generation, error) {
	g := &Generation{accounts: accounts, byDigest: map[[32]byte]*Account{}, byID: map[string]*Account{}}
	for i := range accounts {
		a := &accounts[i]
		if _, taken := g.byID[a.ClientID]; taken {
			return nil, fmt.Errorf("account %s: listed twice", a.ClientID)
		}
		g.byID[a.ClientID] = a
		for _, digest := range a.TokenDigests {
			if other, taken := g.byDigest[digest]; taken && other != a {
				return nil, fmt.Errorf("account %s: a token digest is also that of account %s", a.ClientID, other.ClientID)
			}
			g.byDigest[digest] = a
		}
	}
	return g, nil
}

// Accounts returns the accounts in the order of their file. The caller must not modify
// them.
func (g *Generation) Accounts() []Account { return g.accounts }

// Find returns the account with that id.
func (g *Generation) Find(clientID string) (*Account, bool) {
	a, ok := g.byID[clientID]
	return a, ok
}

// Identify returns the account that a token belongs to. It only compares the SHA-256 of
// the token, whatever the token's form, so its duration reveals nothing about valid
// tokens.
func (g *Generation) Identify(token string) (*Account, bool) {
	a, ok := g.byDigest[Digest(token)]
	return a, ok && ValidToken(token)
}

// Registry has the current generation. Its zero value has no accounts. Safe for
// concurrent use; neither Load nor Swap ever waits.
type Registry struct{ current atomic.Pointer[Generation] }

var empty = &Generation{}

// Load returns the current generation. A request calls it once and uses the result
// throughout.
func (r *Registry) Load() *Generation {
	if g := r.current.Load(); g != nil {
		return g
	}
	return empty
}

// Swap replaces the current generation for requests that begin afterwards.
func (r *Registry) Swap(g *Generation) { r.current.Store(g) }
