package strictyaml

import (
	"fmt"
	"strings"
	"testing"
)

// TestLine puts a bad line deep into a list: the error names that line, even where the library
// names another.
func TestLine(t *testing.T) {
	const bad = 90
	for _, c := range []struct {
		text, reason string
		line         int // 0: the bad line
	}{
		{text: "   name: y", reason: "did not find expected"},
		{text: "      name: y", reason: "mapping values are not allowed"},
		{text: "\tname: y", reason: "tab character"},
		{text: "    name:\t\ty: z", reason: "mapping values"},
		{text: "    name", reason: "could not find expected ':'"},
		{text: `    name: "abc`, reason: "unexpected end of stream"},
		{text: "    name: 'abc", reason: "unexpected end of stream"},
		{text: "    origins: [a, b", reason: "did not find expected ',' or ']'"},
		{text: "    rate_limit: {a: 1", reason: "did not find expected ',' or '}'"},
		{text: "    name: a: b", reason: "mapping values"},
		{text: "    name: @x", reason: "cannot start any token (a tab?"},
		{text: "    name: }", reason: "did not find expected node content"},
		{text: "    - x", reason: "did not find expected key"},
		{text: "    name: *nobody", reason: "unknown anchor"},
		{text: `    name: "a\qb"`, reason: "unknown escape"},
		{text: "    name: a\x01b", reason: "control characters"},
		{text: "    name: a\xffb", reason: "UTF-8"},
		{text: "    name: |x", reason: "did not find expected comment or line break"},
		{text: "  -id: x", reason: "did not find expected '-' indicator"},
		{text: "garbage", reason: "could not find expected ':'"},
		{text: "name: y", reason: "mapping values", line: bad + 1}, // indented without a reason
	} {
		lines := []string{"version: 1", "tenants:"}
		for i := 0; len(lines) < 2*bad; i++ {
			lines = append(lines, fmt.Sprintf("  - id: t%d", i), "    name: x", "    status: ACTIVE", "    features:", "      momentum: true")
		}
		lines[bad-1] = c.text
		want := bad
		if c.line > 0 {
			want = c.line
		}
		for _, end := range []string{"\n", "\r\n"} {
			_, err := Parse([]byte(strings.Join(lines, end) + end))
			if err == nil || err.Line != want || !strings.Contains(err.Reason, c.reason) {
				t.Errorf("%q: %+v; want line %d: %s", c.text, err, want, c.reason)
			}
		}
	}
}

func TestLineOfShortTexts(t *testing.T) {
	for text, want := range map[string]int{
		"":                                  0,
		"a: 1\n":                            0,
		"a: [":                              1,
		"a: 1\nb: [\n":                      2,
		"a: 1\n---\nb: 1\n c: 2\n":          4,
		"@":                                 1,
		"a: '" + strings.Repeat("x", 1<<16): 1,
	} {
		line := 0
		_, err := Parse([]byte(text))
		if err != nil {
			line = err.Line
		}
		if line != want {
			t.Errorf("%.20q: %+v; want line %d", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("a: [1\nb: 2\n"))
	f.Add([]byte("a: 1\n b: 2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := strings.Count(string(text), "\n") + 1
		if _, err := Parse(text); err != nil && (err.Line < 1 || err.Line > lines+1) {
			t.Errorf("line %d of %d", err.Line, lines)
		}
	})
}
