package explain

import (
	"fmt"
	"slices"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform/live"
)

// bucketOf is a minute of a state; missing when it has not begun.
func bucketOf(s *live.State, minute int) football.Bucket {
	if s != nil {
		for _, b := range s.Live().Series.Buckets {
			if b.Minute == minute {
				return b
			}
		}
	}
	return football.Bucket{Minute: minute, State: football.BucketMissing}
}

// minute tells which samples gave a minute its points.
func (l *liveTrail) minute() error {
	n := l.target.number
	last := bucketOf(l.steps[len(l.steps)-1].After, n)
	rule := "2 × dangerous attacks + shots + 2 × corners (+ attacks, where dangerous ones are not sent) that moved while the clock ran in the minute; stoppage time belongs to 45, 90, 105 and 120"
	v := Value{Field: fmt.Sprintf("minute %d", n), State: HasValue, Value: fmt.Sprintf("%d-%d", last.Home, last.Away), Rule: rule}
	switch last.State {
	case football.BucketMissing:
		v.State, v.Value, v.Rule = IsAbsent, "", "no sample of the minute could be compared with one before"
	case football.BucketNull:
		v.State, v.Value = IsNull, ""
	}
	served, found, err := l.servedMinute(n)
	if err != nil {
		return err
	}
	if found && served != last {
		l.report.doubt(fmt.Sprintf("served was %s %d-%d, the samples give %s %d-%d", served.State, served.Home, served.Away, last.State, last.Home, last.Away))
	}
	v.From = []Piece{}
	l.report.Values = append(l.report.Values, v)
	for i := range l.steps {
		s := &l.steps[i]
		before, after := bucketOf(s.Before, n), bucketOf(s.After, n)
		if before == after {
			if s.Sample == nil || !plays(s.After, n) {
				continue
			}
		}
		l.step(s, fmt.Sprintf("%+d home, %+d away: %s %d-%d", after.Home-before.Home, after.Away-before.Away, after.State, after.Home, after.Away))
	}
	if len(l.report.Steps) == 0 {
		l.report.doubt("no archived sample is of that minute")
	}
	return nil
}

// plays tells whether a state's clock stands in a minute of play.
func plays(s *live.State, minute int) bool {
	c := s.Brief().Clock
	m, known := c.Minute.Get()
	return known && c.Phase.Half() != 0 && (m+1 == minute || m+1 > minute && slices.Contains([]int{45, 90, 105, 120}, minute) && m < minute+15)
}

// servedMinute is the minute as the snapshot has it; false when that has none.
func (l *liveTrail) servedMinute(n int) (b football.Bucket, found bool, err error) {
	if l.row == nil || l.row.DetailRank == nil {
		return b, false, nil
	}
	err = scan(l.explainer, layout.LiveBucketsFile, func(r *table.LiveBucketRow) bool {
		if r.FixtureID == l.target.fixture && int(r.Minute) == n {
			b, found = football.Bucket{Minute: n, State: football.BucketState(r.State), Home: number32(r.Home), Away: number32(r.Away)}, true
		}
		return r.FixtureID > l.target.fixture
	})
	return b, found, err
}

func number32(n *int32) int {
	if n == nil {
		return 0
	}
	return int(*n)
}
