package console_test

import (
	"io/fs"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"mkt/cmd/mkt/internal/console"
	"mkt/docs"
	"mkt/internal/check"
)

// Every operation, message, payload field and example of asyncapi.yaml is on the socket's page.
func TestSocketPageIsComplete(t *testing.T) {
	text := page(t, serve(t, console.Access{}), "/api/socket")
	source, err := fs.ReadFile(docs.Files, "asyncapi.yaml")
	check.Must(t, err)
	var document struct {
		Operations map[string]any
		Components struct {
			Messages map[string]struct{ Examples []any }
			Schemas  map[string]struct {
				Properties map[string]any
				OneOf      []struct{ Properties map[string]any } `yaml:"oneOf"`
				Enum       []string
			}
		}
	}
	check.Must(t, yaml.Unmarshal(source, &document))
	for name := range document.Operations {
		if !strings.Contains(text, `id="operation-`+name+`"`) {
			t.Errorf("operation %s is not on the page", name)
		}
	}
	for name, m := range document.Components.Messages {
		_, part, found := strings.Cut(text, `id="message-`+name+`"`)
		part, _, _ = strings.Cut(part, "</section>")
		if examples := strings.Count(part, "<pre"); !found || examples != len(m.Examples) || examples == 0 {
			t.Errorf("message %s: found %v, %d examples of %d", name, found, examples, len(m.Examples))
		}
	}
	for name, s := range document.Components.Schemas {
		for _, one := range append(s.OneOf, struct{ Properties map[string]any }{s.Properties}) {
			for field := range one.Properties {
				if !strings.Contains(text, ">"+field+"<") && !strings.Contains(text, "."+field+"<") && !strings.Contains(text, field+"[]<") {
					t.Errorf("field %s of %s is not on the page", field, name)
				}
			}
		}
		for _, word := range s.Enum {
			if !strings.Contains(text, ">"+word+"<") {
				t.Errorf("value %s of %s is not on the page", word, name)
			}
		}
	}
	// A field of openapi.yaml, deep in a payload, with its bounds and its meaning.
	for _, want := range []string{">data[].momentum.home<", "integer, at least 0, at most 100", "Together with home it is 100.", ">FEATURE_NOT_ENABLED<"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not on the page", want)
		}
	}
}
