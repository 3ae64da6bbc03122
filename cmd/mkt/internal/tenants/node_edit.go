package tenants

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// setKey sets a key of a mapping; nil removes it. An existing value is changed in place, so that the
// comments on unchanged parts stay.
func setKey(m *yaml.Node, key string, value *yaml.Node) {
	at := keyAt(m, key)
	switch {
	case at < 0 && value == nil:
	case at < 0:
		appendKey(m, key, value)
	case value == nil:
		removeKey(m, at)
	default:
		replace(m.Content[at+1], value)
	}
}

// appendKey adds a key at the end. What followed the last key, such as the blank line before the next
// tenant, then follows the new one.
func appendKey(m *yaml.Node, key string, value *yaml.Node) {
	added := text(key)
	added.FootComment = takeFoot(m)
	m.Content = append(m.Content, added, value)
}

// removeKey removes a key. What followed it, if it was the last, then follows the one before.
func removeKey(m *yaml.Node, at int) {
	foot := ""
	if last := at+2 == len(m.Content); last && at > 0 {
		foot = takeFoot(m)
	}
	m.Content = slices.Delete(m.Content, at, at+2)
	if foot != "" {
		m.Content[len(m.Content)-2].FootComment = foot
	}
}

// takeFoot removes and returns the comments below the last line of a node, which the library
// attaches to the innermost last entry.
func takeFoot(n *yaml.Node) string {
	if len(n.Content) > 0 {
		if foot := takeFoot(n.Content[len(n.Content)-1]); foot != "" {
			return foot
		}
		if n.Kind == yaml.MappingNode {
			return takeFoot(n.Content[len(n.Content)-2])
		}
	}
	foot := n.FootComment
	n.FootComment = ""
	return foot
}

// giveFoot attaches what takeFoot removed to the last line of another node.
func giveFoot(n *yaml.Node, foot string) {
	switch last := len(n.Content); {
	case foot == "":
	case last == 0:
		n.FootComment = foot
	case n.Kind == yaml.MappingNode:
		n.Content[last-2].FootComment = foot
	default:
		giveFoot(n.Content[last-1], foot)
	}
}

// removeItem removes an item of a list. What followed it, if it was the last, then follows the one
// before, or the list.
func removeItem(list *yaml.Node, at int) {
	foot := ""
	if at+1 == len(list.Content) {
		foot = takeFoot(list)
	}
	list.Content = slices.Delete(list.Content, at, at+1)
	giveFoot(list, foot)
}

// keyAt returns the index of a key in a mapping's content, or -1.
func keyAt(m *yaml.Node, key string) int {
	for i := 0; m.Kind == yaml.MappingNode && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// replace gives old the value of value and keeps its comments, including those of remaining keys.
func replace(old, value *yaml.Node) {
	if old.Kind != yaml.MappingNode || value.Kind != yaml.MappingNode {
		head, line, foot := old.HeadComment, old.LineComment, takeFoot(old)
		*old = *value
		old.HeadComment, old.LineComment = head, line
		giveFoot(old, foot)
		return
	}
	for i := 0; i+1 < len(old.Content); {
		key := old.Content[i].Value
		if child(value, key) == nil {
			setKey(old, key, nil)
			continue
		}
		i += 2
	}
	for i := 0; i+1 < len(value.Content); i += 2 {
		setKey(old, value.Content[i].Value, value.Content[i+1])
	}
}

// ensure returns the value of a key, and creates it if it is missing or null.
func ensure(m *yaml.Node, key string, kind yaml.Kind) *yaml.Node {
	n := child(m, key)
	if n == nil {
		n = &yaml.Node{Kind: kind}
		appendKey(m, key, n)
	}
	if isNull(n) {
		*n = yaml.Node{Kind: kind, HeadComment: n.HeadComment, LineComment: n.LineComment, FootComment: n.FootComment}
	}
	return n
}

func joinWords(list []string) string { return strings.Join(list, ", ") }
