package tenants

import (
	"fmt"
	"strings"
	"time"
)

func (e *Editor) AddToken(id string, t Token) error {
	if err := e.alive(id); err != nil {
		return err
	}
	return e.appendTo(id, "tokens", tokenNode(t))
}

// ReplaceTokens replaces all tokens of a tenant with one.
func (e *Editor) ReplaceTokens(id string, t Token) error {
	if err := e.alive(id); err != nil {
		return err
	}
	return e.set(id, "tokens", sequence([]Token{t}, tokenNode))
}

// EndToken removes the one token that has a hint and, if issued is not zero, was issued at
// that time. It is an error if there is none, because the hint may be misspelled, or if
// there are several.
func (e *Editor) EndToken(id, hint string, issued time.Time) error {
	entry, err := e.entry(id)
	if err != nil {
		return err
	}
	t, _ := e.before.Tenant(id)
	var found []int
	for i, token := range t.Tokens {
		if token.Hint == hint && (issued.IsZero() || token.IssuedAt.Equal(issued)) {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 0:
		return fmt.Errorf("tenant %s has no such token: %s", id, t.tokenWords())
	case len(found) > 1:
		return fmt.Errorf("tenant %s has %d such tokens: choose one with --issued: %s", id, len(found), t.tokenWords())
	}
	list := child(entry, "tokens")
	removeItem(list, found[0])
	if len(list.Content) == 0 {
		setKey(entry, "tokens", nil)
	}
	return nil
}

func (t *Tenant) tokenWords() string {
	if len(t.Tokens) == 0 {
		return "it has none"
	}
	var list []string
	for _, token := range t.Tokens {
		list = append(list, fmt.Sprintf("…%s issued %s", token.Hint, token.IssuedAt.Format(time.RFC3339)))
	}
	return "it has " + strings.Join(list, ", ")
}
