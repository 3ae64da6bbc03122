package token

import (
	"fmt"
	"strings"
	"testing"

	"mkt/fetch/provider/betsapi"
)

// FuzzTokens reads scores, bands, counts, brackets and clocks.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{"2-1", "6 - 8", "2 or 3", "7+", "7 or more", "Under 6", "81 - Full Time", "27:00", "0-0", "12:34"} {
		f.Add(s)
	}
	p := Dialect{betsapi.Dialect()}
	f.Fuzz(func(t *testing.T, s string) {
		if a, b, size := ScoreAt(s); size > 0 {
			if got := s[:size]; got != fmt.Sprintf("%d-%d", a, b) && got != fmt.Sprintf("%d:%d", a, b) {
				t.Errorf("score %q read as %d-%d", got, a, b)
			}
		}
		for name, token := range map[string]func(string) (string, int){"band": p.BandAt, "count": p.CountAt, "bracket": p.BracketAt} {
			word, size := token(s)
			if size < 0 || size > len(s) || (size == 0) != (word == "") {
				t.Errorf("%s %q: %q, %d bytes", name, s, word, size)
			}
			if strings.Trim(word, "0123456789-+") != "" {
				t.Errorf("%s %q: word %q", name, s, word)
			}
		}
		if size := ClockAt(s); size > len(s) {
			t.Errorf("clock %q: %d bytes", s, size)
		}
		if q, _, size := LineAt(s); size > 0 {
			if again, _, ok := ParseLine(s[:size]); !ok || again != q {
				t.Errorf("line %q", s[:size])
			}
		}
	})
}
