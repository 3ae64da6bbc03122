// Package timetext reads times as people write them: exact ones, times of day, and words such as
// "5m ago". A time without a zone is in UTC.
package timetext

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Forms lists the forms of [Past], for flags and messages. A day alone is taken, too.
const Forms = "14:05, 5m ago, yesterday 18:00 or 2026-11-21T14:05Z"

// Kind says which times a flag or a field takes, beside exact ones.
type Kind struct {
	Forms string // for flags and messages
	ahead bool   // in 30d, tomorrow, and every word for a time after now. A time of day alone is refused then
}

var (
	// Past are times and days of what was published, retrieved or changed.
	Past = Kind{Forms: Forms}
	// Term are times and days at which something begins or ends, also later.
	Term = Kind{Forms: "in 30d, tomorrow 09:00, 2026-11-21 or 2026-11-21T14:05Z", ahead: true}
)

// forms are those of an exact time, the first of them with a zone.
var forms = []string{
	time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00",
	"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04",
}

const zoned = 4 // of forms

// clockForms are the forms of a time of day.
var clockForms = []string{"15:04", "15:04:05", "15:04Z", "15:04:05Z"}

// days are the words for days, by their distance from today.
var days = map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}

// Parse parses a time in UTC; upper case and spaces do not matter. It is exact if the text has a date
// and a zone, and then means the same at any time. If now is zero, all others than dates are refused.
//
//	2026-11-21T14:05:00+01:00, 2026-11-21T14:05Z   exact
//	"2026-11-21 14:05", "2026-11-21 14:05 UTC"     in UTC
//	14:05, 14:05:30Z                               the last one until now
//	"5m ago", "2h30m ago", "3 days ago", now       seconds, minutes, hours, days, weeks
//	"yesterday 18:00", "today 09:15"               in UTC
//	2026-11-21, yesterday                          the midnight at its beginning
//	"in 30d", tomorrow, "tomorrow 09:00"           where a time to come makes sense
func (k Kind) Parse(text string, now time.Time) (at time.Time, exact bool, err error) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	if date, ok := strings.CutSuffix(text, " utc"); ok {
		text = date + "z"
	}
	for i, form := range forms {
		if at, err := time.Parse(form, strings.ToUpper(text)); err == nil {
			return at.UTC(), i < zoned, nil
		}
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, false, nil
	}
	at, err = k.words(text, now.UTC().Truncate(time.Millisecond))
	return at, false, err
}

var errForm = errors.New("unknown form")

// words parses what has another meaning at another time.
func (k Kind) words(text string, now time.Time) (at time.Time, err error) {
	first, clock, both := strings.Cut(text, " ")
	distance, ofDay := days[first]
	past, ago := strings.CutSuffix(text, " ago")
	later, in := strings.CutPrefix(text, "in ")
	var span time.Duration
	switch {
	case now.IsZero():
		err = errForm
	case text == "now":
		at = now
	case IsClock(text) && k.ahead:
		err = errors.New("say of which day, such as tomorrow " + text)
	case IsClock(text):
		if at = onDay(now, 0, text); at.After(now) {
			at = onDay(now, -1, text)
		}
	case ofDay && !both:
		at = onDay(now, distance, "00:00")
	case ofDay && IsClock(clock):
		at = onDay(now, distance, clock)
	case ago:
		span, err = spanOf(past)
		at = now.Add(-span)
	case in:
		span, err = spanOf(later)
		at = now.Add(span)
	default:
		err = k.hint(text)
	}
	if err == nil && at.After(now) && !k.ahead {
		err = errors.New("is still to come")
	}
	return at, err
}

// hint returns the error for a text of no form, with the form that was probably meant.
func (k Kind) hint(text string) error {
	_, zone := time.Parse("15:04Z07:00", text)
	_, span := spanOf(text)
	switch {
	case zone == nil:
		return fmt.Errorf("%w: a time of day is in UTC, without a zone", errForm)
	case span == nil && k.ahead:
		return fmt.Errorf("%w: write %q", errForm, "in "+text)
	case span == nil:
		return fmt.Errorf("%w: write %q", errForm, text+" ago")
	}
	return errForm
}

// IsClock reports whether a text is a time of day alone.
func IsClock(text string) bool {
	_, ok := clockOf(text)
	return ok
}

func clockOf(text string) (at time.Time, ok bool) {
	for _, form := range clockForms {
		if at, err := time.Parse(form, strings.ToUpper(strings.TrimSpace(text))); err == nil {
			return at, true
		}
	}
	return at, false
}

// onDay returns a time of day, so many days after that of now.
func onDay(now time.Time, days int, clock string) time.Time {
	of, _ := clockOf(clock)
	return time.Date(now.Year(), now.Month(), now.Day()+days, of.Hour(), of.Minute(), of.Second(), of.Nanosecond(), time.UTC)
}

// longest bounds a span, far below what a [time.Duration] can have.
const longest = 100 * 366 * 24 * time.Hour

var (
	// part is a number with its unit.
	part  = regexp.MustCompile(`^(\d{1,10}) ?(?:(seconds?|secs?|s)|(minutes?|mins?|m)|(hours?|hrs?|h)|(days?|d)|(weeks?|w)) ?`)
	units = []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
)

// spanOf parses a span such as "2h30m" or "3 days".
func spanOf(text string) (sum time.Duration, err error) {
	for rest := text; rest != "" || text == ""; {
		of := part.FindStringSubmatch(rest)
		if of == nil {
			return 0, errForm
		}
		rest = rest[len(of[0]):]
		unit := units[slices.IndexFunc(of[2:], func(word string) bool { return word != "" })]
		n, err := strconv.ParseInt(of[1], 10, 64)
		if err != nil || n > int64(longest/unit) || sum+time.Duration(n)*unit > longest {
			return 0, errors.New("is longer than a hundred years")
		}
		sum += time.Duration(n) * unit
	}
	return sum, nil
}
