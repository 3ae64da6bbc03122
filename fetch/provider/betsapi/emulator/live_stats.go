package emulator

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"mkt/fetch/simulator"
)

// liveStat is one key of stats and how its values are written.
type liveStat struct {
	key    string
	metric simulator.Metric // whose states it has
	write  func(b []byte, v *statValue) []byte
	only   func(v *statValue) bool // nil: whenever the metric is sent
	triple bool                    // "all,normal,extra" after extra time, where a feed does so
}

// statValue holds the parts of one value.
type statValue struct {
	m    *simulator.Match
	sent *simulator.Sent
	from *simulator.Counts
	side simulator.Side
	n    int // of the metric
}

// liveStats are the keys in their recorded order (betsapi.md, section 8.2).
var liveStats = []liveStat{
	{key: "action_areas", metric: simulator.KeyPasses, write: writeAreas, only: hasAreas},
	{key: "attacks", metric: simulator.Attacks, write: writeCount, triple: true},
	{key: "ball_safe", metric: simulator.BallSafe, write: writeCount},
	{key: "corners", metric: simulator.Corners, write: writeCount},
	{key: "corner_f", metric: simulator.Corners, write: writeNormalCorners, only: hasNormalCorners},
	{key: "corner_h", metric: simulator.Corners, write: writeHalfCorners, only: hasHalfCorners},
	{key: "corner_ot", metric: simulator.Corners, write: writeCount, only: func(v *statValue) bool { return v.sent.Extra }},
	{key: "crosses", metric: simulator.Crosses, write: writeCount, triple: true},
	{key: "crossing_accuracy", metric: simulator.Crosses, write: writeCrossing},
	{key: "dangerous_attacks", metric: simulator.DangerousAttacks, write: writeCount, triple: true},
	{key: "fouls", metric: simulator.Fouls, write: writeCount},
	{key: "freekicks", metric: simulator.FreeKicks, write: writeCount},
	{key: "goalattempts", metric: simulator.Blocked, write: writeAttempts},
	{key: "goalkicks", metric: simulator.GoalKicks, write: writeCount},
	{key: "goals", metric: simulator.Goals, write: writeCount},
	{key: "injuries", metric: simulator.Injuries, write: writeCount},
	{key: "key_passes", metric: simulator.KeyPasses, write: writeCount, triple: true},
	{key: "offsides", metric: simulator.Offsides, write: writeCount},
	{key: "off_target", metric: simulator.OffTarget, write: writeCount, triple: true},
	{key: "on_target", metric: simulator.OnTarget, write: writeCount, triple: true},
	{key: "passing_accuracy", metric: simulator.KeyPasses, write: writePassing},
	{key: "penalties", metric: simulator.Penalties, write: writeCount},
	{key: "possession_rt", metric: simulator.Possession, write: writePossession, triple: true},
	{key: "redcards", metric: simulator.RedCards, write: writeCount},
	{key: "saves", metric: simulator.Saves, write: writeCount},
	{key: "shots_blocked", metric: simulator.Blocked, write: writeCount},
	{key: "substitutions", metric: simulator.Substitutions, write: writeCount},
	{key: "throwins", metric: simulator.ThrowIns, write: writeCount},
	{key: "xg", metric: simulator.ExpectedGoals, write: writeHundredths},
	{key: "yellowcards", metric: simulator.YellowCards, write: writeCount},
	{key: "yellowred_cards", metric: simulator.SecondYellows, write: writeCount},
}

// appendStats writes stats: an absent key is not supplied, "" has no
// value, "0" is a real zero. Without any key there is no stats at all.
func appendStats(b []byte, m *simulator.Match, s *simulator.Sent) []byte {
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
	var states [2]simulator.State
	for side := range states {
		_, states[side] = v.sent.Value(stat.metric, simulator.Side(side))
	}
	if states[0] == simulator.Absent || stat.only != nil && !stat.only(v) {
		return b
	}
	b = append(append(append(b, `,"`...), stat.key...), `":["`...)
	for side, state := range states {
		if v.side = simulator.Side(side); state == simulator.Value {
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
	if !stat.triple || !v.sent.Extra || v.sent.Clock.Phase != simulator.FullTime || v.m.Fixture.Lot(3, oddTriples) != 0 {
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

func (stat *liveStat) value(b []byte, v *statValue, from *simulator.Counts) []byte {
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
	return strconv.AppendInt(b, int64(counts[simulator.OnTarget]+counts[simulator.Blocked]), 10)
}

func writeNormalCorners(b []byte, v *statValue) []byte {
	return strconv.AppendInt(b, int64(v.sent.Normal[v.side][simulator.Corners]), 10)
}

func hasNormalCorners(v *statValue) bool {
	return v.sent.Normal != nil && v.m.Fixture.Lot(10, oddCornerFull) < 6
}

func writeHalfCorners(b []byte, v *statValue) []byte {
	return strconv.AppendInt(b, int64(v.sent.First[v.side][simulator.Corners]), 10)
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
