package football

import (
	"slices"
	"strings"
)

var periods = []string{"FT", "1H", "2H", "ET", "ET_1H", "ET_2H", "PEN", "FT_ET", "FT_ET_PEN"}

// Periods returns the canonical periods besides intervals: FT is 90 minutes with stoppage time, 2H the
// second half alone, ET extra time alone, PEN the shoot-out alone, FT_ET with extra time, FT_ET_PEN until
// decided.
func Periods() []string { return slices.Clone(periods) }

// ValidPeriod reports whether p is a canonical period: one of Periods, or a-b, an interval in minutes
// ("0-10", "75-90").
func ValidPeriod(p string) bool { return slices.Contains(periods, p) || isInterval(p) }

func isInterval(p string) bool {
	from, to, ok := strings.Cut(p, "-")
	if !ok {
		return false
	}
	a, okFrom := minute(from)
	b, okTo := minute(to)
	return okFrom && okTo && a < b
}

func minute(s string) (n int, ok bool) {
	if len(s) == 0 || len(s) > 3 || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}
