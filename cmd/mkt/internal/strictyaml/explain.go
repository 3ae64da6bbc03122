package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var place = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// explain returns the line, from 1, in which text is not valid YAML, and the reason. The line is
// 0 if text is valid.
func explain(text []byte) (line int, reason string) {
	failed, err := parse(text)
	if err == nil {
		return 0, ""
	}
	named, reason := split(err)
	switch {
	case strings.HasSuffix(reason, "',' or ']'"), strings.HasSuffix(reason, "',' or '}'"):
		line = named + 1 // the line of the bracket, which the library counts from 0
	case strings.Contains(reason, "unexpected end of stream"):
		line = named // the line of the quote
	default:
		line = first(text, failed, reason)
	}
	if strings.Contains(reason, "cannot start any token") {
		reason += " (a tab? lines are indented with spaces only)"
	}
	return max(line, 1), reason
}

// first returns the first line at which the text fails for this reason. The library reads a few
// lines beyond the one that it fails at.
func first(text []byte, failed int, reason string) int {
	const ahead = 4
	lines := bytes.SplitAfter(text, []byte("\n"))
	for n := max(1, failed-ahead); n < failed && n <= len(lines); n++ {
		if _, err := parse(bytes.Join(lines[:n], nil)); err != nil {
			if _, again := split(err); again == reason {
				return n
			}
		}
	}
	return failed
}

func split(err error) (line int, reason string) {
	text := err.Error()
	m := place.FindStringSubmatch(text)
	if m == nil {
		return 0, text
	}
	line, _ = strconv.Atoi(m[1]) // the pattern matched digits, or nothing
	return line, text[len(m[0]):]
}

// parse parses all documents of a text. After an error it returns the number of lines read.
func parse(text []byte) (lines int, err error) {
	in := &lineReader{rest: text}
	decoder := yaml.NewDecoder(in)
	for {
		var n yaml.Node
		switch err := decoder.Decode(&n); {
		case errors.Is(err, io.EOF):
			return in.lines, nil
		case err != nil:
			return in.lines, err
		}
	}
}

// lineReader returns its text line by line and counts the lines.
type lineReader struct {
	rest  []byte
	lines int
	torn  bool // only a part of the current line was read
}

func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	end := bytes.IndexByte(r.rest, '\n') + 1
	if end == 0 {
		end = len(r.rest)
	}
	if !r.torn {
		r.lines++
	}
	n := copy(p, r.rest[:end])
	r.torn = n < end
	r.rest = r.rest[n:]
	return n, nil
}
