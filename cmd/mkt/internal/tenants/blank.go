package tenants

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The YAML library keeps comments and drops blank lines. So blank lines are replaced by comments
// with this text, and back.
const blankMark = "#mkt-blank-line"

func markBlankLines(data []byte) []byte {
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines[:len(lines)-1] {
		if len(bytes.TrimSpace(line)) == 0 {
			lines[i] = []byte(blankMark)
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

// encode writes the document, indented by two spaces a level.
func encode(doc *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	lines := strings.Split(b.String(), "\n")
	var out []string
	for i, line := range lines {
		if strings.TrimSpace(line) != blankMark {
			out = append(out, line)
			continue
		}
		if i+1 < len(lines) && strings.TrimSpace(lines[i+1]) == "" {
			continue // the library added a blank line after the comment
		}
		out = append(out, "")
	}
	return []byte(strings.TrimRight(strings.Join(out, "\n"), "\n") + "\n"), nil
}
