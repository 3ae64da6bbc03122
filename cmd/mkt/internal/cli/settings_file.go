package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mkt/internal/strictyaml"
	"mkt/internal/terminal"
)

// given is a setting in mkt.yaml.
type given struct {
	line   int
	empty  bool // it has no value
	list   bool
	values []string // one, if it is no list
}

// DataRootIn returns the data root of the installation in a folder, which may be new.
// Mistakes in its mkt.yaml are ignored here; the commands report them.
func DataRootIn(dir string) string {
	root := "data"
	if text, err := os.ReadFile(filepath.Join(dir, "mkt.yaml")); err == nil {
		if top, wrong := strictyaml.Parse(text); wrong == nil {
			lines, _ := keyLines("mkt.yaml", top)
			if data := lines["data"]; len(data.values) == 1 {
				root = cmp.Or(data.values[0], root)
			}
		}
	}
	if filepath.IsAbs(root) {
		return root
	}
	return filepath.Join(dir, root)
}

// keyLines lists the settings of mkt.yaml, nested keys joined by dots, with their lines. An error
// names the file and the line.
func keyLines(path string, top *yaml.Node) (map[string]given, error) {
	lines := map[string]given{}
	if top == nil {
		return lines, nil
	}
	return lines, flatten(path, top, "", lines)
}

func flatten(path string, n *yaml.Node, prefix string, into map[string]given) error {
	if isEmpty(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return terminal.Usagef("%s:%d: want a mapping of settings", path, n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value, line := prefix+n.Content[i].Value, n.Content[i+1], n.Content[i].Line
		switch value.Kind {
		case yaml.MappingNode:
			if err := flatten(path, value, key+".", into); err != nil {
				return err
			}
			continue
		case yaml.AliasNode:
			return terminal.Usagef("%s:%d: %s: aliases are not supported: write the value out", path, line, key)
		}
		if _, twice := into[key]; twice {
			return terminal.Usagef("%s:%d: %s is given twice", path, line, key)
		}
		one := given{line: line, empty: isEmpty(value), values: []string{value.Value}}
		if value.Kind == yaml.SequenceNode {
			one.list, one.values = true, nil
			for _, v := range value.Content {
				if v.Kind != yaml.ScalarNode {
					return terminal.Usagef("%s:%d: %s: want a list of values", path, v.Line, key)
				}
				one.values = append(one.values, v.Value)
			}
		}
		into[key] = one
	}
	return nil
}

func isEmpty(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// checkKeys returns an error for the first unknown key, or key without a value. A section may
// be empty, because its settings may be commented out.
func (s *Settings) checkKeys(path string) error {
	keys := make([]string, 0, len(s.lines))
	for key := range s.lines {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return s.lines[a].line - s.lines[b].line })
	for _, key := range keys {
		at, known := s.lines[key], slices.Contains(s.known, key)
		switch {
		case known && at.empty:
			return terminal.Usagef("%s:%d: %s: want a value; leave the line out for the default", path, at.line, key)
		case at.empty && len(s.below(key+".")) > 0:
			delete(s.lines, key)
		case !known:
			return terminal.Usagef("%s:%d: %s: unknown setting; %s", path, at.line, key, s.hint(key))
		}
	}
	return nil
}

// hint lists the keys similar to an unknown one.
func (s *Settings) hint(key string) string {
	section, _, _ := strings.Cut(key, ".")
	if words := s.below(section + "."); len(words) > 0 {
		return fmt.Sprintf("under %s there are %s", section, strings.Join(words, ", "))
	}
	return "there are " + strings.Join(s.below(""), ", ")
}

// below lists the next words of the keys with a prefix, sorted.
func (s *Settings) below(prefix string) []string {
	var words []string
	for _, key := range s.known {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			word, _, _ := strings.Cut(rest, ".")
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}
