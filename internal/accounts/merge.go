package accounts

import (
	"bytes"
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mkt/serve/account"
)

// encode returns the text of the edited document, with a blank line before each account but the
// first. The YAML library keeps comments and drops the other blank lines.
func (e *Editor) encode() ([]byte, error) {
	before, err := e.touchedOf(e.before)
	if err != nil {
		return nil, err
	}
	after, err := e.touchedOf(e.after)
	if err != nil {
		return nil, err
	}
	applyChange(e.doc.Content[0], before, after)
	if list := child(e.doc.Content[0], "tenants"); list != nil {
		for _, entry := range list.Content[min(1, len(list.Content)):] {
			entry.HeadComment = "\n" + entry.HeadComment
		}
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err = errors.Join(enc.Encode(&e.doc), enc.Close())
	return bytes.ReplaceAll(b.Bytes(), []byte("\n  \n"), []byte("\n\n")), err // blank lines are indented
}

// touchedOf encodes the touched tenants of a generation. The default of the rate limit is left out.
func (e *Editor) touchedOf(f *File) (*yaml.Node, error) {
	var touched struct{ Tenants []Tenant }
	for _, t := range f.Tenants {
		if t.Limit == account.DefaultLimit {
			t.Limit = account.Limit{}
		}
		if e.touched[t.ID] {
			touched.Tenants = append(touched.Tenants, t)
		}
	}
	var n yaml.Node
	return &n, n.Encode(touched)
}

// applyChange makes in n the change from one value to another; n is the first of them as it is in the
// file. The comments and the form of what does not change stay.
func applyChange(n, before, after *yaml.Node) {
	if same(before, after) {
		return
	}
	if n.Kind != after.Kind || n.Kind == yaml.ScalarNode {
		after.HeadComment, after.LineComment, after.FootComment = n.HeadComment, n.LineComment, n.FootComment
		*n = *after
		return
	}
	was, is, has := map[string]*yaml.Node{}, map[string]*yaml.Node{}, map[string]bool{}
	for name, nodes := range parts(before) {
		was[name] = value(nodes)
	}
	for name, nodes := range parts(after) {
		is[name] = value(nodes)
	}
	var content []*yaml.Node
	for name, nodes := range parts(n) {
		has[name] = true
		if is[name] != nil {
			applyChange(value(nodes), cmp.Or(was[name], &yaml.Node{}), is[name])
			placeComment(nodes[0], value(nodes))
		}
		if is[name] != nil || was[name] == nil {
			content = append(content, nodes...)
		}
	}
	for name, nodes := range parts(after) {
		if !has[name] && (was[name] == nil || !same(was[name], is[name])) {
			content = append(content, nodes...)
		}
	}
	n.Content = content
	if n.Kind == yaml.SequenceNode {
		n.Style &^= yaml.FlowStyle
	}
}

// placeComment keeps a comment where the library can write it: behind a value in one line, and
// above one that has lines.
func placeComment(key, v *yaml.Node) {
	lines := v.Style&yaml.FlowStyle == 0 && len(v.Content) > 0
	switch {
	case v.Kind == yaml.ScalarNode:
	case lines && v.LineComment != "":
		v.HeadComment, v.LineComment = strings.TrimPrefix(v.HeadComment+"\n"+v.LineComment, "\n"), ""
	case !lines && key != v && key.LineComment != "":
		v.LineComment, key.LineComment = key.LineComment, ""
	}
}

// parts lists the keys of a mapping, each with its value, or the items of a list. The name of an
// item is its text, or what identifies an account or a token.
func parts(n *yaml.Node) iter.Seq2[string, []*yaml.Node] {
	size := 1
	if n.Kind == yaml.MappingNode {
		size = 2
	}
	return func(yield func(string, []*yaml.Node) bool) {
		for nodes := range slices.Chunk(n.Content, size) {
			name := nodes[0].Value
			if key := cmp.Or(child(nodes[0], "id"), child(nodes[0], "sha256")); key != nil {
				name = key.Value
			}
			if !yield(name, nodes) {
				return
			}
		}
	}
}

// value returns the value of a part.
func value(nodes []*yaml.Node) *yaml.Node { return nodes[len(nodes)-1] }

// same reports whether two encoded values are equal.
func same(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, same)
}
