package main

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// keyLines lists the settings of mkt.yaml, nested keys joined by dots, with the
// lines they stand in.
func keyLines(data []byte) (map[string]int, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	lines := map[string]int{}
	if len(doc.Content) == 0 {
		return lines, nil
	}
	return lines, flatten(doc.Content[0], "", lines)
}

func flatten(n *yaml.Node, prefix string, into map[string]int) error {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return errors.New("want a mapping of settings")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := prefix+n.Content[i].Value, n.Content[i+1]
		switch value.Kind {
		case yaml.MappingNode:
			if err := flatten(value, key+".", into); err != nil {
				return err
			}
			continue
		case yaml.AliasNode:
			return fmt.Errorf("line %d: aliases are not read", value.Line)
		}
		if _, twice := into[key]; twice {
			return fmt.Errorf("line %d: %s is given twice", n.Content[i].Line, key)
		}
		into[key] = n.Content[i].Line
	}
	return nil
}
