// Package strictyaml parses YAML written by people: one document of plain values. Its errors name
// the line of the mistake; the YAML library often names the line where the enclosing list or
// mapping begins, which may be a thousand lines above.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Error says what is wrong with a text.
type Error struct {
	Line   int // from 1
	Reason string
}

// Parse returns the top node of a text, nil if the text is empty.
func Parse(text []byte) (*yaml.Node, *Error) {
	doc, more, read, err := decode(text)
	switch {
	case err != nil:
		reason := place.ReplaceAllString(err.Error(), "")
		if strings.Contains(reason, "cannot start any token") {
			reason += " (a tab? lines are indented with spaces only)"
		}
		return nil, &Error{lineOf(text, read, err), "not YAML: " + reason}
	case doc.IsZero():
		return nil, nil
	case !more.IsZero():
		return nil, &Error{more.Line, "a second document: want one"}
	}
	if tagged := taggedIn(doc); tagged != nil {
		return nil, &Error{tagged.Line, "this YAML tag is not supported: write the value without it"}
	}
	return doc.Content[0], nil
}

// decode decodes the first two documents of a text. It returns how many bytes were read.
func decode(text []byte) (doc, more *yaml.Node, read int, err error) {
	in := bytes.NewReader(text)
	decoder := yaml.NewDecoder(in)
	doc, more = &yaml.Node{}, &yaml.Node{}
	if err = decoder.Decode(doc); err == nil {
		err = decoder.Decode(more)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return doc, more, len(text) - in.Len(), err
}

// place is the line that the library names.
var place = regexp.MustCompile(`^yaml: (line \d+: )?`)

// lineOf returns the first line with which the text fails as it does as a whole. That is the line
// that the library names, or the one after it, for a quote or a bracket without its end; else it is
// among the last lines that the library read.
func lineOf(text []byte, read int, err error) int {
	const ahead = 4 << 10 // more than what the library reads beyond a mistake
	lines := bytes.SplitAfter(text, []byte("\n"))
	fails := func(line int) bool {
		_, _, _, again := decode(bytes.Join(lines[:min(line, len(lines))], nil))
		return again != nil && again.Error() == err.Error()
	}
	named := 0
	fmt.Sscanf(err.Error(), "yaml: line %d:", &named)
	for _, line := range []int{max(named, 1), named + 1} {
		if fails(line) {
			return line
		}
	}
	before := bytes.Count(text[:max(0, read-ahead)], []byte("\n"))
	within := bytes.Count(text[:read], []byte("\n")) - before
	return before + 1 + sort.Search(within, func(i int) bool { return fails(before + 1 + i) })
}

// taggedIn finds a node with a tag.
func taggedIn(n *yaml.Node) *yaml.Node {
	if n.Style&yaml.TaggedStyle != 0 {
		return n
	}
	for _, c := range n.Content {
		if tagged := taggedIn(c); tagged != nil {
			return tagged
		}
	}
	return nil
}
