// Package strictyaml parses YAML written by people: one document of plain values. Its errors name
// the line of the mistake; the YAML library often names the line where the enclosing list or
// mapping begins, which may be a thousand lines above.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// maxComments bounds the comments of a text: the library takes long to parse them.
const maxComments = 1 << 20

// Error says what is wrong with a text.
type Error struct {
	Line   int // from 1
	Reason string
}

// Parse returns the top node of a text, nil if the text is empty.
func Parse(text []byte) (*yaml.Node, *Error) {
	if line := tooManyComments(text); line > 0 {
		return nil, &Error{line, fmt.Sprintf("the comments up to this line exceed %d MiB: remove some", maxComments>>20)}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	err := decoder.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		err = decoder.Decode(&more)
	}
	switch {
	case err == nil:
		return nil, &Error{more.Line, "a second document: want one"}
	case !errors.Is(err, io.EOF):
		line, reason := explain(text)
		return nil, &Error{line, "not YAML: " + reason}
	}
	if tagged := foreignTag(&doc); tagged != nil {
		return nil, &Error{tagged.Line, "this YAML tag is not supported: write the value without it"}
	}
	return doc.Content[0], nil
}

// foreignTag finds a node with a tag of anything but a plain value.
func foreignTag(n *yaml.Node) *yaml.Node {
	if n.Style&yaml.TaggedStyle != 0 {
		switch n.ShortTag() {
		case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!seq", "!!map":
		default:
			return n
		}
	}
	for _, c := range n.Content {
		if tagged := foreignTag(c); tagged != nil {
			return tagged
		}
	}
	return nil
}

// tooManyComments returns the line at which the comments exceed maxComments, or 0.
func tooManyComments(data []byte) int {
	total, number := 0, 0
	for line := range bytes.Lines(data) {
		number++
		if total += commentOf(line); total > maxComments {
			return number
		}
	}
	return 0
}

// commentOf returns the length of a line's comment, or of text that looks like one.
func commentOf(line []byte) int {
	for i, c := range line {
		if c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return len(line) - i
		}
	}
	return 0
}
