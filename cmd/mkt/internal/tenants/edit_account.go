package tenants

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"mkt/publish/football"
	"mkt/serve/account"
)

// SetStatus suspends, reactivates or revokes a tenant. For a revoked tenant it returns a
// *RevokedError.
func (e *Editor) SetStatus(id string, s account.Status) error {
	if s != account.Revoked {
		if err := e.alive(id); err != nil {
			return err
		}
	}
	return e.set(id, "status", text(string(s)))
}

// Delete removes a tenant's whole entry.
func (e *Editor) Delete(id string) error {
	entry, err := e.entry(id)
	if err != nil {
		return err
	}
	list := child(e.doc.Content[0], "tenants")
	list.Content = slices.DeleteFunc(list.Content, func(n *yaml.Node) bool { return n == entry })
	return nil
}

// SetName sets the display name of a tenant; "" removes it.
func (e *Editor) SetName(id, name string) error {
	if name == "" {
		return e.set(id, "name", nil)
	}
	return e.set(id, "name", text(name))
}

// RevokedError is the error of a change to a revoked tenant that would reactivate it or have no effect.
type RevokedError struct{ ID string }

func (e *RevokedError) Error() string {
	return fmt.Sprintf("tenant %s is revoked, for good: mkt tenant add makes a new account, of another id", e.ID)
}

func (e *Editor) alive(id string) error {
	if t, ok := e.before.Tenant(id); ok && t.Status == account.Revoked {
		return &RevokedError{id}
	}
	return nil
}

// SetProduct subscribes a tenant to a product. The new term replaces the whole old one.
func (e *Editor) SetProduct(id string, p football.Product, term account.Subscription) error {
	return e.setIn(id, "products", string(p), subscriptionNode(term))
}

// UnsetProduct removes a subscription.
func (e *Editor) UnsetProduct(id string, p football.Product) error {
	return e.setIn(id, "products", string(p), nil)
}

// SetFeature switches a feature on or off.
func (e *Editor) SetFeature(id, feature string, on bool) error {
	return e.setIn(id, "features", feature, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(on)})
}

// SetSchedule sets the cron expression of a product.
func (e *Editor) SetSchedule(id string, p football.Product, expr string) error {
	return e.setIn(id, "schedule", string(p), text(expr))
}

// UnsetSchedule makes a product run on its default schedule.
func (e *Editor) UnsetSchedule(id string, p football.Product) error {
	return e.setIn(id, "schedule", string(p), nil)
}

// setIn sets a key of a mapping in a tenant's entry; nil removes it.
func (e *Editor) setIn(id, field, key string, value *yaml.Node) error {
	entry, err := e.entry(id)
	if err != nil {
		return err
	}
	if value == nil && (child(entry, field) == nil || isNull(child(entry, field))) {
		return nil
	}
	m := ensure(entry, field, yaml.MappingNode)
	if len(m.Content) == 0 {
		m.Style &^= yaml.FlowStyle
	}
	setKey(m, key, value)
	return nil
}
