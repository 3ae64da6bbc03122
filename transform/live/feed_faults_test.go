package live_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live"
)

// running returns lines of a script, one every 8 s of play from a second of the match until just before
// another, each with the rest of a line. Half-time is a quarter of an hour.
func running(half, from, to int, rest string) (lines []string) {
	for second := from; second < to; second += 8 {
		lines = append(lines, fmt.Sprintf("%d %d:%d:%d %s", second+900*(half-1), half, second/60, second%60, rest))
	}
	return lines
}

// A provider says in two samples that a match has ended, and play goes on: the end is gone, the half did not
// begin again, and its minutes before and after are known.
func TestEndThatPlayFollows(t *testing.T) {
	const rest = "ss=0-0 dangerous_attacks=9/9"
	for half, begins := range map[int]int{1: 0, 2: 2700} {
		for _, ended := range []string{rest, "", "ss=0-0"} { // what the two samples have beside their clock
			for _, at := range []int{24, 304, 2400} {
				lines := running(half, begins, begins+at, rest)
				for _, second := range []int{begins + at, begins + at + 8} {
					lines = append(lines, fmt.Sprintf("%d %d:%d:%d status=over %s", second+900*(half-1), half, second/60, second%60, ended))
				}
				if s := played(t, lines...); s.InPlay() || s.Live().Visual.State != football.VisualFullTime {
					t.Errorf("half %d, ended at %d: %+v", half, at, s.Live().Visual)
				}
				s := played(t, append(lines, running(half, begins+at+16, begins+2640, rest)...)...)
				l := s.Live()
				count := map[football.VisualState]int{}
				for _, e := range l.Timeline {
					count[e.State]++
				}
				if !l.InPlay || count[football.VisualFullTime] != 0 || count[football.VisualKickOff] != 1 {
					t.Errorf("half %d, ended at %d: %v", half, at, statesOf(s))
				}
				if p := l.Periods[half-1]; p.Minutes-p.Known > 2 || p.Minutes != 44 {
					t.Errorf("half %d, ended at %d with %q: %+v", half, at, ended, p)
				}
			}
		}
	}
}

// A half-time that is called in play and taken back is no half-time; the true one stays.
func TestBreakThatPlayFollows(t *testing.T) {
	const rest = "ss=0-0 dangerous_attacks=9/9"
	lines := append(running(1, 2400, 2640, rest), "2640 2:44:00* "+rest, "2648 2:44:00* "+rest)
	lines = append(append(lines, running(1, 2656, 2720, rest)...), "2720 2:45:00* "+rest, "3600 2:45:00* "+rest)
	got := statesOf(played(t, append(lines, running(2, 2708, 2900, rest)...)...))
	want := []string{"2400 CALM NONE INFERRED in 40", "2720 HALF_TIME NONE INFERRED in 45", "3608 KICK_OFF NONE INFERRED in 45", "3632 CALM NONE INFERRED in 45"}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// The second half is first seen when it is a minute and a half old: it began between two samples. What is first
// seen of all does not show the kick-off.
func TestSecondHalfIsSeenLate(t *testing.T) {
	const rest = "ss=0-0 dangerous_attacks=9/9"
	for _, pause := range []int{8, 120} { // between the last sample of the break and the first of the half
		lines := append(running(1, 2600, 2700, rest), "2704 1:45:00* "+rest, fmt.Sprintf("%d 1:45:00* %s", 3694-pause, rest))
		got := statesOf(played(t, append(lines, running(2, 2794, 2900, rest)...)...))
		if !slices.Contains(got, "3694 KICK_OFF NONE INFERRED in 46") {
			t.Errorf("%v", got)
		}
	}
	for _, lines := range [][]string{running(2, 2794, 2900, rest), append(running(1, 2600, 2700, rest), running(2, 2900, 3000, rest)...)} {
		if got := statesOf(played(t, lines...)); slices.ContainsFunc(got, func(s string) bool { return len(s) > 12 && s[5:13] == "KICK_OFF" }) {
			t.Errorf("%v", got)
		}
	}
}

// After the end a result is awarded: it makes no goals. A goal of the last seconds that the list has is one.
func TestAwardedResultMakesNoGoals(t *testing.T) {
	const before, ended = "ss=0-1 dangerous_attacks=9/9", "6300 2:90:00* status=over ss=0-1 dangerous_attacks=9/9"
	lines := append(running(2, 5200, 5224, "ss=0-0 dangerous_attacks=9/9"), append(running(2, 5224, 5400, before), ended, "6308 2:90:00* status=over ss=3-0 dangerous_attacks=9/9")...)
	s := played(t, lines...)
	wantEvents(t, s, football.VisualGoal)
	if l := s.Live(); l.Score.Home.Or(-1) != 3 || l.Visual.State != football.VisualFullTime {
		t.Errorf("%+v %+v", l.Score, l.Visual)
	}
	lines[len(lines)-1] = "6308 2:90:00* status=over ss=1-1 dangerous_attacks=9/9 inc=1:GOAL:88:AWAY inc=2:GOAL:90+4:HOME"
	wantEvents(t, played(t, lines...), football.VisualGoal, "88 EXACT", "91 EXACT")
}

// Home and away are exchanged in play: the match starts again in the other order, and nothing of one side is
// counted for the other.
func TestSidesThatAreExchanged(t *testing.T) {
	var state *live.State
	for second := 0; second < 1200; second += 8 {
		s := sample(t, start.Add(time.Duration(second)*time.Second), []string{fmt.Sprintf("1:%d:%d", second/60, second%60),
			fmt.Sprintf("dangerous_attacks=%d/0", second/60), "ss=1-0"})
		if second < 40 {
			s.Score.Home = football.Of(0)
		}
		if second >= 600 {
			s.Home, s.Away = s.Away, s.Home
			s.Score.Home, s.Score.Away = s.Score.Away, s.Score.Home
			for i := range s.Counters {
				s.Counters[i].Home, s.Counters[i].Away = s.Counters[i].Away, s.Counters[i].Home
			}
			s.Incidents = football.Of([]input.Incident{{ID: "1", Kind: input.IncidentGoal, Minute: 1, Side: football.SideAway}})
		}
		next := live.Fold(state, s)
		state = &next
		promises(t, state)
		l := state.Live()
		for _, e := range l.Timeline {
			if wrong := football.Sides()[bit(second < 600)]; e.SideProven == wrong {
				t.Fatalf("at %d: %v", second, statesOf(state))
			}
		}
		if sum := l.Periods[0]; sum.KnownHome > 0 && sum.KnownAway > 0 {
			t.Fatalf("at %d: %+v", second, sum)
		}
	}
	if m := state.Momentum(); !m.Available() || m.Leader != football.LeaderAway {
		t.Errorf("%+v", m)
	}
	wantEvents(t, state, football.VisualGoal, "1 EXACT")
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// A half that was not seen for a second is not known, and not zero.
func TestHalfWithoutAMinute(t *testing.T) {
	for _, line := range []string{"0 1:0:00 dangerous_attacks=0/0", "0 2:45:00 dangerous_attacks=0/0"} {
		periods := played(t, line).Live().Periods
		if p := periods[len(periods)-1]; p.State != football.BucketMissing {
			t.Errorf("%s: %+v", line, p)
		}
	}
}
