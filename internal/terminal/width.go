package terminal

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// width returns how many columns of a terminal a text needs.
func width(text string) int {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(text)
		}
	}
	return len(text)
}

// Cut shortens a line to a number of columns; 0 is no limit.
func Cut(line string, columns int) string {
	if columns <= 0 || width(line) <= columns {
		return line
	}
	var kept strings.Builder
	characters := uniseg.NewGraphemes(line)
	for wide := 1; characters.Next(); { // of the ellipsis
		if wide += characters.Width(); wide > columns {
			break
		}
		kept.WriteString(characters.Str())
	}
	return kept.String() + "…"
}

// Pad returns a text with blanks behind it, at least as many columns wide as given.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-width(text)))
}

// Wrap returns the words of a text in lines of at most the given columns. A longer word is not
// broken: an id or a command is copied as a whole.
func Wrap(text string, columns int) (lines []string) {
	var line strings.Builder
	wide := 0
	for _, word := range strings.Fields(text) {
		w := width(word)
		if wide > 0 && wide+1+w > columns {
			lines = append(lines, line.String())
			line.Reset()
			wide = 0
		}
		if wide > 0 {
			line.WriteByte(' ')
			wide++
		}
		line.WriteString(word)
		wide += w
	}
	return append(lines, line.String())
}

// Indented returns a text in lines of at most the given columns; 0 is no limit. Its first line
// begins with a lead, and further lines are indented by the width of the lead.
func Indented(lead, text string, columns int) string {
	if columns <= 0 || width(lead)+width(text) <= columns {
		return lead + text
	}
	indent := width(lead)
	if columns-indent < leastText {
		indent = 2
		lines := Wrap(text, columns-indent)
		return strings.TrimRight(lead, " ") + "\n  " + strings.Join(lines, "\n  ")
	}
	return lead + strings.Join(Wrap(text, columns-indent), "\n"+strings.Repeat(" ", indent))
}

// leastText is the least width to wrap or cut a text to.
const leastText = 12
