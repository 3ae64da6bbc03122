package tenants

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mkt/serve/account"
)

// encode returns the text of the edited document, indented by two spaces a level, with a blank line
// before each account but the first. The YAML library keeps comments and drops blank lines.
func (e *Editor) encode() ([]byte, error) {
	list := child(e.doc.Content[0], "tenants")
	if list == nil || isNull(list) {
		set(e.doc.Content[0], "tenants", &yaml.Node{Kind: yaml.SequenceNode})
		list = child(e.doc.Content[0], "tenants")
	}
	list.Style &^= yaml.FlowStyle
	for i := range e.after.Tenants {
		t := &e.after.Tenants[i]
		if !e.touched[t.ID] {
			continue
		}
		after, err := entryOf(t)
		if err != nil {
			return nil, err
		}
		before, there := e.before.Tenant(t.ID)
		if !there {
			list.Content = append(list.Content, after)
			continue
		}
		was, err := entryOf(before)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(list.Content, func(n *yaml.Node) bool { return child(n, "id").Value == t.ID })
		applyChange(list.Content[at], was, after)
	}
	list.Content = slices.DeleteFunc(list.Content, func(n *yaml.Node) bool {
		_, there := e.after.Tenant(child(n, "id").Value)
		return !there
	})
	for _, entry := range list.Content[min(1, len(list.Content)):] {
		entry.HeadComment = blankLine + "\n" + entry.HeadComment
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(&e.doc), enc.Close()); err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("  "+blankLine+"\n"), []byte("\n")), nil
}

// blankLine is a comment that is replaced by a blank line.
const blankLine = "#mkt-blank-line"

// entryOf encodes a tenant. The default of the rate limit is left out.
func entryOf(t *Tenant) (*yaml.Node, error) {
	entry := *t
	if entry.Limit == account.DefaultLimit {
		entry.Limit = account.Limit{}
	}
	if entry.Provider != nil {
		p := *entry.Provider
		p.Credential = strings.TrimSpace(p.Credential) + "\n" // a block of lines
		entry.Provider = &p
	}
	var n yaml.Node
	if err := n.Encode(entry); err != nil {
		return nil, err
	}
	for _, term := range child(&n, "products").Content { // a line each, without the bounds that are open
		term.Style |= yaml.FlowStyle
		for _, key := range []string{"starts", "expires"} {
			if bound := child(term, key); bound != nil && isNull(bound) {
				set(term, key, nil)
			}
		}
	}
	return &n, nil
}

// applyChange makes in n the change from one value to another; n is the first of them as it is in the
// file. The comments and the form of unchanged parts stay.
func applyChange(n, before, after *yaml.Node) {
	switch {
	case same(before, after):
	case n.Kind == yaml.MappingNode && after.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(before.Content); i += 2 {
			key, value := before.Content[i].Value, before.Content[i+1]
			now, becomes := child(n, key), child(after, key)
			switch {
			case becomes != nil && same(value, becomes):
			case becomes != nil && now != nil:
				applyChange(now, value, becomes)
			default:
				set(n, key, becomes)
			}
		}
		for i := 0; i+1 < len(after.Content); i += 2 {
			if key := after.Content[i].Value; child(before, key) == nil {
				set(n, key, after.Content[i+1])
			}
		}
	case n.Kind == yaml.SequenceNode && after.Kind == yaml.SequenceNode && len(n.Content) == len(before.Content):
		var kept []*yaml.Node
		for i, item := range n.Content {
			if slices.ContainsFunc(after.Content, func(a *yaml.Node) bool { return same(a, before.Content[i]) }) {
				kept = append(kept, item)
			}
		}
		for _, item := range after.Content {
			if !slices.ContainsFunc(before.Content, func(b *yaml.Node) bool { return same(b, item) }) {
				kept = append(kept, item)
			}
		}
		n.Content, n.Style = kept, n.Style&^yaml.FlowStyle
	default:
		after.HeadComment, after.LineComment, after.FootComment = n.HeadComment, n.LineComment, n.FootComment
		*n = *after
	}
}

// same reports whether two encoded values are equal.
func same(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, same)
}

// set sets a key of a mapping; nil removes it.
func set(m *yaml.Node, key string, value *yaml.Node) {
	at := keyAt(m, key)
	switch {
	case at < 0 && value == nil:
	case at < 0:
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
	case value == nil:
		m.Content = slices.Delete(m.Content, at, at+2)
	default:
		applyChange(m.Content[at+1], &yaml.Node{}, value)
	}
}
