package emulator

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
)

// liveStat is one key of stats and how its values are written.
type liveStat struct {
	key    string
	metric play.Metric // whose states it has
	write  func(b []byte, v *statValue) []byte
	only   func(v *statValue) bool // nil: whenever the metric is sent
	triple bool                    // "all,normal,extra" after extra time, where a feed does so
}

// statValue holds the parts of one value.
type statValue struct {
	m    *feed.Match
	sent *feed.Sent
	from *play.Counts
	side play.Side
	n    int // of the metric
}

// liveStats are the keys in their recorded order (betsapi.md, section 8.2).
var liveStats = []liveStat{
	{key: "action_areas", metric: play.KeyPasses, write: writeAreas, only: hasAreas},
	{key: "attacks", metric: play.Attacks, write: writeCount, triple: true},
	{key: "ball_safe", metric: play.BallSafe, write: writeCount},
	{key: "corners", metric: play.Corners, write: writeCount},
	{key: "corner_f", metric: play.Corners, write: writeNormalCorners, only: hasNormalCorners},
	{key: "corner_h", metric: play.Corners, write: writeHalfCorners, only: hasHalfCorners},
	{key: "corner_ot", metric: play.Corners, write: writeCount, only: func(v *statValue) bool { return v.sent.Extra }},
	{key: "crosses", metric: play.Crosses, write: writeCount, triple: true},
	{key: "crossing_accuracy", metric: play.Crosses, write: writeCrossing},
	{key: "dangerous_attacks", metric: play.DangerousAttacks, write: writeCount, triple: true},
	{key: "fouls", metric: play.Fouls, write: writeCount},
	{key: "freekicks", metric: play.FreeKicks, write: writeCount},
	{key: "goalattempts", metric: play.Blocked, write: writeAttempts},
	{key: "goalkicks", metric: play.GoalKicks, write: writeCount},
	{key: "goals", metric: play.Goals, write: writeCount},
	{key: "injuries", metric: play.Injuries, write: writeCount},
	{key: "key_passes", metric: play.KeyPasses, write: writeCount, triple: true},
	{key: "offsides", metric: play.Offsides, write: writeCount},
	{key: "off_target", metric: play.OffTarget, write: writeCount, triple: true},
	{key: "on_target", metric: play.OnTarget, write: writeCount, triple: true},
	{key: "passing_accuracy", metric: play.KeyPasses, write: writePassing},
	{key: "penalties", metric: play.Penalties, write: writeCount},
	{key: "possession_rt", metric: play.Possession, write: writePossession, triple: true},
	{key: "redcards", metric: play.RedCards, write: writeCount},
	{key: "saves", metric: play.Saves, write: writeCount},
	{key: "shots_blocked", metric: play.Blocked, write: writeCount},
	{key: "substitutions", metric: play.Substitutions, write: writeCount},
	{key: "throwins", metric: play.ThrowIns, write: writeCount},
	{key: "xg", metric: play.ExpectedGoals, write: writeHundredths},
	{key: "yellowcards", metric: play.YellowCards, write: writeCount},
	{key: "yellowred_cards", metric: play.SecondYellows, write: writeCount},
}

// appendStats writes stats: an absent key is not supplied, "" has no
// value, "0" is a real zero. Without any key there is no stats at all.
func appendStats(b []byte, m *feed.Match, s *feed.Sent) []byte {
	if !s.Begun {
		return b
	}
	from := len(b)
	v := statValue{m: m, sent: s}
	for i := range liveStats {
		b = liveStats[i].append(b, &v)
	}
	if len(b) == from {
		return b
	}
	return opened(append(b, '}'), from, `,"stats":{`)
}

// opened puts a head in front of the bytes written from an offset on, in place of their
// first comma.
func opened(b []byte, from int, head string) []byte {
	return slices.Replace(b, from, from+1, []byte(head)...)
}

// append writes one key with both sides, if the feed has it.
func (stat *liveStat) append(b []byte, v *statValue) []byte {
	var states [2]feed.State
	for side := range states {
		_, states[side] = v.sent.Value(stat.metric, play.Side(side))
	}
	if states[0] == feed.Absent || stat.only != nil && !stat.only(v) {
		return b
	}
	b = append(append(append(b, `,"`...), stat.key...), `":["`...)
	for side, state := range states {
		if v.side = play.Side(side); state == feed.Value {
			b = stat.values(b, v)
		}
		b = append(b, `","`...)
	}
	return append(b[:len(b)-2], ']')
}

// values writes the value, and after extra time on some feeds those of normal
// and of extra time behind it: recorded once, as "155,119,36".
func (stat *liveStat) values(b []byte, v *statValue) []byte {
	b = stat.value(b, v, v.sent.Counts())
	if !stat.triple || !v.sent.Extra || v.sent.Clock.Phase != play.FullTime || v.m.Fixture.Lot(3, oddTriples) != 0 {
		return b
	}
	extra := *v.sent.Counts()
	for side := range extra {
		for m := range extra[side] {
			extra[side][m] -= v.sent.Normal[side][m]
		}
	}
	b = stat.value(append(b, ','), v, v.sent.Normal)
	return stat.value(append(b, ','), v, &extra)
}

func (stat *liveStat) value(b []byte, v *statValue, from *play.Counts) []byte {
	v.from, v.n = from, int(from[v.side][stat.metric])
	return stat.write(b, v)
}

func writeCount(b []byte, v *statValue) []byte { return strconv.AppendInt(b, int64(v.n), 10) }

func writePossession(b []byte, v *statValue) []byte {
	return strconv.AppendInt(b, int64(v.from.PossessionOf(v.side)), 10)
}

func writeHundredths(b []byte, v *statValue) []byte { return appendHundredths(b, v.n) }

func appendHundredths(b []byte, n int) []byte { return fmt.Appendf(b, "%d.%02d", n/100, n%100) }

// writeAttempts is a number that does not add up with the shots, as recorded.
func writeAttempts(b []byte, v *statValue) []byte {
	counts := &v.from[v.side]
	return strconv.AppendInt(b, int64(counts[play.OnTarget]+counts[play.Blocked]), 10)
}

func writeNormalCorners(b []byte, v *statValue) []byte {
	return strconv.AppendInt(b, int64(v.sent.Normal[v.side][play.Corners]), 10)
}

func hasNormalCorners(v *statValue) bool {
	return v.sent.Normal != nil && v.m.Fixture.Lot(10, oddCornerFull) < 6
}

func writeHalfCorners(b []byte, v *statValue) []byte {
	return strconv.AppendInt(b, int64(v.sent.First[v.side][play.Corners]), 10)
}

func hasHalfCorners(v *statValue) bool {
	return v.sent.First != nil && v.m.Fixture.Lot(10, oddCornerHalf) < 9
}

// writePassing is a share, of the match so far, that hardly moves.
func writePassing(b []byte, v *statValue) []byte {
	share := 70 + v.m.Fixture.Lot(18, oddAreas, 1, uint64(v.side)) + int(v.sent.Clock.Shown/(20*time.Minute))
	return appendHundredths(b, share)
}

func writeCrossing(b []byte, v *statValue) []byte {
	if v.n == 0 {
		return append(b, "0.00"...)
	}
	return appendHundredths(b, 15+v.m.Fixture.Lot(25, oddAreas, 2, uint64(v.side))+v.n%4)
}

func hasAreas(v *statValue) bool { return v.m.Fixture.Lot(3, oddAreas) == 0 }

// writeAreas is a share of one wing. The others are not sent.
func writeAreas(b []byte, v *statValue) []byte {
	f := v.m.Fixture
	return fmt.Appendf(b, "%d.%d0", 15+f.Lot(20, oddAreas, 3, uint64(v.side)), f.Lot(10, oddAreas, 4, uint64(v.side)))
}
