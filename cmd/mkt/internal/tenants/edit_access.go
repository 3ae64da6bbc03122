package tenants

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"mkt/serve/account"
)

// AllowOrigin allows a browser origin. It does nothing if the origin is already allowed.
func (e *Editor) AllowOrigin(id, origin string) error {
	if t, ok := e.before.Tenant(id); ok && slices.Contains(t.Origins, origin) {
		_, err := e.entry(id)
		return err
	}
	return e.appendTo(id, "origins", text(origin))
}

// DenyOrigin removes an origin. It is an error if the origin is not allowed: it may be
// misspelled, and the other would stay allowed.
func (e *Editor) DenyOrigin(id, origin string) error {
	entry, err := e.entry(id)
	if err != nil {
		return err
	}
	t, _ := e.before.Tenant(id)
	if !slices.Contains(t.Origins, origin) {
		return fmt.Errorf("tenant %s: origin %s is not allowed anyway: %s", id, origin, allowed(t.Origins))
	}
	list := child(entry, "origins")
	for i := len(list.Content) - 1; i >= 0; i-- {
		if list.Content[i].Value == origin {
			removeItem(list, i)
		}
	}
	if len(list.Content) == 0 {
		setKey(entry, "origins", nil)
	}
	return nil
}

func allowed(origins []string) string {
	if len(origins) == 0 {
		return "it has no origin"
	}
	return "its origins are " + joinWords(origins)
}

// SetLimit sets a tenant's rate limit.
func (e *Editor) SetLimit(id string, l account.Limit) error {
	return e.set(id, "rate_limit", limitNode(l))
}

func (e *Editor) appendTo(id, field string, item *yaml.Node) error {
	entry, err := e.entry(id)
	if err != nil {
		return err
	}
	list := ensure(entry, field, yaml.SequenceNode)
	giveFoot(item, takeFoot(list))
	list.Content = append(list.Content, item)
	list.Style &^= yaml.FlowStyle
	return nil
}
