package terminal

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Plural returns a count with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// InARow returns words for a number of failures without a success between.
func InARow(n int) string {
	if n <= 1 {
		return "once"
	}
	return fmt.Sprintf("%d times in a row", n)
}

// Grouped returns a number with a comma after every three digits.
func Grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Size returns a number of bytes for people.
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// Several lists names, only the first ones if there are many.
func Several(names []string) string {
	const most = 8
	text := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		text += fmt.Sprintf(", %d more", len(names)-most)
	}
	return text
}

// OrDash joins a list, and returns a dash for an empty one.
func OrDash(list []string) string {
	if len(list) == 0 {
		return "-"
	}
	return strings.Join(list, ", ")
}

// Dash returns a text, and a dash for an empty one.
func Dash(s string) string { return cmp.Or(s, "-") }

// Message returns the text of an error, "" for nil.
func Message(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimSpace(err.Error())
}

// Instant returns a time for people, a dash for nil.
func Instant(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

// Moment returns a time for people, "(open)" for nil.
func Moment(t *time.Time) string {
	if t == nil {
		return "(open)"
	}
	return t.UTC().Format(time.RFC3339)
}

// Span returns the text of a duration as people write it: 1m, not 1m0s.
func Span(d string) string {
	if strings.HasSuffix(d, "m0s") {
		d = strings.TrimSuffix(d, "0s")
	}
	if strings.HasSuffix(d, "h0m") {
		d = strings.TrimSuffix(d, "0m")
	}
	return d
}

// ClockTime returns a time for people.
func ClockTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Stamp returns a time with its milliseconds.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Self returns the first word of a command line to paste: "mkt" if PATH has this program under
// that name, and otherwise the path of this program.
func Self() string {
	const name = "mkt"
	path, err := os.Executable()
	if err != nil {
		return name
	}
	if found, err := exec.LookPath(name); err == nil {
		a, errA := os.Stat(found)
		b, errB := os.Stat(path)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return name
		}
	}
	if filepath.Base(path) != name {
		return name // a test, or the program was replaced while it runs
	}
	return Quote(path)
}

// Quote returns a text as one word of a shell's command line.
func Quote(text string) string {
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=+,:@%") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
