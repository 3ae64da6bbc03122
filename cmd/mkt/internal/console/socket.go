package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"mkt/docs"
)

// socketBody is the content of the page about the socket, from asyncapi.yaml.
type socketBody struct {
	Title      string
	About      template.HTML
	Servers    []socketServer
	Channels   []socketChannel
	FromClient []socketOperation // messages of the client, with the replies
	ToClient   []socketOperation // messages of the service
	Errors     []socketError
	Messages   []string // the names of all messages, in the order of the page
}

type socketServer struct {
	Path  string
	About template.HTML
}

type socketChannel struct {
	Address string
	About   template.HTML
}

type socketOperation struct {
	Name     string
	About    template.HTML
	Messages []socketMessage
	Replies  []socketMessage
}

type socketMessage struct {
	Name     string
	About    template.HTML
	Payloads []socketPayload // the alternatives
	Examples []socketExample
}

type socketPayload struct {
	Title  string
	Fields []socketField
}

// socketField is a field of a payload; Path is as in "error.code" or "events[].seq".
type socketField struct {
	Path, Type string
	Required   bool
	Values     []string // of an enumeration
	About      template.HTML
}

type socketExample struct {
	Summary template.HTML
	JSON    string
}

// socketError is an error code, with the messages it may appear in.
type socketError struct {
	Code string
	In   []string
}

// maxDepth bounds the depth of a described payload. A schema that refers to itself has no end.
const maxDepth = 8

// readSocket reads asyncapi.yaml, which is part of the binary.
var readSocket = sync.OnceValues(func() (*socketBody, error) {
	a := asyncAPI{}
	for _, name := range []string{"asyncapi.yaml", "openapi.yaml"} {
		source, err := fs.ReadFile(docs.Files, name)
		if err != nil {
			return nil, err
		}
		var document yaml.Node
		if err := yaml.Unmarshal(source, &document); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		a[name] = document.Content[0]
	}
	return a.body()
})

// asyncAPI has the roots of asyncapi.yaml, and of openapi.yaml, to which it refers.
type asyncAPI map[string]*yaml.Node

// place is a node, and the file of its document.
type place struct {
	*yaml.Node
	file string
}

func (a asyncAPI) body() (*socketBody, error) {
	root := place{a["asyncapi.yaml"], "asyncapi.yaml"}
	info := a.at(root, "info")
	b := &socketBody{Title: a.text(info, "title")}
	var err error
	if b.About, err = a.prose(info); err != nil {
		return nil, err
	}
	for _, s := range a.members(a.at(root, "servers")) {
		about, err := a.prose(s.place)
		if err != nil {
			return nil, err
		}
		b.Servers = append(b.Servers, socketServer{a.text(s.place, "pathname"), about})
	}
	for _, c := range a.members(a.at(root, "channels")) {
		about, err := a.prose(c.place)
		if err != nil {
			return nil, err
		}
		b.Channels = append(b.Channels, socketChannel{a.text(c.place, "address"), about})
	}
	for _, o := range a.members(a.at(root, "operations")) {
		operation, err := a.operation(o)
		if err != nil {
			return nil, err
		}
		if a.text(o.place, "action") == "send" {
			b.ToClient = append(b.ToClient, operation)
		} else {
			b.FromClient = append(b.FromClient, operation)
		}
	}
	for _, o := range slices.Concat(b.FromClient, b.ToClient) {
		for _, m := range slices.Concat(o.Messages, o.Replies) {
			b.Messages = append(b.Messages, m.Name)
			b.addErrors(m)
		}
	}
	return b, nil
}

// addErrors adds the codes of a message's error.
func (b *socketBody) addErrors(m socketMessage) {
	for _, p := range m.Payloads {
		for _, f := range p.Fields {
			if f.Path != "code" && f.Path != "error.code" {
				continue
			}
			for _, code := range f.Values {
				i := slices.IndexFunc(b.Errors, func(e socketError) bool { return e.Code == code })
				if i < 0 {
					i, b.Errors = len(b.Errors), append(b.Errors, socketError{Code: code})
				}
				if !slices.Contains(b.Errors[i].In, m.Name) {
					b.Errors[i].In = append(b.Errors[i].In, m.Name)
				}
			}
		}
	}
}

func (a asyncAPI) operation(o member) (socketOperation, error) {
	about, err := a.prose(o.place)
	operation := socketOperation{Name: o.name, About: about}
	if err != nil {
		return operation, err
	}
	if operation.Messages, err = a.messages(a.at(o.place, "messages")); err != nil {
		return operation, err
	}
	operation.Replies, err = a.messages(a.at(a.at(o.place, "reply"), "messages"))
	return operation, err
}

func (a asyncAPI) messages(list place) (all []socketMessage, err error) {
	for _, item := range items(list) {
		m := a.resolved(item)
		message := socketMessage{Name: lastOf(a.text(item, "$ref"))}
		if message.About, err = a.prose(m); err != nil {
			return nil, err
		}
		payload := a.at(m, "payload")
		alternatives := items(a.at(payload, "oneOf"))
		if len(alternatives) == 0 {
			alternatives = []place{payload}
		}
		for _, alternative := range alternatives {
			alternative = a.resolved(alternative)
			p := socketPayload{Title: a.text(alternative, "title")}
			if p.Fields, err = a.fields(nil, "", alternative, 0); err != nil {
				return nil, fmt.Errorf("message %s: %w", message.Name, err)
			}
			message.Payloads = append(message.Payloads, p)
		}
		for _, e := range items(a.at(m, "examples")) {
			var text bytes.Buffer
			if err := writeJSON(&text, a.at(e, "payload"), "\n"); err != nil {
				return nil, fmt.Errorf("message %s: %w", message.Name, err)
			}
			about, err := a.prose(e)
			if err != nil {
				return nil, err
			}
			message.Examples = append(message.Examples, socketExample{about, text.String()})
		}
		all = append(all, message)
	}
	return all, nil
}

// fields adds the fields of an object, and of the objects in it.
func (a asyncAPI) fields(list []socketField, prefix string, object place, depth int) ([]socketField, error) {
	if depth > maxDepth {
		return nil, errors.New("its payload is too deep")
	}
	required := a.words(a.at(object, "required"))
	for _, property := range a.members(a.at(object, "properties")) {
		path := prefix + property.name
		s := a.schema(property.place, &path, 0)
		about, err := prose(s.about)
		if err != nil {
			return nil, err
		}
		list = append(list, socketField{Path: path, Type: s.kind, Required: slices.Contains(required, property.name), Values: s.values, About: about})
		if s.object.Node != nil {
			if list, err = a.fields(list, path+".", s.object, depth+1); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// schema describes the type of a field to a reader.
type schema struct {
	kind, about string
	values      []string
	object      place // the fields of it, or of its items
}

// schema reads the type of a field, and completes its path by "[]" for an array.
func (a asyncAPI) schema(p place, path *string, depth int) (s schema) {
	s.about = a.text(p, "description")
	p = a.resolved(p)
	if s.about == "" {
		s.about = a.text(p, "description")
	}
	if depth > maxDepth {
		return s
	}
	parts := slices.Concat(items(a.at(p, "allOf")), items(a.at(p, "anyOf")), items(a.at(p, "oneOf")))
	if len(parts) > 0 {
		var kinds []string
		for _, part := range parts {
			inner := a.schema(part, path, depth+1)
			if inner.kind != "" && !slices.Contains(kinds, inner.kind) {
				kinds = append(kinds, inner.kind)
			}
			s.values = append(s.values, inner.values...)
			if inner.object.Node != nil {
				s.object = inner.object
			}
			if s.about == "" {
				s.about = inner.about
			}
		}
		s.kind = either(kinds)
		return s
	}
	kinds := a.words(a.at(p, "type"))
	switch {
	case a.at(p, "const").Node != nil:
		s.kind, s.values = "constant", []string{a.at(p, "const").Value}
		return s
	case a.at(p, "enum").Node != nil:
		s.kind, s.values = "one of", a.words(a.at(p, "enum"))
		return s
	case slices.Contains(kinds, "array"):
		*path += "[]"
		inner := a.schema(a.at(p, "items"), path, depth+1)
		s.kind, s.values, s.object = either(kinds)+" of "+pluralKind(inner.kind), inner.values, inner.object
		if s.about == "" {
			s.about = inner.about
		}
	default:
		s.kind = either(kinds)
		if slices.Contains(kinds, "object") || a.at(p, "properties").Node != nil {
			s.object = p
		}
	}
	for _, bound := range []struct{ key, words string }{{"minimum", "at least %s"}, {"maximum", "at most %s"}, {"minItems", "at least %s"}, {"maxItems", "at most %s"}, {"format", "%s"}} {
		if value := a.text(p, bound.key); value != "" {
			s.kind += ", " + fmt.Sprintf(bound.words, value)
		}
	}
	return s
}

// either joins several types, with null first: the values and bounds of the others follow.
func either(kinds []string) string {
	if i := slices.Index(kinds, "null"); i > 0 {
		kinds = slices.Insert(slices.Delete(slices.Clone(kinds), i, i+1), 0, "null")
	}
	return strings.Join(kinds, " or ")
}

func pluralKind(kind string) string {
	switch kind {
	case "one of":
		return kind
	case "":
		return "values"
	}
	return kind + "s"
}

// resolved follows the references of a node.
func (a asyncAPI) resolved(p place) place {
	for range maxDepth {
		ref := a.at(place{p.Node, p.file}, "$ref")
		if ref.Node == nil {
			return p
		}
		file, pointer, _ := strings.Cut(ref.Value, "#")
		if file == "" {
			file = p.file
		}
		p = place{a[file], file}
		for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
			p = a.at(p, step)
		}
	}
	return p
}

// member is a member of a mapping.
type member struct {
	name string
	place
}

func (a asyncAPI) members(p place) (list []member) {
	if p.Node == nil || p.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(p.Content); i += 2 {
		list = append(list, member{p.Content[i].Value, place{p.Content[i+1], p.file}})
	}
	return list
}

// at returns the member of a mapping, with a nil node if there is none. References are followed
// on the way, but for the last one.
func (a asyncAPI) at(p place, name string) place {
	if p.Node != nil && name != "$ref" {
		p = a.resolved(p)
	}
	for _, m := range a.members(p) {
		if m.name == name {
			return m.place
		}
	}
	return place{file: p.file}
}

func (a asyncAPI) text(p place, name string) string {
	if m := a.at(p, name); m.Node != nil {
		return m.Value
	}
	return ""
}

// prose is the summary and the description of something.
func (a asyncAPI) prose(p place) (template.HTML, error) {
	return prose(a.text(p, "summary") + "\n\n" + a.text(p, "description"))
}

// words are the texts of a list, or one text.
func (a asyncAPI) words(p place) (list []string) {
	switch {
	case p.Node == nil:
	case p.Kind == yaml.ScalarNode:
		list = append(list, p.Value)
	default:
		for _, item := range p.Content {
			list = append(list, item.Value)
		}
	}
	return list
}

func items(p place) (list []place) {
	if p.Node == nil || p.Kind != yaml.SequenceNode {
		return nil
	}
	for _, item := range p.Content {
		list = append(list, place{item, p.file})
	}
	return list
}

func lastOf(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

// writeJSON writes a value as JSON, with its members in the order of the document. lineBreak
// has the indentation of the value's line.
func writeJSON(out *bytes.Buffer, p place, lineBreak string) error {
	if p.Node == nil {
		return errors.New("an example without a payload")
	}
	open, end, step := "{", "}", 2
	switch p.Kind {
	case yaml.MappingNode:
	case yaml.SequenceNode:
		open, end, step = "[", "]", 1
	default:
		var value any
		if err := p.Decode(&value); err != nil {
			return err
		}
		return jsonValue(out, value)
	}
	if len(p.Content) == 0 {
		out.WriteString(open + end)
		return nil
	}
	out.WriteString(open)
	for i := 0; i < len(p.Content); i += step {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(lineBreak + "  ")
		if step == 2 {
			if err := jsonValue(out, p.Content[i].Value); err != nil {
				return err
			}
			out.WriteString(": ")
		}
		if err := writeJSON(out, place{p.Content[i+step-1], p.file}, lineBreak+"  "); err != nil {
			return err
		}
	}
	out.WriteString(lineBreak + end)
	return nil
}

func jsonValue(out *bytes.Buffer, value any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	out.Truncate(len(bytes.TrimRight(out.Bytes(), "\n")))
	return err
}

// socket shows the messages of the socket.
func (c *Console) socket(*http.Request) (view, error) {
	body, err := readSocket()
	return view{Page: "socket", Section: "api", Title: "Socket", Body: body}, err
}
