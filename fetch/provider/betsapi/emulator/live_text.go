package emulator

import (
	"fmt"
	"strconv"

	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/play"
)

// raced reports whether a side is the first to 3, 5, 7 or 9 corners.
func raced(corners [2]int, side play.Side) bool {
	n := corners[side]
	return n >= 3 && n <= 9 && n%2 == 1 && corners[side.Other()] < n
}

// goalText writes a goal without its minute. Both blanks before the team are recorded.
func goalText(t feed.Reported, team string, nth int) string {
	text := fmt.Sprintf("%s Goal - %s  (%s) -", ordinal(nth), t.Player, team)
	if t.Method != "" {
		text += " " + t.Method
	}
	if t.Second != "" {
		text += " (Assist: " + t.Second + ")"
	}
	return text
}

// minuteText writes the minute under way, "12' - ", in stoppage time "45+1' - ".
func minuteText(c play.Clock) string {
	minute, added := c.Minute()
	if added > 0 {
		return fmt.Sprintf("%d+%d' - ", minute, added)
	}
	return fmt.Sprintf("%d' - ", minute)
}

func ordinal(n int) string {
	end := "th"
	if n%100/10 != 1 && n%10 <= 3 {
		end = [...]string{"th", "st", "nd", "rd"}[n%10]
	}
	return strconv.Itoa(n) + end
}
