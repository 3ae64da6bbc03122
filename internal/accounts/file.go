package accounts

import (
	"encoding/hex"
	"slices"
	"time"

	"mkt/fetch/credential"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/serve/account"
)

// Version is the format of tenants.yaml, its key "version".
//
//	1: first
const Version = 1

// File is one checked generation of tenants.yaml. It is not changed after it was read.
type File struct {
	Name    string // as given, for messages
	Tenants []Tenant

	sum            [32]byte // SHA-256 of the file without its seal
	seal           Seal
	sealedAccounts int
	open           bool // its last line has no line end
}

// Tenant is an account with everything that is known of it.
type Tenant struct {
	ID       string                                    `yaml:"id" missing:"is missing"`
	Name     string                                    `yaml:"name,omitempty"`
	Status   account.Status                            `yaml:"status"`
	Tokens   []Token                                   `yaml:"tokens,omitempty"`
	Products map[football.Product]account.Subscription `yaml:"products"`
	Features map[string]bool                           `yaml:"features,omitempty"` // as in the file; base features may be absent
	Origins  []string                                  `yaml:"origins,omitempty"`
	Limit    account.Limit                             `yaml:"rate_limit,flow,omitempty"` // the default if the file has none
	Provider *Provider                                 `yaml:"provider,omitempty"`        // nil: not configured
	Schedule map[football.Product]string               `yaml:"schedule,omitempty"`
	Line     int                                       `yaml:"-"` // first line in the file

	parts []part // of its entry, see [File.Replaces]
}

// Token is one API token without the token.
type Token struct {
	Digest   Digest    `yaml:"sha256" missing:"is missing: issue a token with mkt tenant token issue"`
	Hint     string    `yaml:"hint"` // its last characters
	IssuedAt time.Time `yaml:"issued_at"`
}

// Digest is the SHA-256 of a token.
type Digest [32]byte

// MarshalYAML implements [yaml.Marshaler].
func (d Digest) MarshalYAML() (any, error) { return hex.EncodeToString(d[:]), nil }

// Provider is the account's connection to its data provider.
type Provider struct {
	Name                string `yaml:"name" missing:"is missing"`
	BaseURL             string `yaml:"base_url,omitempty"`                                              // "": the adapter's default
	Bookmaker           string `yaml:"bookmaker,omitempty"`                                             // whose prices are taken; "": the adapter's default, or the only one it sells
	Mapping             string `yaml:"mapping,omitempty"`                                               // the account's own mapping table, CSV; "": none
	AllowPrivateAddress bool   `yaml:"allow_private_address,omitempty"`                                 // for the simulator
	Hint                string `yaml:"hint"`                                                            // masked
	Credential          string `yaml:"credential" missing:"is missing: seal one with mkt provider set"` // sealed, armored
	KnownAs             string `yaml:"fingerprint,omitempty"`                                           // of the first sealing; "" if this is the first
	Disabled            bool   `yaml:"disabled,omitempty"`
}

// Fingerprint identifies the credential, whatever key it is sealed to.
func (p *Provider) Fingerprint() string {
	if p.KnownAs != "" {
		return p.KnownAs
	}
	return credential.Fingerprint(p.Credential)
}

// MappingDigest names the account's own mapping table, which is too long to show; "" if there is none.
func (p *Provider) MappingDigest() string {
	if p.Mapping == "" {
		return ""
	}
	return "sha256 " + durable.Hash([]byte(p.Mapping))[:16]
}

// Bounds of a rate limit.
const (
	MaxRequests = 1_000_000_000
	MinPer      = time.Second
	MaxPer      = 24 * time.Hour
)

// Tenant returns the tenant with an id.
func (f *File) Tenant(id string) (*Tenant, bool) {
	i := slices.IndexFunc(f.Tenants, func(t Tenant) bool { return t.ID == id })
	if i < 0 {
		return nil, false
	}
	return &f.Tenants[i], true
}

// WithRevoked returns a copy of the generation in which these tenants are revoked.
func (f *File) WithRevoked(ids []string) *File {
	held := *f
	held.Tenants = slices.Clone(f.Tenants)
	for i := range held.Tenants {
		if slices.Contains(ids, held.Tenants[i].ID) {
			held.Tenants[i].Status = account.Revoked
		}
	}
	return &held
}

// IDs lists the tenants in the file's order.
func (f *File) IDs() []string {
	ids := make([]string, 0, len(f.Tenants))
	for i := range f.Tenants {
		ids = append(ids, f.Tenants[i].ID)
	}
	return ids
}

// Subscription returns the state of product p at now.
func (t *Tenant) Subscription(p football.Product, now time.Time) account.Term {
	a := account.Account{Subscriptions: t.Products}
	return a.TermAt(p, now)
}
