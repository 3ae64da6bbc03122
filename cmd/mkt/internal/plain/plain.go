// Package plain makes text harmless that is printed for people. Names of teams and
// markets come from a provider, and may hold what a terminal obeys: escape
// sequences, control characters, marks that turn the direction of reading around.
// They are shown as escapes instead, such as \u001b.
//
// Everything that mkt prints goes through a Writer. What stands in a line or in a
// column goes through Text or Fprintf as well, since line ends and tabs are what mkt
// itself lays its output out with. JSON stays JSON of the same value.
package plain

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// isHarmless reports whether a character may be printed as it is. The two joiners
// are letters of some languages and move nothing.
func isHarmless(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) || r == nonJoiner || r == joiner
}

// Text returns s as one line that can be printed: every other character, line ends
// and tabs included, is shown as an escape.
func Text(s string) string {
	if !needsEscape(s) {
		return s
	}
	out := make([]byte, 0, len(s)+len(`\u001b`))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if isHarmless(r) && (r != utf8.RuneError || size > 1) {
			out = append(out, s[i:i+size]...)
		} else {
			out = appendEscape(out, s[i:i+size], r)
		}
		i += size
	}
	return string(out)
}

func needsEscape(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !isHarmless(r) }) || !utf8.ValidString(s)
}

// appendEscape appends the escape of a character, as JSON has it, or of a byte that
// is no character.
func appendEscape[T string | []byte](out []byte, text T, r rune) []byte {
	if r == utf8.RuneError && len(text) == 1 {
		return fmt.Appendf(out, `\x%02x`, text[0])
	}
	for _, unit := range utf16.Encode([]rune{r}) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}

// Fprintf is fmt.Fprintf with every text among the arguments made one harmless line.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	safe := make([]any, len(args))
	for i, arg := range args {
		safe[i] = arg
		switch v := arg.(type) {
		case string:
			safe[i] = Text(v)
		case error:
			safe[i] = Text(v.Error())
		case fmt.Stringer:
			safe[i] = Text(v.String())
		default:
			if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
				safe[i] = Text(v.String())
			}
		}
	}
	return fmt.Fprintf(w, format, safe...)
}

// Writer writes text on with everything but line ends and tabs made harmless. It is
// not safe for concurrent use.
type Writer struct {
	to   io.Writer
	held []byte // the beginning of a character whose end was not written yet
	out  []byte
}

// NewWriter returns a Writer on to.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	text := p
	if len(w.held) > 0 {
		text = append(w.held, p...)
	}
	w.held = nil
	w.out = w.out[:0]
	done := 0 // of text, that is in out
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		if !utf8.FullRune(text[i:]) {
			w.held = append(w.held, text[i:]...)
			text = text[:i]
			break
		}
		r, size := utf8.DecodeRune(text[i:])
		if !isHarmless(r) || r == utf8.RuneError && size == 1 {
			w.out = append(w.out, text[done:i]...)
			w.out = appendEscape(w.out, text[i:i+size], r)
			done = i + size
		}
		i += size
	}
	if done > 0 {
		w.out = append(w.out, text[done:]...)
		text = w.out
	}
	if _, err := w.to.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what is held, as what it is: no character.
func (w *Writer) Flush() error {
	if len(w.held) == 0 {
		return nil
	}
	var out []byte
	for i := range w.held {
		out = appendEscape(out, w.held[i:i+1], utf8.RuneError)
	}
	w.held = nil
	_, err := w.to.Write(out)
	return err
}
