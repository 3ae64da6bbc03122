package tenants

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader walks the nodes of a document and collects all problems, so that a person sees them at once.
type reader struct {
	problems []Problem
	tenant   string // the tenant whose entry is being read
}

func (r *reader) problem(n *yaml.Node, field, format string, args ...any) {
	line := 0
	if n != nil {
		line = n.Line
	}
	r.problems = append(r.problems, Problem{Line: line, Tenant: r.tenant, Field: field, Reason: fmt.Sprintf(format, args...)})
}

// fields calls the function of each key of a mapping. A null is an empty mapping. A key that is
// unknown, repeated or not a word is a problem.
func (r *reader) fields(n *yaml.Node, field string, known map[string]func(*yaml.Node)) {
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.problem(n, field, "want a mapping of %s", words(known))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := known[key.Value]
		switch {
		case key.Value == "<<" && !ok:
			r.problem(key, field, "anchors and aliases are not supported: write the values out")
		case key.Kind != yaml.ScalarNode || !ok:
			r.problem(key, join(field, word(key.Value)), "unknown key: want one of %s", words(known))
		case seen[key.Value]:
			r.problem(key, join(field, key.Value), "given twice")
		case value.Kind == yaml.AliasNode || value.Anchor != "":
			r.problem(value, join(field, key.Value), "anchors and aliases are not supported: write the value out")
		default:
			read(value)
		}
		seen[key.Value] = true
	}
}

// items returns the entries of a sequence. A null is an empty sequence.
func (r *reader) items(n *yaml.Node, field string) []*yaml.Node {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.problem(n, field, "want a list")
		return nil
	}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode || item.Anchor != "" {
			r.problem(item, field, "anchors and aliases are not supported: write the value out")
			return nil
		}
	}
	return n.Content
}

// maxText bounds a text, which must be one line.
const maxText = 4096

// text returns a scalar's text; "" after a problem.
func (r *reader) text(n *yaml.Node, field string) string {
	if n.Kind != yaml.ScalarNode || isNull(n) {
		r.problem(n, field, "want a text")
		return ""
	}
	if len(n.Value) > maxText {
		r.problem(n, field, "is longer than %d bytes", maxText)
		return ""
	}
	if i := strings.IndexFunc(n.Value, func(c rune) bool { return c < ' ' || c == 0x7f }); i >= 0 {
		r.problem(n, field, "want one line without control characters")
		return ""
	}
	return n.Value
}

func (r *reader) boolean(n *yaml.Node, field string) bool {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		r.problem(n, field, "want true or false")
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

func (r *reader) integer(n *yaml.Node, field string, least, most int) int {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < least || v > most {
		r.problem(n, field, "want a whole number from %d to %d", least, most)
		return least
	}
	return v
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// child returns the value of a key in a mapping, nil if it has none.
func child(n *yaml.Node, key string) *yaml.Node {
	if at := keyAt(n, key); at >= 0 {
		return n.Content[at+1]
	}
	return nil
}

func words[V any](known map[string]V) string {
	list := make([]string, 0, len(known))
	for w := range known {
		list = append(list, w)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func join(field, key string) string {
	if field == "" {
		return key
	}
	return field + "." + key
}

// word returns a key for a problem. A key that is not a plain word is not repeated: it may be a secret
// that was pasted in the wrong place.
func word(key string) string {
	const longest = 24
	if key == "" || len(key) > longest || strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.-") != "" {
		return "(a key that is not a word)"
	}
	return key
}

// shorten shortens a printed word, which may be a pasted text.
func shorten(s string) string {
	const most = 24
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return '?'
		}
		return c
	}, s)
}
