package emulator

import (
	"strconv"
	"time"

	"mkt/fetch/simulator"
)

// trends are the metrics of event/stats_trend (betsapi.md, section 9.1). Dense
// ones have a point every minute once they have moved, the others when they
// change.
var trends = []struct {
	key    string
	metric simulator.Metric
	dense  bool
}{
	{"attacks", simulator.Attacks, true},
	{"dangerous_attacks", simulator.DangerousAttacks, true},
	{"possession", simulator.Possession, true},
	{"off_target", simulator.OffTarget, true},
	{"on_target", simulator.OnTarget, true},
	{"corners", simulator.Corners, false},
	{"goals", simulator.Goals, false},
	{"yellowcards", simulator.YellowCards, false},
	{"redcards", simulator.RedCards, false},
	{"substitutions", simulator.Substitutions, false},
}

// trendPoint is the match at the end of a minute of the scoreboard.
type trendPoint struct {
	minute int
	counts simulator.Counts
}

// appendTrend writes the minute series: cumulative, the numbers of first-half
// stoppage time and of the second half shared, a side that never moved left out.
func appendTrend(b []byte, m *simulator.Match, now time.Time) []byte {
	points := trendPoints(m, now)
	from := len(b)
	for _, t := range trends {
		if !m.Covers(t.metric) {
			continue
		}
		sides := len(b)
		for side, name := range [...]string{"home", "away"} {
			b = appendSeries(b, points, t.metric, simulator.Side(side), name, t.dense)
		}
		if len(b) > sides {
			b = opened(append(b, '}'), sides, `,"`+t.key+`":{`)
		}
	}
	if len(b) == from {
		return append(b, "[]"...)
	}
	b[from] = '{'
	return append(b, '}')
}

func trendPoints(m *simulator.Match, now time.Time) []trendPoint {
	sent := m.Sent(now)
	at := sent.At.Sub(m.Whistle)
	var points []trendPoint
	for _, p := range m.Periods() {
		for from := p.From; from < p.To && from <= at && p.Phase.Playing(); from += time.Minute {
			end := min(from+time.Minute-time.Second, p.To, at)
			points = append(points, trendPoint{int((p.Base + from - p.From) / time.Minute), m.True(m.Whistle.Add(end))})
		}
	}
	return points
}

func appendSeries(b []byte, points []trendPoint, metric simulator.Metric, side simulator.Side, name string, dense bool) []byte {
	from, last := len(b), int64(0)
	for i := range points {
		n := int64(points[i].counts[side][metric])
		if metric == simulator.Possession {
			n = percentOf(&points[i].counts, side)
		}
		if n == 0 || n == last && !dense {
			continue
		}
		last = n
		b = strconv.AppendInt(append(b, `,{"time_str":"`...), int64(points[i].minute), 10)
		b = strconv.AppendInt(append(b, `","val":"`...), n, 10)
		b = append(b, `"}`...)
	}
	if len(b) == from {
		return b
	}
	return opened(append(b, ']'), from, `,"`+name+`":[`)
}

func percentOf(c *simulator.Counts, side simulator.Side) int64 {
	percent, known := c.HomePossession()
	switch {
	case !known:
		return 0
	case side == simulator.Away:
		percent = 100 - percent
	}
	return int64(percent)
}
