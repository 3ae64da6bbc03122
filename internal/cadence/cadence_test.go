package cadence_test

import (
	"strings"
	"testing"
	"time"

	"mkt/internal/cadence"
	"mkt/internal/testing/check"
)

func TestParse(t *testing.T) {
	good := map[string]time.Duration{
		"@hourly":         time.Hour,
		"0 * * * *":       time.Hour,
		"30 0 * * * *":    time.Hour,
		"@every 8s":       8 * time.Second,
		"@every 7s":       7 * time.Second,
		"@every 1h30m":    90 * time.Minute,
		"*/10 8-20 * * *": 11*time.Hour + 10*time.Minute, // 20:50 to 08:00
	}
	from := time.Date(2026, 11, 20, 19, 0, 0, 0, time.UTC)
	for expr, want := range good {
		s, err := cadence.Parse(expr)
		if err != nil {
			t.Errorf("%q: %v", expr, err)
			continue
		}
		if got := cadence.Of(s, from); got != want {
			t.Errorf("cadence of %q = %v, want %v", expr, got, want)
		}
	}
	for _, expr := range []string{"", "hourly", "* * *", "61 * * * *", "@every", "@every 0s", "@every 1500ms",
		"@every -8s", "@every soon", "0 0 30 2 *", "TZ=UTC", "TZ=Europe/Rome 0 * * * *", "CRON_TZ=", "@never"} {
		if _, err := cadence.Parse(expr); err == nil {
			t.Errorf("%q: accepted", expr)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("@every 8s")
	f.Add("30 0 * * * *")
	f.Add("TZ=0")
	f.Fuzz(func(t *testing.T, expr string) {
		s, err := cadence.Parse(expr)
		if err == nil && cadence.Of(s, time.Unix(0, 0)) <= 0 {
			t.Errorf("%q: cadence is not positive", expr)
		}
	})
}

// A slower pace keeps to the clock, whatever the expression: once in each interval.
func TestSlower(t *testing.T) {
	from := time.Date(2026, 11, 20, 9, 7, 3, 0, time.UTC)
	for _, c := range []struct {
		expr string
		pace time.Duration
		want string
	}{
		{"@every 8s", 0, "09:07:04 09:07:12 09:07:20"},
		{"@every 8s", 5 * time.Second, "09:07:04 09:07:12 09:07:20"},
		{"@every 8s", 20 * time.Second, "09:07:20 09:07:40 09:08:00"},
		{"@hourly", time.Hour, "10:00:00 11:00:00 12:00:00"},
		{"@hourly", 3 * time.Hour, "12:00:00 15:00:00 18:00:00"},
		{"30 * * * *", 3 * time.Hour, "09:30:00 12:30:00 15:30:00"},
		{"0 6-20 * * *", 6 * time.Hour, "12:00:00 18:00:00 06:00:00"},
		{"*/5 * * * *", 12 * time.Minute, "09:15:00 09:25:00 09:40:00"},
	} {
		s, err := cadence.Parse(c.expr)
		check.Must(t, err)
		slower, at, got := cadence.Slower(s, c.pace), from, []string{}
		for range 3 {
			at = slower.Next(at)
			got = append(got, at.Format("15:04:05"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s every %s: %s, want %s", c.expr, c.pace, strings.Join(got, " "), c.want)
		}
		if n := cadence.Ticks(slower, from, at); n != 3 {
			t.Errorf("%s every %s: %v ticks until the third", c.expr, c.pace, n)
		}
	}
}
