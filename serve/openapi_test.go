package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

const (
	openAPIFile = "../docs/openapi.yaml"
	historyFile = "../docs/openapi-history.yaml"
)

// Every reference is valid, every schema compiles, and every parameter and response has all
// fields that OpenAPI 3.1 requires.
func TestOpenAPIIsSound(t *testing.T) {
	t.Parallel()
	d, err := openAPI()
	must(t, err)
	if d.root["openapi"] != "3.1.0" {
		t.Errorf("openapi: %v", d.root["openapi"])
	}
	d.walk("#", d.root, func(pointer string, m map[string]any) {
		for key, value := range m {
			if value == nil && !strings.HasPrefix(pointer, "#/components/examples/") {
				t.Errorf("%s: %q has no value: is a comma in a description not quoted?", pointer, key)
			}
		}
		if ref, ok := m["$ref"].(string); ok && d.at(ref) == nil {
			t.Errorf("%s: %s leads nowhere", pointer, ref)
		}
		named := strings.HasPrefix(pointer, "#/components/schemas/") && strings.Count(pointer, "/") == 3
		if named || strings.HasSuffix(pointer, "/schema") && !strings.HasSuffix(pointer, "/paths/~1schema") {
			if _, err := d.schema(pointer); err != nil {
				t.Error(err)
			}
		}
		if m["in"] != nil && (m["name"] == nil || m["schema"] == nil || m["in"] == "path" && m["required"] != true) {
			t.Errorf("%s: a parameter needs name and schema, and required in a path", pointer)
		}
		responses, _ := m["responses"].(map[string]any)
		for status, r := range responses {
			if r := r.(map[string]any); r["description"] == nil && r["$ref"] == nil {
				t.Errorf("%s: response %s has no description", pointer, status)
			}
		}
	})
}

// Every route, and every refusal within a test's reach, has an example that its schema
// allows. (TestExamples of cmd/mkt writes them.)
func TestOpenAPIExamplesFit(t *testing.T) {
	t.Parallel()
	d, err := openAPI()
	must(t, err)
	without := map[string]bool{"#/components/responses/Internal": true, "#/components/responses/Unavailable": true}
	shown := 0
	d.walk("#", d.root, func(pointer string, m map[string]any) {
		media, isMedia := strings.CutSuffix(pointer, "/content/application~1json")
		if !isMedia {
			return
		}
		examples, _ := m["examples"].(map[string]any)
		if len(examples) == 0 && !without[media] {
			t.Errorf("%s has no example", media)
		}
		s, err := d.schema(pointer + "/schema")
		must(t, err)
		for _, e := range examples {
			ref := e.(map[string]any)["$ref"].(string)
			shown++
			if err := s.Validate(d.at(ref + "/value")); err != nil {
				t.Errorf("%s: %v", ref, err)
			}
		}
	})
	if all := d.at("#/components/examples").(map[string]any); len(all) != shown {
		t.Errorf("%d examples, %d of them shown", len(all), shown)
	}
}

func (d *document) walk(pointer string, value any, visit func(pointer string, m map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(pointer, v)
		for key, child := range v {
			d.walk(pointer+"/"+strings.ReplaceAll(key, "/", "~1"), child, visit)
		}
	case []any:
		for i, child := range v {
			d.walk(fmt.Sprint(pointer, "/", i), child, visit)
		}
	}
}

// document is docs/openapi.yaml or another document as a JSON value. Its schemas are compiled
// when they are first needed.
type document struct {
	name     string
	root     map[string]any
	other    *document // to whose parts this one refers by its file name; may be nil
	compiler *jsonschema.Compiler
	mu       sync.Mutex // guards the compiler and the rest
	schemas  map[string]*jsonschema.Schema
}

var (
	openAPI = sync.OnceValues(func() (*document, error) { return readDocument(openAPIFile) })
	// openHistory is the document of the extension history, which refers to the other.
	openHistory = sync.OnceValues(func() (*document, error) {
		other, err := openAPI()
		if err != nil {
			return nil, err
		}
		d, err := readDocument(historyFile, openAPIFile)
		if err == nil {
			d.other = other
		}
		return d, err
	})
)

func readDocument(file string, others ...string) (*document, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	d := &document{name: filepath.Base(file), compiler: c, schemas: map[string]*jsonschema.Schema{}}
	for _, name := range append([]string{file}, others...) {
		root, err := readYAML(name)
		if err != nil {
			return nil, err
		}
		if err := c.AddResource(filepath.Base(name), root); err != nil {
			return nil, err
		}
		if name == file {
			d.root = root.(map[string]any)
		}
	}
	return d, nil
}

func readYAML(file string) (any, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var value any
	if err := yaml.Unmarshal(data, &value); err != nil {
		return nil, err
	}
	if data, err = json.Marshal(value); err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(data))
}

// check checks the status, headers and body of an answer against the document. path is below
// the API's root, without the query.
func (d *document) check(method, path string, status int, header http.Header, body []byte) error {
	at, err := d.responseFor(method, path, status)
	if err != nil {
		return err
	}
	if in, pointer := d.lookup(at); in != d {
		return in.checkResponse(pointer, method, header, body)
	}
	return d.checkResponse(at, method, header, body)
}

// lookup returns the document that a reference is to, with the reference there.
func (d *document) lookup(ref string) (*document, string) {
	if file, pointer, _ := strings.Cut(ref, "#"); d.other != nil && file == d.other.name {
		return d.other, "#" + pointer
	}
	return d, ref
}

func (d *document) checkResponse(at, method string, header http.Header, body []byte) error {
	response := d.at(at).(map[string]any)
	if err := d.checkHeaders(response, header); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	content, hasContent := response["content"]
	if !hasContent {
		if len(body) > 0 {
			return fmt.Errorf("%s: a body of %d bytes", at, len(body))
		}
		return nil
	}
	if _, ok := content.(map[string]any)[header.Get("Content-Type")]; !ok {
		return fmt.Errorf("%s: content type %q", at, header.Get("Content-Type"))
	}
	if method == http.MethodHead {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: body: %w: %s", at, err, body)
	}
	s, err := d.schema(at + "/content/application~1json/schema")
	if err != nil {
		return err
	}
	if err := s.Validate(value); err != nil {
		return fmt.Errorf("%s: %w\n%.2000s", at, err, body)
	}
	return nil
}

func (d *document) responseFor(method, path string, status int) (string, error) {
	switch {
	case status == http.StatusMethodNotAllowed:
		return "#/components/responses/MethodNotAllowed", nil
	case method == http.MethodOptions && status == http.StatusNoContent:
		return "#/components/responses/Options", nil
	}
	route, ok := d.route(path)
	if !ok {
		switch status {
		case http.StatusNotFound:
			return "#/components/responses/NotFound", nil
		case http.StatusRequestEntityTooLarge:
			return "#/components/responses/TooLarge", nil
		case http.StatusServiceUnavailable:
			return "#/components/responses/Unavailable", nil
		}
		return "", fmt.Errorf("%s is not in the document and answers %d", path, status)
	}
	at := fmt.Sprintf("#/paths/%s/get/responses/%d", strings.ReplaceAll(route, "/", "~1"), status)
	response, ok := d.at(at).(map[string]any)
	if !ok {
		return "", fmt.Errorf("GET %s does not list status %d", route, status)
	}
	if ref, ok := response["$ref"].(string); ok {
		return ref, nil
	}
	return at, nil
}

func (d *document) route(path string) (string, bool) {
	parts := strings.Split(path, "/")
	for i := range parts {
		if plain, err := url.PathUnescape(parts[i]); err == nil {
			parts[i] = plain
		}
	}
	for template := range d.root["paths"].(map[string]any) {
		want := strings.Split(template, "/")
		if len(want) != len(parts) {
			continue
		}
		fits := true
		for i := range want {
			fits = fits && (want[i] == parts[i] || strings.HasPrefix(want[i], "{") && parts[i] != "")
		}
		if fits {
			return template, true
		}
	}
	return "", false
}

func (d *document) at(pointer string) any {
	var value any = d.root
	for _, key := range strings.Split(strings.TrimPrefix(pointer, "#/"), "/") {
		m, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = m[strings.ReplaceAll(key, "~1", "/")]
	}
	return value
}

var unlisted = map[string]bool{"Date": true, "Content-Length": true, "Content-Type": true, "Connection": true}

func (d *document) checkHeaders(response map[string]any, header http.Header) error {
	listed, _ := response["headers"].(map[string]any)
	for name := range header {
		if _, ok := listed[name]; !ok && !unlisted[name] && !hasFold(listed, name) {
			return fmt.Errorf("header %s is not listed", name)
		}
	}
	for name, value := range listed {
		ref, isRef := value.(map[string]any)["$ref"].(string)
		described := value.(map[string]any)
		in := d
		if isRef {
			in, ref = d.lookup(ref)
			described = in.at(ref).(map[string]any)
		}
		values := header.Values(name)
		if len(values) == 0 {
			if described["required"] == true {
				return fmt.Errorf("header %s is missing", name)
			}
			continue
		}
		if !isRef {
			continue
		}
		s, err := in.schema(ref + "/schema")
		if err != nil {
			return err
		}
		if err := s.Validate(values[0]); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	return nil
}

func hasFold(m map[string]any, name string) bool {
	for k := range m {
		if strings.EqualFold(k, name) {
			return true
		}
	}
	return false
}

func (d *document) schema(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.schemas[pointer]; ok {
		return s, nil
	}
	s, err := d.compiler.Compile(d.name + pointer)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pointer, err)
	}
	d.schemas[pointer] = s
	return s, nil
}
