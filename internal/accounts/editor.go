package accounts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

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

// Change changes one tenant. An error of how refuses the edit.
func (e *Editor) Change(id string, how func(*Tenant) error) error {
	t, there := e.after.Tenant(id)
	if !there {
		return &UnknownError{File: e.name, ID: id, Known: e.before.IDs()}
	}
	e.touched[id] = true
	return how(t)
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
	return e.Change(t.ID, func(old *Tenant) error { *old = t; return nil })
}

// Delete removes a tenant's whole entry.
func (e *Editor) Delete(id string) error {
	return e.Change(id, func(*Tenant) error {
		e.after.Tenants = slices.DeleteFunc(e.after.Tenants, func(t Tenant) bool { return t.ID == id })
		return nil
	})
}

// SetStatus suspends, reactivates or revokes a tenant. For a revoked tenant it returns a
// *RevokedError.
func (t *Tenant) SetStatus(s account.Status) error {
	if t.Status == account.Revoked && s != account.Revoked {
		return &RevokedError{t.ID}
	}
	t.Status = s
	return nil
}

// AddToken adds a token. For a revoked tenant it returns a *RevokedError.
func (t *Tenant) AddToken(token Token) error {
	if t.Status == account.Revoked {
		return &RevokedError{t.ID}
	}
	t.Tokens = append(t.Tokens, token)
	return nil
}

// EndToken removes the one token that has a hint and, if issued is not zero, was issued at
// that time. It is an error if there is none, because the hint may be misspelled, or if
// there are several.
func (t *Tenant) EndToken(hint string, issued time.Time) error {
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
		return fmt.Errorf("tenant %s has no such token: %s", t.ID, known)
	case ended > 1:
		return fmt.Errorf("tenant %s has %d such tokens: choose one with --issued: %s", t.ID, ended, known)
	}
	t.Tokens = kept
	return nil
}

// AllowOrigin allows a browser origin. It does nothing if the origin is already allowed.
func (t *Tenant) AllowOrigin(origin string) error {
	if !slices.Contains(t.Origins, origin) {
		t.Origins = append(t.Origins, origin)
	}
	return nil
}

// DenyOrigin removes an origin. It is an error if the origin is not allowed: it may be
// misspelled, and the other would stay allowed.
func (t *Tenant) DenyOrigin(origin string) error {
	if !slices.Contains(t.Origins, origin) {
		allowed := "it has no origin"
		if len(t.Origins) > 0 {
			allowed = "its origins are " + strings.Join(t.Origins, ", ")
		}
		return fmt.Errorf("tenant %s: origin %s is not allowed anyway: %s", t.ID, origin, allowed)
	}
	t.Origins = slices.DeleteFunc(t.Origins, func(s string) bool { return s == origin })
	return nil
}

// DisableProvider disables the connection of a tenant, or enables it again. The credential stays.
func (t *Tenant) DisableProvider(disabled bool) error {
	if t.Provider == nil {
		return t.noProvider()
	}
	t.Provider.Disabled = disabled
	return nil
}

func (t *Tenant) noProvider() error {
	return fmt.Errorf("tenant %s has no provider: connect one with mkt provider set %s --provider NAME", t.ID, t.ID)
}
