package tenants

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mkt/publish/football"
	"mkt/serve/account"
)

// Editor changes the tenants of a file. What changes in an entry is merged into its text: its other
// keys, comments and order stay.
type Editor struct {
	name    string
	doc     yaml.Node
	body    []byte // of the file, without its seal
	before  *File
	after   *File           // a copy, which is changed
	touched map[string]bool // tenants that the edit may change
}

func newEditor(name string, data []byte) (*Editor, error) {
	before, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	after, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	e := &Editor{name: name, body: unseal(data).body, before: before, after: after, touched: map[string]bool{}}
	return e, yaml.Unmarshal(e.body, &e.doc)
}

// File is the generation the edit started from.
func (e *Editor) File() *File { return e.before }

// change changes one tenant.
func (e *Editor) change(id string, how func(*Tenant) error) error {
	t, there := e.after.Tenant(id)
	if !there {
		return &UnknownError{File: e.name, ID: id, Known: e.before.IDs()}
	}
	e.touched[id] = true
	return how(t)
}

// living is change for a tenant that must not be revoked.
func (e *Editor) living(id string, how func(*Tenant)) error {
	return e.change(id, func(t *Tenant) error {
		if t.Status == account.Revoked {
			return &RevokedError{id}
		}
		how(t)
		return nil
	})
}

// set is change without a condition.
func (e *Editor) set(id string, how func(*Tenant)) error {
	return e.change(id, func(t *Tenant) error { how(t); return nil })
}

// UnknownError is the error for an id that no tenant of the file has.
type UnknownError struct {
	File  string
	ID    string
	Known []string
}

func (e *UnknownError) Error() string {
	switch n := len(e.Known); {
	case n == 0:
		return fmt.Sprintf("no tenant %q: %s lists none yet; add one with mkt tenant add", e.ID, e.File)
	case n <= 8:
		return fmt.Sprintf("no tenant %q in %s: it lists %s", e.ID, e.File, strings.Join(e.Known, ", "))
	default:
		return fmt.Sprintf("no tenant %q among the %d of %s: mkt tenant list shows them", e.ID, n, e.File)
	}
}

// RevokedError is the error of a change to a revoked tenant that would reactivate it or have no effect.
type RevokedError struct{ ID string }

func (e *RevokedError) Error() string {
	return fmt.Sprintf("tenant %s is revoked, for good: mkt tenant add makes a new account, of another id", e.ID)
}

// Add appends a tenant.
func (e *Editor) Add(t Tenant) error {
	if _, taken := e.after.Tenant(t.ID); taken {
		return fmt.Errorf("tenant %s exists already in %s", t.ID, e.name)
	}
	e.after.Tenants = append(e.after.Tenants, t)
	e.touched[t.ID] = true
	return nil
}

// Replace replaces a tenant's whole entry, or adds it.
func (e *Editor) Replace(t Tenant) error {
	if _, there := e.after.Tenant(t.ID); !there {
		return e.Add(t)
	}
	return e.set(t.ID, func(old *Tenant) { *old = t })
}

// Delete removes a tenant's whole entry.
func (e *Editor) Delete(id string) error {
	return e.change(id, func(*Tenant) error {
		e.after.Tenants = slices.DeleteFunc(e.after.Tenants, func(t Tenant) bool { return t.ID == id })
		return nil
	})
}

// SetName sets the display name of a tenant; "" removes it.
func (e *Editor) SetName(id, name string) error {
	return e.set(id, func(t *Tenant) { t.Name = name })
}

// SetStatus suspends, reactivates or revokes a tenant. For a revoked tenant it returns a
// *RevokedError.
func (e *Editor) SetStatus(id string, s account.Status) error {
	if s == account.Revoked {
		return e.set(id, func(t *Tenant) { t.Status = s })
	}
	return e.living(id, func(t *Tenant) { t.Status = s })
}

// SetProduct subscribes a tenant to a product. The new term replaces the whole old one.
func (e *Editor) SetProduct(id string, p football.Product, term account.Subscription) error {
	return e.set(id, func(t *Tenant) { t.Products[p] = term })
}

// UnsetProduct removes a subscription.
func (e *Editor) UnsetProduct(id string, p football.Product) error {
	return e.set(id, func(t *Tenant) { delete(t.Products, p) })
}

// SetFeature switches a feature on or off.
func (e *Editor) SetFeature(id, feature string, on bool) error {
	return e.set(id, func(t *Tenant) { t.Features[feature] = on })
}

// SetSchedule sets the cron expression of a product.
func (e *Editor) SetSchedule(id string, p football.Product, expr string) error {
	return e.set(id, func(t *Tenant) { t.Schedule[p] = expr })
}

// UnsetSchedule makes a product run on its default schedule.
func (e *Editor) UnsetSchedule(id string, p football.Product) error {
	return e.set(id, func(t *Tenant) { delete(t.Schedule, p) })
}

// SetLimit sets a tenant's rate limit.
func (e *Editor) SetLimit(id string, l account.Limit) error {
	return e.set(id, func(t *Tenant) { t.Limit = l })
}

// AllowOrigin allows a browser origin. It does nothing if the origin is already allowed.
func (e *Editor) AllowOrigin(id, origin string) error {
	return e.set(id, func(t *Tenant) {
		if !slices.Contains(t.Origins, origin) {
			t.Origins = append(t.Origins, origin)
		}
	})
}

// DenyOrigin removes an origin. It is an error if the origin is not allowed: it may be
// misspelled, and the other would stay allowed.
func (e *Editor) DenyOrigin(id, origin string) error {
	return e.change(id, func(t *Tenant) error {
		if !slices.Contains(t.Origins, origin) {
			allowed := "it has no origin"
			if len(t.Origins) > 0 {
				allowed = "its origins are " + strings.Join(t.Origins, ", ")
			}
			return fmt.Errorf("tenant %s: origin %s is not allowed anyway: %s", id, origin, allowed)
		}
		t.Origins = slices.DeleteFunc(t.Origins, func(s string) bool { return s == origin })
		return nil
	})
}

// AddToken adds a token.
func (e *Editor) AddToken(id string, token Token) error {
	return e.living(id, func(t *Tenant) { t.Tokens = append(t.Tokens, token) })
}

// ReplaceTokens replaces all tokens of a tenant with one.
func (e *Editor) ReplaceTokens(id string, token Token) error {
	return e.living(id, func(t *Tenant) { t.Tokens = []Token{token} })
}

// EndToken removes the one token that has a hint and, if issued is not zero, was issued at
// that time. It is an error if there is none, because the hint may be misspelled, or if
// there are several.
func (e *Editor) EndToken(id, hint string, issued time.Time) error {
	return e.change(id, func(t *Tenant) error {
		known := "it has none"
		if len(t.Tokens) > 0 {
			var list []string
			for _, token := range t.Tokens {
				list = append(list, fmt.Sprintf("…%s issued %s", token.Hint, token.IssuedAt.Format(time.RFC3339)))
			}
			known = "it has " + strings.Join(list, ", ")
		}
		kept := slices.DeleteFunc(slices.Clone(t.Tokens), func(token Token) bool {
			return token.Hint == hint && (issued.IsZero() || token.IssuedAt.Equal(issued))
		})
		switch ended := len(t.Tokens) - len(kept); {
		case ended == 0:
			return fmt.Errorf("tenant %s has no such token: %s", id, known)
		case ended > 1:
			return fmt.Errorf("tenant %s has %d such tokens: choose one with --issued: %s", id, ended, known)
		}
		t.Tokens = kept
		return nil
	})
}

// SetProvider sets or replaces a tenant's provider connection.
func (e *Editor) SetProvider(id string, p Provider) error {
	return e.set(id, func(t *Tenant) { t.Provider = &p })
}

// UnsetProvider removes a tenant's provider connection, if there is one.
func (e *Editor) UnsetProvider(id string) error {
	return e.set(id, func(t *Tenant) { t.Provider = nil })
}

// RewrapCredential replaces a tenant's sealed credential with the same one, sealed to another key. The
// status of the connection stays.
func (e *Editor) RewrapCredential(id, sealed string) error {
	return e.connected(id, func(p *Provider) { p.KnownAs, p.Credential = p.Fingerprint(), sealed })
}

// SetProviderDisabled disables or enables a tenant's connection. The credential stays.
func (e *Editor) SetProviderDisabled(id string, disabled bool) error {
	return e.connected(id, func(p *Provider) { p.Disabled = disabled })
}

// connected changes the connection of a tenant that has one.
func (e *Editor) connected(id string, how func(*Provider)) error {
	return e.change(id, func(t *Tenant) error {
		if t.Provider == nil {
			return fmt.Errorf("tenant %s has no provider: connect one with mkt provider set %s --provider NAME", id, id)
		}
		how(t.Provider)
		return nil
	})
}
