// Package fetch is the first stage: it asks an account's provider and keeps the
// bytes. It is the only stage that opens a credential and the only one that
// dials out; it interprets no market.
package fetch

// Tenant is whose data is fetched, and from where.
type Tenant struct {
	ID                  string
	Provider            string // adapter name
	BaseURL             string // "" = the adapter's own
	AllowPrivateAddress bool   // lets the provider live on loopback: the simulator
	SealedCredential    string // age-encrypted, armored; opened only here
	Fingerprint         string // SHA-256 of SealedCredential, hex
}
