package live

import (
	"slices"

	"mkt/publish/football"
)

func (s *minutes) played(now *clock, half int, do func(minute int, c cell)) {
	cells := s.cells[half-1]
	for len(cells) > 0 && cells[len(cells)-1] == (cell{}) { // nothing of this minute was played yet
		cells = cells[:len(cells)-1]
	}
	n := len(cells)
	if half < now.half || now.Phase.Half() == 0 {
		n = max(n, halfMinutes(half))
	}
	for minute := range n {
		c := unseen
		if minute < len(cells) {
			c = cells[minute]
		}
		do(minute, c)
	}
}

func (s *minutes) series(now *clock) football.Series {
	var out football.Series
	minutes := 0
	for half := 1; half <= now.half; half++ {
		minutes += max(len(s.cells[half-1]), halfMinutes(half))
	}
	out.Buckets = slices.Grow(out.Buckets, minutes)
	for half := 1; half <= now.half; half++ {
		s.played(now, half, func(minute int, c cell) {
			regular := min(minute, halfMinutes(half)-1)
			b := football.Bucket{Minute: halfBegins[half]/60 + regular + 1, Added: minute - regular, State: c.state()}
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

// periods returns the sums of the halves which have begun. A half with an unknown minute has no
// sum, because readers would take it for the sum of the whole half.
func (s *minutes) periods(now *clock) []football.PeriodSum {
	var sums []football.PeriodSum
	for half := 1; half <= now.half; half++ {
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
