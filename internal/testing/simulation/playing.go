package simulation

import (
	"fmt"
	"slices"
	"time"

	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/play"
)

// playing is what the provider of an account said of one match in play, up to its newest answer.
type playing struct {
	heard   time.Time // newest answer that listed the match, by the clock of the machine that asked
	scores  [][2]int  // said by that answer and those after it, the newest last
	rises   [2][]goal // goals of each side that the score has now
	goals   []goal    // on the newest list of events
	viewed  time.Time // when the list of events was read
	since   []goal    // on any list since the newest publication that was judged
	earlier []goal    // on any list before it, and since the one before that
	known   bool      // the score was heard before
	doubted time.Time // when an answer after that had a fault, so that nobody knows how much of it was understood; zero: never
	taken   int       // goals taken back
	fresh   time.Time // the newest publication's time of its sample
}

// goal is a goal as the provider shows it.
type goal struct {
	side          play.Side
	minute, added int       // of the list of events
	from, to      time.Time // when the score rose; zero if it had the goal from the beginning
}

// String returns when and where a goal was, for a failure.
func (g goal) String() string {
	if g.minute > 0 {
		return fmt.Sprintf("side %d in minute %d+%d", g.side, g.minute, g.added)
	}
	return fmt.Sprintf("side %d from %s to %s", g.side, g.from.Format(time.TimeOnly), g.to.Format(time.TimeOnly))
}

// score notes a score. A higher one has goals from a time between two others, a lower one takes back the
// newest goals.
func (p *playing) score(score [2]int, from, to time.Time) {
	for side, n := range score {
		for len(p.rises[side]) < n {
			g := goal{side: play.Side(side)}
			if p.known {
				g.from, g.to = from, to.Add(time.Minute) // the answer arrives later
			}
			p.rises[side] = append(p.rises[side], g)
		}
		if more := len(p.rises[side]) - n; more > 0 {
			p.rises[side] = p.rises[side][:n]
			p.taken += more
		}
	}
	p.scores, p.known = append(p.scores, score), true
}

// goalsOf returns the goals on the provider's list of events at a time of the match.
func goalsOf(m *meant.Match, at time.Duration) (goals []goal) {
	for _, r := range m.Reported() {
		if r.Kind == play.Goal && r.Appears <= at && (r.Withdrawn == 0 || at < r.Withdrawn) {
			minute, added := r.Clock.Minute()
			goals = append(goals, goal{side: r.Side, minute: minute, added: added})
		}
	}
	return goals
}

// shownGoal is a goal on a published timeline.
type shownGoal struct {
	side          int
	minute, added int  // of play, from 1
	isListed      bool // the provider's list has it
	at            time.Time
}

// disagrees says in which way a score and the goals on its timeline differ from what the provider said; ""
// if they do not. A goal that the newest list lacks may be there if one of the lists before, earlier, had it: an
// event is withdrawn if two lists lack it.
func (p *playing) disagrees(score [2]int, timeline []shownGoal, earlier []goal) string {
	if !slices.Contains(p.scores, score) {
		return fmt.Sprintf("score %v, and the provider said %v", score, p.scores)
	}
	if p.scores[0] != p.scores[len(p.scores)-1] {
		return "" // it changed during the cycle
	}
	var number [2]int
	listed, rises := slices.Clone(p.goals), [2][]goal{slices.Clone(p.rises[0]), slices.Clone(p.rises[1])}
	for _, shown := range timeline {
		side := shown.side
		if number[side]++; number[side] > score[side] {
			return fmt.Sprintf("the timeline has %d goals of side %d, and the score is %v", number[side], side, score)
		}
		if !shown.isListed {
			at := slices.IndexFunc(rises[side], func(g goal) bool { return g.from.IsZero() || !shown.at.Before(g.from) && shown.at.Before(g.to) })
			if at < 0 {
				return fmt.Sprintf("the timeline has a goal of side %d from %s, and those of the score are %v", side, shown.at, p.rises[side])
			}
			rises[side] = slices.Delete(rises[side], at, at+1)
			continue
		}
		if p.viewed.Before(p.heard) {
			continue
		}
		is := func(g goal) bool { return int(g.side) == side && shown.isIn(g) }
		at := slices.IndexFunc(listed, is)
		if at < 0 && slices.ContainsFunc(earlier, is) {
			continue
		}
		if at < 0 {
			return fmt.Sprintf("the timeline has a goal of side %d in minute %d, and the provider lists %+v", side, shown.minute, p.goals)
		}
		listed = slices.Delete(listed, at, at+1)
	}
	return ""
}

// isIn reports whether a goal is in the minute of one on the provider's list. In stoppage time the minute
// on the scoreboard is the end of the half.
func (s *shownGoal) isIn(g goal) bool {
	if s.added > 0 || g.added > 0 {
		return s.added == g.added
	}
	return s.minute == g.minute
}
