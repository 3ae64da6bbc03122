package timetext_test

import (
	"strings"
	"testing"
	"time"

	"mkt/internal/timetext"
)

// It is half past midnight of 1 March in Helsinki.
var now = time.Date(2026, 3, 1, 0, 30, 0, 0, time.FixedZone("", 7200))

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"now": "2026-02-28T22:30:00Z", "5m ago": "2026-02-28T22:25:00Z", "90s ago": "2026-02-28T22:28:30Z", " 2H30M  AGO ": "2026-02-28T20:00:00Z",
		"2 hours 30 minutes ago": "2026-02-28T20:00:00Z", "1 hour ago": "2026-02-28T21:30:00Z", "3 days ago": "2026-02-25T22:30:00Z", "3d ago": "2026-02-25T22:30:00Z",
		"2 weeks ago": "2026-02-14T22:30:00Z", "1w2d ago": "2026-02-19T22:30:00Z", "0s ago": "2026-02-28T22:30:00Z", "36500 days ago": "1926-03-25T22:30:00Z",
		"yesterday 18:00": "2026-02-27T18:00:00Z", "Yesterday 18:00:30 UTC": "2026-02-27T18:00:30Z", "today 09:15z": "2026-02-28T09:15:00Z",
		"14:05": "2026-02-28T14:05:00Z", "22:30": "2026-02-28T22:30:00Z", "22:30:01": "2026-02-27T22:30:01Z", "23:00 utc": "2026-02-27T23:00:00Z",
		"2026-11-21 14:05": "2026-11-21T14:05:00Z", "2026-11-21T14:05": "2026-11-21T14:05:00Z", "2026-11-21 14:05:06 UTC": "2026-11-21T14:05:06Z",
		"2026-11-21T14:05:00+02:00": "2026-11-21T12:05:00Z", "2026-11-21t14:05z": "2026-11-21T14:05:00Z", "2026-11-21T14:05:00.123456789Z": "2026-11-21T14:05:00.123456789Z",
	} {
		at, exact, err := timetext.Past.Parse(text, now)
		if err != nil || at.Format(time.RFC3339Nano) != want {
			t.Errorf("%q: %v, %v, want %s", text, at, err, want)
		}
		if hasZone := strings.HasPrefix(want, "2026-11"); exact != (hasZone && strings.ContainsAny(text, "Zz+U")) {
			t.Errorf("%q: exact %v", text, exact)
		}
	}
	for text, want := range map[string]string{
		"": "unknown form", "soon": "unknown form", "ago": "unknown form", " ago": "unknown form", "5 ago": "unknown form", "m ago": "unknown form", "5x ago": "unknown form",
		"-5m ago": "unknown form", "1.5h ago": "unknown form", "5months ago": "unknown form", "5m 3 ago": "unknown form", "5m": `unknown form: write "5m ago"`, "17:50+01:00": "unknown form: a time of day is in UTC", "in": "unknown form", "in 5": "unknown form", "in 5m ago": "unknown form",
		"9999999999999h ago": "unknown form", "9999999999h ago": "hundred years", "9999999999s ago": "hundred years", "60000d60000d ago": "hundred years", "36601d ago": "hundred years",
		"yesterday 24:00": "unknown form", "yesterday 18:00+02:00": "unknown form", "monday 18:00": "unknown form", "yesterday noon": "unknown form", "2026-13-20 10:00": "unknown form",
		"today 22:31": "to come", "tomorrow 09:00": "to come", "tomorrow": "to come", "in 5m": "to come",
	} {
		if at, _, err := timetext.Past.Parse(text, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, at, err, want)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		kind       timetext.Kind
		text, want string // want is a time, or a part of the error
	}{
		{timetext.Past, "yesterday", "2026-02-27T00:00:00Z"}, {timetext.Past, "today", "2026-02-28T00:00:00Z"}, {timetext.Past, "2026-11-21", "2026-11-21T00:00:00Z"},
		{timetext.Past, "14:05", "2026-02-28T14:05:00Z"}, {timetext.Past, "2h ago", "2026-02-28T20:30:00Z"}, {timetext.Past, "tomorrow", "still to come"}, {timetext.Past, "in 2h", "still to come"},
		{timetext.Term, "in 30d", "2026-03-30T22:30:00Z"}, {timetext.Term, "in 1 week", "2026-03-07T22:30:00Z"}, {timetext.Term, "tomorrow", "2026-03-01T00:00:00Z"},
		{timetext.Term, "Tomorrow 09:00", "2026-03-01T09:00:00Z"}, {timetext.Term, "today 23:00", "2026-02-28T23:00:00Z"}, {timetext.Term, "5m ago", "2026-02-28T22:25:00Z"},
		{timetext.Term, "09:00", "tomorrow 09:00"}, {timetext.Term, "30d", `write "in 30d"`}, {timetext.Term, "in 101 years", "unknown form"}, {timetext.Term, "in 9999999999d", "hundred years"},
	} {
		at, _, err := c.kind.Parse(c.text, now)
		if got := at.Format(time.RFC3339); err == nil && got != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %s, %v, want %s", c.text, got, err, c.want)
		}
	}
}

// Without a clock, as in files, only what means the same at any time is accepted.
func TestParseWithoutClock(t *testing.T) {
	for _, text := range []string{"now", "5m ago", "14:05", "yesterday", "yesterday 18:00", "in 30d", "tomorrow"} {
		if at, _, err := timetext.Term.Parse(text, time.Time{}); err == nil {
			t.Errorf("%q: %v", text, at)
		}
	}
	if at, _, err := timetext.Term.Parse("2026-11-21", time.Time{}); err != nil || at.Day() != 21 {
		t.Error(at, err)
	}
}

// The listed forms are accepted, and a parsed time is in UTC, not far from now if it was given in
// words, and the same if its exact text is parsed.
func FuzzParse(f *testing.F) {
	kinds := []timetext.Kind{timetext.Past, timetext.Term}
	for _, kind := range kinds {
		for _, form := range strings.Split(strings.ReplaceAll(kind.Forms, " or ", ", "), ", ") {
			if _, _, err := kind.Parse(form, now); err != nil {
				f.Errorf("%q: %v", form, err)
			}
			f.Add(form)
		}
	}
	for _, text := range []string{"2h30m ago", "3 days 4 hours ago", "9999999999999h ago", "in 99999999w", "2026-11-21 14:05 UTC", "yesterday 18:00 utc"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range kinds {
			at, exact, err := kind.Parse(text, now)
			if err != nil {
				continue
			}
			if distance := at.Sub(now).Abs(); at.Location() != time.UTC || !exact && !strings.ContainsAny(text, "-") && distance > 101*366*24*time.Hour {
				t.Errorf("%q: %v", text, at)
			}
			if again, isExact, err := kind.Parse(at.Format(time.RFC3339Nano), time.Time{}); err == nil && (!again.Equal(at) || !isExact) {
				t.Errorf("%q: %v, then %v", text, at, again)
			}
		}
	})
}
