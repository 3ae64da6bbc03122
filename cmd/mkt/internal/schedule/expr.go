package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// parser reads five fields, or six with seconds first, or @hourly and the like.
var parser = cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour |
	cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// Parse reads a cron expression: "0 * * * *", with seconds "30 0 * * * *",
// "@hourly", or "@every 8s" (whole seconds, at least one). Times are UTC.
// An expression that never comes due is an error.
func Parse(expr string) (cron.Schedule, error) {
	expr = strings.TrimSpace(expr)
	if strings.Contains(expr, "TZ=") {
		return nil, errors.New("a time zone cannot be given: schedules are in UTC")
	}
	if every, ok := strings.CutPrefix(expr, "@every "); ok {
		return parseEvery(every)
	}
	s, err := parser.Parse(expr)
	if err != nil {
		return nil, err
	}
	if s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, errors.New("never comes due")
	}
	return s, nil
}

// parseEvery refuses what the library would silently round.
func parseEvery(text string) (cron.Schedule, error) {
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("@every %s: not a duration such as 8s or 1h", text)
	}
	if d < time.Second || d%time.Second != 0 {
		return nil, fmt.Errorf("@every %s: want whole seconds, at least 1s", text)
	}
	return cron.Every(d), nil
}

// steady holds an @every to its beginning: the library counts from the moment at
// which it noticed the tick before, and so slips whenever the machine is busy.
func steady(s cron.Schedule, from time.Time) cron.Schedule {
	if every, ok := s.(cron.ConstantDelaySchedule); ok {
		return grid{from, every.Delay}
	}
	return s
}

// grid is due at from and every so long after it.
type grid struct {
	from  time.Time
	every time.Duration
}

// Next implements cron.Schedule.
func (g grid) Next(t time.Time) time.Time {
	return g.from.Add((t.Sub(g.from)/g.every + 1) * g.every)
}

// OverdueAfter is how many cadences old the newest good cycle may be. serve, which may
// not know this package, calls a snapshot stale by the same number.
const OverdueAfter = 2

// Cadence is the longest time between two of the next activations after from:
// what a reader may expect to wait for news.
func Cadence(s cron.Schedule, from time.Time) time.Duration {
	const looked = 25 // a day of an hourly schedule, so that gaps at night count
	var longest time.Duration
	at := s.Next(from.UTC())
	for range looked {
		next := s.Next(at)
		if next.IsZero() {
			break
		}
		longest = max(longest, next.Sub(at))
		at = next
	}
	return longest
}
