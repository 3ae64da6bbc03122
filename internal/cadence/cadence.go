// Package cadence reads the expressions of tenants.yaml that say when a product runs, and returns
// how often that is. Expressions are in UTC, where no hour comes twice or is left out.
package cadence

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

// Parse parses a cron expression: "0 * * * *", with seconds "30 0 * * * *", "@hourly", or
// "@every 8s" (whole seconds, at least one). Times are UTC. An @every is due at the multiples
// of its duration since 1970-01-01T00:00:00Z. If the duration divides a day, it is due at the same
// times every day, from midnight on. An expression that is never due is an error.
func Parse(expr string) (Schedule, error) {
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

// parseEvery rejects durations the library would silently round.
func parseEvery(text string) (Schedule, error) {
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("@every %s: not a duration such as 8s or 1h", text)
	}
	if d < time.Second || d%time.Second != 0 {
		return nil, fmt.Errorf("@every %s: want whole seconds, at least 1s", text)
	}
	return grid{int64(d / time.Second)}, nil
}

// grid is the schedule of an @every. It depends neither on when the process began nor on when a
// tick was noticed: neither a restart nor a busy machine shifts it.
type grid struct{ seconds int64 }

// Next implements [cron.Schedule]: it returns the first multiple after t.
func (g grid) Next(t time.Time) time.Time {
	after := t.Unix() - floorMod(t.Unix(), g.seconds) + g.seconds
	return time.Unix(after, 0).In(t.Location())
}

// floorMod returns the non-negative remainder of a/b; b is positive.
func floorMod(a, b int64) int64 { return (a%b + b) % b }

// OverdueAfter is how many cadences old the newest successful cycle may be. serve, which must not
// import this package, calls a snapshot stale by the same number.
const OverdueAfter = 2

// Of returns the longest time between two of the next ticks after from: how long a reader may
// have to wait for new data.
func Of(s Schedule, from time.Time) time.Duration {
	_, longest := Gaps(s, from)
	return longest
}

// Gaps returns the shortest and the longest time between two of the next ticks after from.
func Gaps(s Schedule, from time.Time) (shortest, longest time.Duration) {
	const looked = 25 // a day of an hourly schedule, to count pauses at night
	at := s.Next(from.UTC())
	for i := range looked {
		next := s.Next(at)
		if next.IsZero() {
			break
		}
		gap := next.Sub(at)
		if i == 0 {
			shortest = gap
		}
		shortest, longest = min(shortest, gap), max(longest, gap)
		at = next
	}
	return shortest, longest
}

// Schedule is when a job is due.
type Schedule = cron.Schedule

// Slower returns a schedule that is due at most once in each interval of a pace, counted
// from 1970-01-01T00:00:00Z: an @every is due at the multiples of the pace, and any other
// expression at its first tick in each interval. A pace no longer than the
// cadence changes nothing. Nothing depends on when the process began.
func Slower(s Schedule, pace time.Duration) Schedule {
	seconds := int64((pace + time.Second - 1) / time.Second)
	if g, every := s.(grid); every {
		return grid{max(g.seconds, seconds)}
	}
	if seconds <= 1 {
		return s
	}
	return sparse{s, grid{seconds}}
}

// sparse is due at the first tick of a schedule in each interval.
type sparse struct {
	ticks     Schedule
	intervals grid
}

// Next implements [Schedule].
func (s sparse) Next(t time.Time) time.Time {
	next := s.intervals.Next(t)
	first := s.ticks.Next(next.Add(-time.Duration(s.intervals.seconds)*time.Second - time.Second))
	if first.After(t) && first.Before(next) {
		return first
	}
	return s.ticks.Next(next.Add(-time.Second))
}

// Ticks returns how often a schedule is due after from and until to. The time beyond a day is
// estimated by the first day.
func Ticks(s Schedule, from, to time.Time) float64 {
	const day = 24 * time.Hour
	if g, every := s.(grid); every {
		return float64(to.Unix()/g.seconds - from.Unix()/g.seconds)
	}
	end := to
	if to.Sub(from) > day {
		end = from.Add(day)
	}
	n := 0.0
	for at := s.Next(from.UTC()); !at.IsZero() && !at.After(end); at = s.Next(at) {
		n++
	}
	if end.Before(to) {
		n *= float64(to.Sub(from)) / float64(day)
	}
	return n
}
