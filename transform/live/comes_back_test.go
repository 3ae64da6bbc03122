package live_test

import (
	"fmt"
	"testing"

	"mkt/publish/football"
	"mkt/transform/live"
)

// Two events are listed, the answers of 16 s have neither them nor their count, and then they are there
// as before: they are in their minutes, however long ago those were, and so are the points of corners.
func TestEventsThatComeBackWithTheirLines(t *testing.T) {
	for _, lists := range []string{"1:6 2:8", "3:6 4:8", "2:8 1:6"} { // the provider may number them again
		steps := []aStep{{300, 0, ""}, {420, 1, "1:6"}, {900, 2, "1:6 2:8"}, {924, 0, "-"}, {936, 2, lists}, {1500, 2, lists}}
		runs(t, steps, func(t *testing.T, second int, kind football.VisualState, s *live.State) {
			switch {
			case second >= 924 || second >= 430 && second < 900:
				wantEvents(t, s, kind, "6 EXACT", "8 EXACT")
			case second >= 900:
				wantEvents(t, s, kind)
			}
			if b := s.Live().Series.Buckets; kind == football.VisualCorner && second >= 930 && (b[5].Home != 2 || b[7].Home != 2 || b[15].Home != 0) {
				t.Fatalf("minute 6 %+v, minute 8 %+v, minute 16 %+v", b[5], b[7], b[15])
			}
		})
	}
}

// An event came back after an empty answer, another one follows and is listed twice: the first one stays.
func TestListedTwiceAfterAnEmptyAnswer(t *testing.T) {
	steps := []aStep{{300, 0, "-"}, {600, 1, "1:6"}, {612, 0, "-"}, {636, 1, "1:6"}, {660, 2, "1:6 2:11"}, {720, 2, "1:6 2:11 3:11"}, {900, 2, "1:6 2:11"}}
	runs(t, steps, func(t *testing.T, second int, kind football.VisualState, s *live.State) {
		if second >= 636 {
			wantEvents(t, s, kind, "6 EXACT", "11 EXACT")
		}
	})
}

// The video assistant takes an event back, its line leaves, and after four minutes both are back: it is in
// its minute, whether its line is back before, with or after its count.
func TestEventThatIsGivenBackLate(t *testing.T) {
	for _, later := range []int{-24, 0, 24} {
		steps := []aStep{{300, 0, ""}, {420, 1, "1:6"}, {660 + min(0, later), 0, "-"}, {660 - min(0, later), 0, "1:6"}, {900, 1, "1:6"}}
		if later > 0 {
			steps[2].until, steps[3] = 660, aStep{660 + later, 1, "-"}
		}
		runs(t, steps, func(t *testing.T, second int, kind football.VisualState, s *live.State) {
			switch {
			case second >= 430 && second < 660-24:
				wantEvents(t, s, kind)
			case second >= 660+24:
				wantEvents(t, s, kind, "6 EXACT")
			}
		})
	}
}

// The same over the break: what an empty answer at the beginning of the second half took away is in the
// first half again.
func TestEventsThatComeBackInTheNextHalf(t *testing.T) {
	for _, empty := range []int{2680, 3600, 3612} {
		var state *live.State
		for second := 2400; second < 4000; second += 12 {
			count, listed := "1-0", " inc=1:GOAL:41:HOME"
			if second < 2412 || second >= empty && second < empty+24 {
				count, listed = "0-0", " inc="
			}
			clock := fmt.Sprintf("1:%d:%d", second/60, second%60)
			switch {
			case second >= 3600:
				clock = fmt.Sprintf("2:%d:%d", (second-900)/60, second%60)
			case second >= 2700:
				clock = "1:45:00*"
			}
			next := step(t, state, fmt.Sprintf("%d %s ss=%s dangerous_attacks=9/9%s", second, clock, count, listed))
			state = &next
			promises(t, state)
			if second >= 2412 && count == "1-0" {
				wantEvents(t, state, football.VisualGoal, "41 EXACT")
			}
		}
	}
}

// A line that its counter never showed does not replace an event that the list does not have yet, nor one from
// before the minute of the line.
func TestListDatesNothingItMayNotMean(t *testing.T) {
	const board = " dangerous_attacks=9/9 corners="
	// Listed long before the next corner is counted.
	lines := []string{"600 1:10:00" + board + "0/0", "612 1:10:12" + board + "0/0 inc=1:CORNER:11:HOME"}
	for second := 624; second < 1200; second += 12 {
		lines = append(lines, fmt.Sprintf("%d 1:%d:%d%s0/0 inc=1:CORNER:11:HOME", second, second/60, second%60, board))
	}
	lines = append(lines, "1200 1:20:00"+board+"1/0 inc=1:CORNER:11:HOME", "1224 1:20:24"+board+"1/0 inc=1:CORNER:11:HOME inc=2:CORNER:21:HOME")
	wantEvents(t, played(t, lines...), football.VisualCorner, "21 EXACT")
	// Counted long before, and never listed.
	lines = []string{"600 1:10:00" + board + "0/0", "612 1:10:12" + board + "1/0"}
	for second := 624; second < 1800; second += 12 {
		listed := " inc="
		if second >= 1200 {
			listed = " inc=2:CORNER:21:HOME"
		}
		lines = append(lines, fmt.Sprintf("%d 1:%d:%d%s1/0%s", second, second/60, second%60, board, listed))
	}
	wantEvents(t, played(t, append(lines, "1800 1:30:00"+board+"2/0"+" inc=2:CORNER:21:HOME inc=3:CORNER:31:HOME")...), football.VisualCorner, "11 INFERRED", "31 EXACT")
}
