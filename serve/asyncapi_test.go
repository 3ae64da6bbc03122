package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const asyncAPIFile = "../docs/asyncapi.yaml"

var asyncAPI = sync.OnceValues(func() (*document, error) { return readDocument(asyncAPIFile, openAPIFile) })

// Every reference is valid, every schema compiles, every message is used and has examples, which
// follow its schema.
func TestAsyncAPIIsSound(t *testing.T) {
	t.Parallel()
	d, err := asyncAPI()
	must(t, err)
	http, err := openAPI()
	must(t, err)
	if d.root["asyncapi"] != "3.0.0" {
		t.Errorf("asyncapi: %v", d.root["asyncapi"])
	}
	referred := map[string]bool{}
	d.walk("#", d.root, func(pointer string, m map[string]any) {
		if ref, ok := m["$ref"].(string); ok {
			referred[ref] = true
			from := d
			if name, rest, _ := strings.Cut(ref, "#"); name != "" {
				from, ref = http, "#"+rest
			}
			if from.at(ref) == nil {
				t.Errorf("%s: %s leads nowhere", pointer, ref)
			}
		}
		if strings.HasPrefix(pointer, "#/components/schemas/") && strings.Count(pointer, "/") == 3 {
			if _, err := d.schema(pointer); err != nil {
				t.Error(err)
			}
		}
	})
	for name, message := range d.at("#/components/messages").(map[string]any) {
		examples, _ := message.(map[string]any)["examples"].([]any)
		s, err := d.schema(d.at("#/components/messages/" + name + "/payload/$ref").(string))
		must(t, err)
		for i, example := range examples {
			if err := s.Validate(example.(map[string]any)["payload"]); err != nil {
				t.Errorf("message %s, example %d: %v", name, i, err)
			}
		}
		if len(examples) == 0 {
			t.Errorf("message %s has no example", name)
		}
		if !referred["#/components/messages/"+name] || !referred["#/channels/main/messages/"+name] {
			t.Errorf("message %s is of no channel or no operation", name)
		}
	}
}

func (d *document) checkMessage(name string, payload []byte) error {
	ref, ok := d.at("#/components/messages/" + name + "/payload/$ref").(string)
	if !ok {
		return fmt.Errorf("message %q is not in the document: %.200s", name, payload)
	}
	s, err := d.schema(ref)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err != nil {
		return fmt.Errorf("message %s: %w: %.200s", name, err, payload)
	}
	if err := s.Validate(value); err != nil {
		return fmt.Errorf("message %s: %w\n%.2000s", name, err, payload)
	}
	return nil
}

// checked returns the payload of a message after checking it against the document.
func checked(t testing.TB, name string, args []json.RawMessage) json.RawMessage {
	t.Helper()
	d, err := asyncAPI()
	must(t, err)
	if len(args) != 1 {
		t.Fatalf("message %s has %d arguments", name, len(args))
	}
	must(t, d.checkMessage(name, args[0]))
	return args[0]
}
