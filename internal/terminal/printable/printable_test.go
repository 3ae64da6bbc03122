package printable_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mkt/internal/terminal/printable"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"Entente Durance – Bocage":          "Entente Durance – Bocage",
		"Saint\u00a0Étienne":                "Saint\u00a0Étienne",
		"می\u200cخواهم":                     "می\u200cخواهم",
		"\U0001F468\u200d\U0001F469":        "\U0001F468\u200d\U0001F469",
		"\x1b[2J\x1b]0;title\x07":           `\u001b[2J\u001b]0;title\u0007`,
		"\u009b31m":                         `\u009b31m`,
		"\x9b31m":                           `\x9b31m`,
		"a\x00b\x7fc":                       `a\u0000b\u007fc`,
		"one\r\ntwo\tthree":                 `one\u000d\u000atwo\u0009three`,
		"\u202eslaer\u202c \u2066x\u2069":   `\u202eslaer\u202c \u2066x\u2069`,
		"\u200e\u200f\u061c\u2028\u2029":    `\u200e\u200f\u061c\u2028\u2029`,
		"\ufeffmark \u200b \U000e0041 soft": `\ufeffmark \u200b \udb40\udc41 soft`,
		"\ufffd":                            "\ufffd",
	} {
		if got := printable.Text(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestFprintf(t *testing.T) {
	type named string
	var b strings.Builder
	_, err := printable.Fprintf(&b, "%-5s|%v|%v|%d|%5.1f|%v\n", "a\nb", named("c\x1b"), errors.New("d\te"), 7, 1.5, nil)
	if want := "a\\u000ab|c\\u001b|d\\u0009e|7|  1.5|<nil>\n"; err != nil || b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// However a text is split into writes, the output is the same and has no unsafe character, and
// JSON stays JSON of the same value.
func TestWriter(t *testing.T) {
	pieces := []string{"Home", " - ", "\x1b[2J", "\x9b", "\u009b", "\u202e", "\u2029", "é", "日本", "\x00", "\r", "\U000e0041", "\xe2\x80", "\x7f"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "text"), "")
		if got, want := written(t, text), printable.Text(text); got != want {
			t.Fatalf("%q is written as %q, want %q", text, got, want)
		}
		var j bytes.Buffer
		if err := json.NewEncoder(&j).Encode(map[string]string{"name\u009b": text}); err != nil {
			t.Fatal(err)
		}
		shown := written(t, j.String())
		var before, after map[string]string
		if err := errors.Join(json.Unmarshal(j.Bytes(), &before), json.Unmarshal([]byte(shown), &after)); err != nil || fmt.Sprint(before) != fmt.Sprint(after) {
			t.Fatalf("%q became %q: %v", j.String(), shown, err)
		}
	})
}

// written passes a text through a Writer in random pieces.
func written(t *rapid.T, text string) string {
	var b bytes.Buffer
	w := printable.NewWriter(&b)
	for rest := text; rest != ""; {
		n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
		if written, err := w.Write([]byte(rest[:n])); written != n || err != nil {
			t.Fatalf("%d of %d bytes, %v", written, n, err)
		}
		rest = rest[n:]
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= '\u202a' && r <= '\u202e' {
			t.Fatalf("%q holds %U", b.String(), r)
		}
	}
	if !utf8.Valid(b.Bytes()) {
		t.Fatalf("%q is not text", b.String())
	}
	return b.String()
}
