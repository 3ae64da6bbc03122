package accounts

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mkt/publish/football"
)

// reader reads the nodes of a document and collects all problems, so that a person sees them at once.
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

// decode reads a node into v by the yaml tags of its type. Unlike the YAML library it reports every
// problem, with line and field, and repeats no value.
//
// A null is an empty mapping, an empty list, or a nil pointer. A key that is unknown or given twice
// is a problem, as is the absence of one whose tag "missing" says what to do.
func (r *reader) decode(n *yaml.Node, field string, v reflect.Value) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		r.problem(n, field, "anchors and aliases are not supported: write the value out")
		return
	}
	if r.scalar(n, field, v.Addr().Interface()) || isNull(n) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.decode(n, field, v.Elem())
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			r.problem(n, field, "want a list")
			return
		}
		for _, item := range n.Content {
			one := reflect.New(v.Type().Elem()).Elem()
			r.decode(item, field, one)
			v.Set(reflect.Append(v, one))
		}
	default:
		r.mapping(n, field, v)
	}
}

func (r *reader) mapping(n *yaml.Node, field string, v reflect.Value) {
	known := keysOf(v.Type())
	keys := slices.Sorted(maps.Keys(known))
	if n.Kind != yaml.MappingNode && field == "tokens" {
		r.problem(n, field, "want entries of sha256, hint and issued_at, as mkt tenant token issue makes them; if a token stood here in clear, end it with mkt tenant token rotate")
		return
	}
	if n.Kind != yaml.MappingNode {
		r.problem(n, field, "want a mapping of %s", strings.Join(keys, ", "))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := join(field, key.Value)
		of, is := known[key.Value]
		switch {
		case key.Value == "<<":
			r.problem(key, field, "anchors and aliases are not supported: write the values out")
		case key.Kind != yaml.ScalarNode || !is:
			r.problem(key, join(field, word(key.Value)), "unknown key: want one of %s", strings.Join(keys, ", "))
		case keyAt(n, key.Value) < i:
			r.problem(key, name, "given twice")
		case v.Kind() == reflect.Map:
			one := reflect.New(v.Type().Elem()).Elem()
			r.decode(value, name, one)
			v.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), one)
		default:
			r.decode(value, name, v.FieldByIndex(of.Index))
		}
	}
	for _, key := range keys {
		if reason := known[key].Tag.Get("missing"); reason != "" && child(n, key) == nil {
			r.problem(n, join(field, key), "%s", reason)
		}
	}
	r.check(n, field, v.Addr().Interface())
}

// keysOf returns the keys of a mapping, those of a struct with their fields.
func keysOf(t reflect.Type) map[string]reflect.StructField {
	keys := map[string]reflect.StructField{}
	switch {
	case t == reflect.TypeFor[map[string]bool]():
		for _, f := range Features() {
			keys[f] = reflect.StructField{}
		}
	case t.Kind() == reflect.Map:
		for _, p := range football.Products() {
			keys[string(p)] = reflect.StructField{}
		}
	default:
		for _, f := range reflect.VisibleFields(t) {
			key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if f.IsExported() && key != "-" {
				keys[cmp.Or(key, strings.ToLower(f.Name))] = f
			}
		}
	}
	return keys
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// keyAt returns the index of a key in a mapping's content, or -1.
func keyAt(m *yaml.Node, key string) int {
	for i := 0; m != nil && m.Kind == yaml.MappingNode && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// child returns the value of a key in a mapping, nil if it has none.
func child(n *yaml.Node, key string) *yaml.Node {
	if at := keyAt(n, key); at >= 0 {
		return n.Content[at+1]
	}
	return nil
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
