// Package printable makes text safe to print for people. The names of teams and markets come from a
// provider and may contain characters with an effect on a terminal: escape sequences, control
// characters, marks for the direction of reading. They are printed as escapes, such as
// \u001b.
//
// All output of mkt goes through a [Writer]. A text within a line or a column also goes through
// [Text] or [Fprintf], because line ends and tabs are part of mkt's own layout. JSON stays valid
// JSON of the same value.
package printable

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// isHarmless reports whether a character may be printed as it is. The two joiners are needed by
// some languages and change no direction.
func isHarmless(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) || r == nonJoiner || r == joiner
}

// Text returns s as one printable line: every unsafe character, including line ends and tabs,
// is replaced by an escape.
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

// appendEscape appends the JSON escape of a character, or \x and two digits for an invalid byte.
func appendEscape[T string | []byte](out []byte, text T, r rune) []byte {
	if r == utf8.RuneError && len(text) == 1 {
		return fmt.Appendf(out, `\x%02x`, text[0])
	}
	for _, unit := range utf16.Encode([]rune{r}) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}

// Fprintf is [fmt.Fprintf] with [Text] applied to every text among the arguments.
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

// Writer escapes every unsafe character except line ends and tabs. It is not safe for
// concurrent use.
type Writer struct {
	to   io.Writer
	held []byte // the beginning of a character whose rest has not been written yet
	out  []byte
}

// NewWriter returns a [Writer] on top of to.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	text := p
	if len(w.held) > 0 {
		text = append(w.held, p...)
	}
	w.held = nil
	w.out = w.out[:0]
	done := 0 // number of bytes of text already in out
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

// Flush writes an incomplete character as escapes.
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
