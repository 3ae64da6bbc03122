package publish

import (
	"errors"
	"fmt"
	"time"

	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// mostGap is how much an interval between two publications adds to the age of what
// came before it, however long it was: most of it is an outage, or a clock that
// leapt, and neither may delete an archive.
const mostGap = 24 * time.Hour

// ErrLeap: the newest publication came so much later than the ones before it that the
// clock may have leapt. Nothing is deleted then.
var ErrLeap = errors.New("the clock may have leapt: nothing is deleted this time. " +
	"If the clock is wrong, set it right (mkt doctor compares it with the provider's) and go on from a backup made before. " +
	"After an outage there is nothing to do: the next publication goes on, and so does mkt gc --after-leap")

// leapAfter is how many intervals before the newest are looked at: one that is at most
// twice the longest of them is no leap. A schedule has its weekends.
const leapAfter = 8

// checkLeap returns ErrLeap when the newest publication followed a leap of the clock.
func checkLeap(f durable.FS, head snapshot.Commit) error {
	var gap, usual time.Duration
	after := head
	for n := head.Version - 1; n > 0 && n+1+leapAfter >= head.Version; n-- {
		before, err := snapshot.ReadCommit(f, n)
		if err != nil {
			return err
		}
		if after.Version == head.Version {
			if gap = after.PublishedAt.Sub(before.PublishedAt); gap <= mostGap {
				return nil
			}
		} else {
			usual = max(usual, after.PublishedAt.Sub(before.PublishedAt))
		}
		after = before
	}
	if gap <= mostGap || gap <= 2*usual {
		return nil
	}
	return fmt.Errorf("version %d was published %s after the one before it: %w", head.Version, gap.Truncate(time.Second), ErrLeap)
}

// cutoffAt is the time before which things are older than an age at a publication.
// An interval between publications counts as mostGap at most.
func cutoffAt(f durable.FS, head snapshot.Commit, age time.Duration) (time.Time, error) {
	cut, after := head.PublishedAt.Add(-age), head
	for step := uint64(1); after.Version > 1 && after.PublishedAt.After(cut); step *= 2 {
		before, err := snapshot.ReadCommit(f, after.Version-min(step, after.Version-1))
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

// moveBack moves a cutoff back by what is too long of each interval behind it, from
// the newest on. It halves its way: only a span that is too long can have an interval
// that is.
func moveBack(f durable.FS, first, last snapshot.Commit, cut *time.Time) error {
	span := last.PublishedAt.Sub(first.PublishedAt)
	switch {
	case span <= mostGap || !last.PublishedAt.After(*cut):
		return nil
	case last.Version == first.Version+1:
		*cut = cut.Add(mostGap - span)
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

// agesOf are the ages of things that began at rising times, at the last of them,
// counted as cutoffAt does.
func agesOf(began []time.Time) []time.Duration {
	ages := make([]time.Duration, len(began))
	for i := len(began) - 2; i >= 0; i-- {
		ages[i] = ages[i+1] + min(began[i+1].Sub(began[i]), mostGap)
	}
	return ages
}
