package retention

import (
	"errors"
	"fmt"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// longestGap is the most that an interval between two publications adds to the age of everything
// before it. A longer interval is an outage or a clock that jumped, and neither may delete an
// archive.
const longestGap = 24 * time.Hour

// ErrClockJump: the newest publication came so long after the ones before it that the clock may
// have jumped. Nothing is deleted then.
var ErrClockJump = errors.New("the clock may have jumped: nothing is deleted this time. " +
	"If the clock is wrong, correct it (mkt doctor compares it with the provider's) and restore a backup made before the jump. " +
	"After an outage there is nothing to do: retention resumes with the next publication, or now with mkt gc --after-leap")

// intervalsCompared is the number of intervals compared with the newest one. An interval of at
// most twice the longest of them is no jump of the clock, since a schedule may pause at weekends.
const intervalsCompared = 8

// checkClockJump returns [ErrClockJump] if the newest publication followed a jump.
func checkClockJump(f durable.ReadFS, head snapshot.Commit) error {
	first, err := snapshot.First(f)
	if err != nil {
		return err
	}
	var gap, usual time.Duration
	after := head
	for n := head.Version - 1; n >= first && n+1+intervalsCompared >= head.Version; n-- {
		before, err := snapshot.ReadCommit(f, n)
		if err != nil {
			return err
		}
		if after.Version == head.Version {
			if gap = after.PublishedAt.Sub(before.PublishedAt); gap <= longestGap {
				return nil
			}
		} else {
			usual = max(usual, after.PublishedAt.Sub(before.PublishedAt))
		}
		after = before
	}
	if gap <= longestGap || gap <= 2*usual {
		return nil
	}
	return fmt.Errorf("version %d was published %s after the one before it: %w", head.Version, gap.Truncate(time.Second), ErrClockJump)
}

// cutoffAt returns the time of things that are as old as age at a publication. An interval
// between publications counts as at most longestGap.
func cutoffAt(f durable.ReadFS, head snapshot.Commit, age time.Duration) (time.Time, error) {
	first, err := snapshot.First(f)
	if err != nil {
		return time.Time{}, err
	}
	cut, after := head.PublishedAt.Add(-age), head
	for step := uint64(1); after.Version > first && after.PublishedAt.After(cut); step *= 2 {
		before, err := snapshot.ReadCommit(f, after.Version-min(step, after.Version-first))
		if err != nil {
			return time.Time{}, err
		}
		if err := moveBack(f, before, after, &cut); err != nil {
			return time.Time{}, err
		}
		after = before
	}
	return cut, nil
}

// moveBack moves a cutoff back by the excess length of each interval after it, newest
// first. It is a binary search: a span without excess contains no interval with excess.
func moveBack(f durable.ReadFS, first, last snapshot.Commit, cut *time.Time) error {
	span := last.PublishedAt.Sub(first.PublishedAt)
	switch {
	case span <= longestGap || !last.PublishedAt.After(*cut):
		return nil
	case last.Version == first.Version+1:
		*cut = cut.Add(longestGap - span)
		return nil
	}
	middle, err := snapshot.ReadCommit(f, first.Version+(last.Version-first.Version)/2)
	if err != nil {
		return err
	}
	if err := moveBack(f, middle, last, cut); err != nil {
		return err
	}
	return moveBack(f, first, middle, cut)
}

// agesOf returns the ages of things begun at rising times, measured at the last of them and
// counted as in cutoffAt.
func agesOf(began []time.Time) []time.Duration {
	ages := make([]time.Duration, len(began))
	for i := len(began) - 2; i >= 0; i-- {
		ages[i] = ages[i+1] + min(began[i+1].Sub(began[i]), longestGap)
	}
	return ages
}

// startOf is the time at which a cycle began; zero for an invalid id.
func startOf(cycle layout.CycleID) time.Time {
	at, _, err := layout.ParseCycleID(string(cycle))
	if err != nil {
		return time.Time{}
	}
	return at
}
