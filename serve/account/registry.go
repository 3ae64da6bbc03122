package account

import (
	"fmt"
	"sync/atomic"
)

// Generation is one reading of tenants.yaml: immutable, shared by the requests
// that began under it.
type Generation struct {
	accounts []Account
	byDigest map[[32]byte]*Account
	byID     map[string]*Account
}

// NewGeneration indexes accounts, which it takes over. Two accounts with one id
// or one token are an error that names the accounts.
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

// Accounts lists the accounts in their file's order. Do not modify them.
func (g *Generation) Accounts() []Account { return g.accounts }

// Find returns the account of that id.
func (g *Generation) Find(clientID string) (*Account, bool) {
	a, ok := g.byID[clientID]
	return a, ok
}

// Identify returns the account that a token belongs to. What it compares is the
// token's SHA-256, whatever the token's form, so the time it takes tells nothing
// about any valid token.
func (g *Generation) Identify(token string) (*Account, bool) {
	a, ok := g.byDigest[Digest(token)]
	return a, ok && ValidToken(token)
}

// Registry holds the generation in force. Its zero value has no accounts. Safe
// for concurrent use; neither side ever waits.
type Registry struct{ current atomic.Pointer[Generation] }

var empty = &Generation{}

// Load returns the generation in force. A request loads it once and keeps it to
// its last byte.
func (r *Registry) Load() *Generation {
	if g := r.current.Load(); g != nil {
		return g
	}
	return empty
}

// Swap puts a new generation in force, for requests that begin from now on.
func (r *Registry) Swap(g *Generation) { r.current.Store(g) }
