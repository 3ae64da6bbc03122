package betsapi

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The lines as regular expressions, as parseLine, withoutOrdinal and isDerived read them.
var (
	lineMinute  = regexp.MustCompile(`^(\d{1,3})(?:\+(\d{1,2}))?'\s*-\s*(.*)$`)
	lineOrdinal = regexp.MustCompile(`^\d{1,3}(?:st|nd|rd|th)\s+`)
	lineDerived = regexp.MustCompile(`^(?:Race to \d|Score After |\d+[:-]\d+)`)
)

func checkLine(t *testing.T, text string) {
	t.Helper()
	line, ok := parseLine(text)
	parts := lineMinute.FindStringSubmatch(text)
	if ok != (parts != nil) {
		t.Fatalf("%q: %+v, %v", text, line, ok)
	}
	if ok {
		minute, _ := strconv.Atoi(parts[1])
		added, _ := strconv.Atoi(parts[2])
		if want := (eventLine{minute, added, parts[3]}); line != want {
			t.Errorf("%q: %+v, want %+v", text, line, want)
		}
	}
	if got, want := withoutOrdinal(text), lineOrdinal.ReplaceAllString(text, ""); got != want {
		t.Errorf("%q without its ordinal: %q, want %q", text, got, want)
	}
	if got := isDerived(text); got != lineDerived.MatchString(text) {
		t.Errorf("%q is derived: %v", text, got)
	}
}

// Every line of up to four of these parts, and some longer ones, is read as the regular expressions read it.
func TestEventLines(t *testing.T) {
	parts := []string{"1", "45", "+", "'", " ", " - ", "-", "st", "3rd ", ":", "Race to ", "Score After ", "Goal", "\n", "\u00a0"}
	var b strings.Builder
	for n := range 200_000 {
		b.Reset()
		for k := n; k > 0; k /= len(parts) {
			b.WriteString(parts[k%len(parts)])
		}
		checkLine(t, b.String())
	}
}

func FuzzEventLine(f *testing.F) {
	f.Add("45+2' - 3rd Corner - Arsenal")
	f.Fuzz(checkLine)
}
