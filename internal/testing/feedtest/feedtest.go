// Package feedtest holds the answers of a feed against docs/feed.schema.json.
package feedtest

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is the schema of a feed.
type Schema struct {
	Root  map[string]any // as JSON
	parts map[string]*jsonschema.Schema
}

// Open reads the schema, which is the given file.
func Open(t testing.TB, file string) *Schema {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	c := NewCompiler()
	if err := c.AddResource("feed", value); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	s := &Schema{Root: value.(map[string]any), parts: make(map[string]*jsonschema.Schema)}
	parts := map[string]string{"": "feed"}
	for name := range s.Root["$defs"].(map[string]any) {
		parts[name] = "feed#/$defs/" + name
	}
	for name, at := range parts {
		if s.parts[name], err = c.Compile(at); err != nil {
			t.Fatalf("%s: %s: %v", file, at, err)
		}
	}
	return s
}

// NewCompiler returns a compiler that asserts formats, and knows the escapes of a character in the
// patterns of JSON Schema that Go spells otherwise.
func NewCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	escapes := regexp.MustCompile(`\\u([0-9a-fA-F]{4})`)
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		return regexp.Compile(escapes.ReplaceAllString(pattern, `\x{$1}`))
	})
	return c
}

// Check validates a JSON text against a definition such as "markets"; "" is any answer.
func (s *Schema) Check(definition string, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return s.parts[definition].Validate(value)
}
