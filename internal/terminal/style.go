package terminal

import (
	"fmt"
	"io"
	"os"

	"github.com/fatih/color"

	"mkt/internal/terminal/printable"
)

// Style is the colour of a word. The word itself has the same meaning, because colour must never be
// its only carrier. The colours are of the terminal's own palette, readable on dark and on light.
type Style int

const (
	Normal Style = iota
	Good         // healthy, added, a rising price
	Bad          // failed, damaged, removed, a falling price
	Warn         // needs a look: a warning, RAW, stale
)

var styles = map[Style]*color.Color{
	Good: forced(color.FgGreen),
	Bad:  forced(color.FgRed, color.Bold),
	Warn: forced(color.FgMagenta, color.Bold),
}

// forced returns a colour that is always printed: whether an output gets colours is decided by
// wantsColours.
func forced(attributes ...color.Attribute) *color.Color {
	c := color.New(attributes...)
	c.EnableColor()
	return c
}

// wantsColours reports whether an output gets colours: a terminal, unless NO_COLOR is set or it is a
// dumb one, and anything else if CLICOLOR_FORCE or FORCE_COLOR is set.
func wantsColours(onTerminal bool) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	return isSet("CLICOLOR_FORCE") || isSet("FORCE_COLOR") || onTerminal && !isDumb()
}

// Print prints a text in a style, if the output gets colours. Control characters of the text are
// escaped: only the codes of the style reach a terminal.
func Print(w io.Writer, s Style, text string) (int, error) {
	text = printable.Text(text)
	o, is := w.(*output)
	if !is || !o.colours || styles[s] == nil {
		return fmt.Fprint(w, text)
	}
	return fmt.Fprint(o.exactly(), styles[s].Sprint(text))
}
