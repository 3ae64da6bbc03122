package minutes

import (
	"slices"

	"mkt/publish/football"
	"mkt/transform/live/clock"
)

// played calls do with every minute of a half that was played.
func (s *Minutes) played(now *clock.Clock, half int, do func(minute int, c cell)) {
	cells := s.cells[half-1]
	for len(cells) > 0 && cells[len(cells)-1] == (cell{}) { // nothing of this minute was played yet
		cells = cells[:len(cells)-1]
	}
	n := len(cells)
	if half < now.Half || now.Phase.Half() == 0 {
		n = max(n, clock.HalfMinutes(half))
	}
	for minute := range n {
		c := unseen
		if minute < len(cells) {
			c = cells[minute]
		}
		do(minute, c)
	}
}

// Series returns the points of each minute. now is the clock of the last step.
func (s *Minutes) Series(now *clock.Clock) football.Series {
	var out football.Series
	minutes := 0
	for half := 1; half <= now.Half; half++ {
		minutes += max(len(s.cells[half-1]), clock.HalfMinutes(half))
	}
	out.Buckets = slices.Grow(out.Buckets, minutes)
	for half := 1; half <= now.Half; half++ {
		s.played(now, half, func(minute int, c cell) {
			regular := min(minute, clock.HalfMinutes(half)-1)
			b := football.Bucket{Minute: clock.HalfBegins[half]/60 + regular + 1, Added: minute - regular, State: c.state()}
			if b.State == football.BucketValue {
				b.Home, b.Away = int(c.home), int(c.away)
			}
			out.Max = max(out.Max, b.Home, b.Away)
			out.MaxMinute = b.Minute
			out.Buckets = append(out.Buckets, b)
		})
	}
	return out
}

// Periods returns the sums of the halves which have begun. A half with an unknown minute has no
// sum, because readers would take it for the sum of the whole half.
func (s *Minutes) Periods(now *clock.Clock) []football.PeriodSum {
	var sums []football.PeriodSum
	for half := 1; half <= now.Half; half++ {
		sum := football.PeriodSum{Half: half, State: football.BucketZero}
		s.played(now, half, func(_ int, c cell) {
			state := c.state()
			sum.State = combined(sum.State, state)
			sum.Minutes++
			if state == football.BucketValue || state == football.BucketZero {
				sum.Known++
				sum.KnownHome += int(c.home)
				sum.KnownAway += int(c.away)
			}
		})
		if sum.Minutes == 0 {
			sum.State = football.BucketMissing
		}
		if sum.State == football.BucketValue {
			sum.Home, sum.Away = sum.KnownHome, sum.KnownAway
		}
		sums = append(sums, sum)
	}
	return sums
}

// combined returns the state of two minutes as one. MISSING wins over NULL, and both
// win over a number.
func combined(a, b football.BucketState) football.BucketState {
	for _, s := range []football.BucketState{football.BucketMissing, football.BucketNull, football.BucketValue} {
		if a == s || b == s {
			return s
		}
	}
	return football.BucketZero
}
