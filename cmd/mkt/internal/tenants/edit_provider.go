package tenants

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// UnsetProvider removes a tenant's provider connection, if there is one.
func (e *Editor) UnsetProvider(id string) error { return e.set(id, "provider", nil) }

// RewrapCredential replaces a tenant's sealed credential with the same one, sealed to another key. The
// status of the connection stays.
func (e *Editor) RewrapCredential(id, sealed string) error {
	entry, err := e.entry(id)
	if err != nil {
		return err
	}
	connection := child(entry, "provider")
	t, _ := e.before.Tenant(id)
	if connection == nil || t.Provider == nil {
		return fmt.Errorf("tenant %s has no provider", id)
	}
	setKey(connection, "credential", sealedNode(sealed))
	setKey(connection, "fingerprint", text(t.Provider.Fingerprint()))
	return nil
}

// SetProviderDisabled disables or enables a tenant's connection. The credential stays.
func (e *Editor) SetProviderDisabled(id string, disabled bool) error {
	entry, err := e.entry(id)
	if err != nil {
		return err
	}
	connection := child(entry, "provider")
	if connection == nil || connection.Kind != yaml.MappingNode {
		return fmt.Errorf("tenant %s has no provider: connect one with mkt provider set %s --provider NAME", id, id)
	}
	var value *yaml.Node // an absent key is false
	if disabled {
		value = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}
	}
	setKey(connection, "disabled", value)
	return nil
}
