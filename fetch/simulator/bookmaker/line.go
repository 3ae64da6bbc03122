package bookmaker

import (
	"math"
	"strconv"
)

// halfLine is the half line nearest to a mean, at least 0.5.
func halfLine(mean float64) float64 { return max(math.Floor(mean)+0.5, 0.5) }

func lineText(l float64) string {
	return strconv.FormatFloat(l, 'f', -1, 64)
}

func signedText(l float64) string {
	if l > 0 {
		return "+" + lineText(l)
	}
	return lineText(l + 0) // +0 turns -0 into 0
}

// even converts a bet whose stake may be returned to the probability of a plain one with
// the same fair price. win and push are those of the two halves of a stake.
func even(win, push [2]float64) float64 {
	back := 2 - push[0] - push[1]
	if back <= 0 {
		return 0
	}
	return (win[0] + win[1]) / back
}

// quarters returns the two lines that the stake on a quarter line is split over.
func quarters(l float64) [2]float64 {
	if math.Mod(math.Abs(l)*4, 2) == 0 {
		return [2]float64{l, l}
	}
	return [2]float64{l - 0.25, l + 0.25}
}
