package emulator

import (
	"strconv"
	"time"

	"mkt/fetch/simulator"
)

// raced reports whether a side is the first to 3, 5, 7 or 9 corners.
func raced(corners [2]int, side simulator.Side) bool {
	n := corners[side]
	return n >= 3 && n <= 9 && n%2 == 1 && corners[side.Other()] < n
}

func appendGoal(b []byte, t simulator.Reported, team string, nth int) []byte {
	b = append(append(appendOrdinal(b, nth), " Goal - "...), t.Player...)
	b = append(appendBracket(append(b, "  "...), team), " -"...)
	if t.Method != "" {
		b = append(append(b, ' '), t.Method...)
	}
	if t.Second != "" {
		b = append(append(append(b, " (Assist: "...), t.Second...), ')')
	}
	return b
}

func appendBracket(b []byte, team string) []byte {
	return append(append(append(b, '('), team...), ')')
}

// appendMinute writes the minute under way, "12' - ", in stoppage time
// "45+1' - ".
func appendMinute(b []byte, c simulator.Clock) []byte {
	minute := int(c.Shown/time.Minute) + 1
	if last := lastMinute(c.Phase); minute > last {
		b = strconv.AppendInt(b, int64(last), 10)
		b = strconv.AppendInt(append(b, '+'), int64(minute-last), 10)
	} else {
		b = strconv.AppendInt(b, int64(minute), 10)
	}
	return append(b, "' - "...)
}

func lastMinute(p simulator.Phase) int {
	switch p {
	case simulator.FirstHalf:
		return 45
	case simulator.SecondHalf:
		return 90
	case simulator.ExtraFirst:
		return 105
	}
	return 120
}

func appendOrdinal(b []byte, n int) []byte {
	b = strconv.AppendInt(b, int64(n), 10)
	switch {
	case n%100/10 == 1:
		return append(b, "th"...)
	case n%10 == 1:
		return append(b, "st"...)
	case n%10 == 2:
		return append(b, "nd"...)
	case n%10 == 3:
		return append(b, "rd"...)
	}
	return append(b, "th"...)
}

// appendInterval writes "2:0 Corners 10:00 - 19:59".
func appendInterval(b []byte, name string, n [2]int64, between byte, i int) []byte {
	b = strconv.AppendInt(b, n[0], 10)
	b = strconv.AppendInt(append(b, between), n[1], 10)
	b = append(append(append(b, ' '), name...), ' ')
	if i == 0 {
		return append(b, "00:00 - 09:59"...)
	}
	b = append(b, byte('0'+i), '0', ':', '0', '0', ' ', '-', ' ')
	return append(b, byte('0'+i), '9', ':', '5', '9')
}
