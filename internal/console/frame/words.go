package frame

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Span returns a duration for people: "45 s", "12 min", "3 h", "2 days".
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Span(-d)
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// Count returns a number with a thin space before each three digits.
func Count(n any) string {
	text := fmt.Sprint(n)
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return text
	}
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "−", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return sign + text
}

// Plural returns a number of things: "1 fixture", "2 000 fixtures".
func Plural(n any, noun string) string {
	if text := Count(n); text != "1" {
		return text + " " + noun + "s"
	}
	return "1 " + noun
}
