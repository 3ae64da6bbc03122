package explain

import (
	"fmt"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform/live"
)

// bucketOf is a minute of a state; missing when it has not begun.
func bucketOf(s *live.State, minute, added int) football.Bucket {
	if s != nil {
		for _, b := range s.Live().Series.Buckets {
			if b.Minute == minute && b.Added == added {
				return b
			}
		}
	}
	return football.Bucket{Minute: minute, Added: added, State: football.BucketMissing}
}

// minute explains which samples gave a minute its points.
func (l *liveTrail) minute() error {
	n, added := l.target.number, l.target.added
	last := bucketOf(l.steps[len(l.steps)-1].After, n, added)
	rule := "2 × dangerous attacks + shots + 2 × corners (+ attacks, where dangerous ones are not sent) that moved in the minute; what is first seen while the clock stands belongs to the last minute played"
	v := Value{Field: "minute " + minuteName(n, added), State: HasValue, Value: fmt.Sprintf("%d-%d", last.Home, last.Away), Rule: rule}
	switch last.State {
	case football.BucketMissing:
		v.State, v.Value, v.Rule = IsAbsent, "", "attacks and dangerous attacks were not sent, or could not be compared, for more than 10 s of the minute"
	case football.BucketNull:
		v.State, v.Value, v.Rule = IsNull, "", "attacks or dangerous attacks were sent without a value for more than 10 s of the minute"
	}
	served, found, err := l.servedMinute(n, added)
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
		before, after := bucketOf(s.Before, n, added), bucketOf(s.After, n, added)
		if before == after {
			if s.Sample == nil || !plays(s.After, n, added) {
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

// minuteName is a minute as football writes it: 37, 45+2.
func minuteName(minute, added int) string {
	if added > 0 {
		return fmt.Sprintf("%d+%d", minute, added)
	}
	return fmt.Sprint(minute)
}

// plays reports whether a state's clock stands in a minute of play.
func plays(s *live.State, minute, added int) bool {
	c := s.Brief().Clock
	m, known := c.Minute.Get()
	half := c.Phase.Half()
	if !known || half == 0 {
		return false
	}
	regular := min(m+1, football.HalfEnds(half))
	return regular == minute && m+1-regular == added
}

// servedMinute is the minute as the snapshot has it; false when that has none.
func (l *liveTrail) servedMinute(n, added int) (b football.Bucket, found bool, err error) {
	if l.row == nil || l.row.DetailRank == nil {
		return b, false, nil
	}
	err = scan(l.explainer, layout.LiveBucketsFile, func(r *table.LiveBucketRow) bool {
		if r.FixtureID == l.target.fixture && int(r.Minute) == n && int(r.Added) == added {
			b, found = football.Bucket{Minute: n, Added: added, State: football.BucketState(r.State), Home: number32(r.Home), Away: number32(r.Away)}, true
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
