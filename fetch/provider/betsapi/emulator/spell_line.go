package emulator

import (
	"strconv"
	"strings"

	"mkt/fetch/simulator"
)

// spellTotal is a plain over or under: the line is the name.
func spellTotal(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{header: capital(s.Outcome), name: s.Line}
}

// spellGoalLine writes Asian totals: "2.5, 3.0", whole lines with a nought.
func spellGoalLine(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	l, _ := strconv.ParseFloat(s.Line, 64)
	return labels{header: capital(s.Outcome), name: splitLine(l, false)}
}

// spellAsian writes a two-way handicap: each side bears its own sign.
func spellAsian(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	l, _ := strconv.ParseFloat(s.Line, 64)
	return labels{header: sideNumber(s.Outcome, ""), name: splitLine(l, true)}
}

// splitLine writes a line as the two lines a quarter stake is split over:
// "0.0, -0.5" for -0.25; the part nearer to nought comes first.
func splitLine(l float64, signed bool) string {
	quarter := l*2 != float64(int(l*2))
	if !quarter {
		return oneLine(l, signed)
	}
	low, high := l-0.25, l+0.25
	if l < 0 {
		low, high = high, low
	}
	return oneLine(low, signed) + ", " + oneLine(high, signed)
}

func oneLine(l float64, signed bool) string {
	if l == 0 {
		return "0.0" // never "-0.0"
	}
	text := strconv.FormatFloat(l, 'f', 1, 64)
	if signed && l > 0 {
		return "+" + text
	}
	return text
}

// spellEuropean writes a three-way handicap. The line is what home is given; the
// row of the draw carries the away side's sign (betsapi.md, section 6.5).
func spellEuropean(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	line := s.Line
	if s.Outcome != "HOME" {
		line = otherSign(line)
	}
	return labels{header: sideNumber(s.Outcome, "Tie"), handicap: line}
}

// otherSign changes the sign of a written line.
func otherSign(line string) string {
	switch {
	case strings.HasPrefix(line, "-"):
		return "+" + line[1:]
	case strings.HasPrefix(line, "+"):
		return "-" + line[1:]
	default:
		return line
	}
}

func spellTeamTotal(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{header: sideNumber(s.Side, ""), handicap: capital(s.Outcome) + " " + s.Line}
}

func spellFirstMinutes(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{header: capital(s.Outcome), name: "Goals", handicap: s.Line}
}

// spellExact writes a number of goals: "0 Goals", "1 Goal", "7+ Goals".
func spellExact(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	if s.Outcome == "1" {
		return labels{name: "1 Goal"}
	}
	return labels{name: s.Outcome + " Goals"}
}

func spellGoalsBand(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	switch s.Outcome {
	case "0-1":
		return labels{name: "Under 2 goals"}
	case "2-3":
		return labels{name: "2 or 3 goals"}
	default:
		return labels{name: "Over 3 goals"}
	}
}

func spellCornersBand(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	switch from, to, band := strings.Cut(s.Outcome, "-"); {
	case from == "0":
		return labels{name: "Under 6"}
	case band:
		return labels{name: from + " - " + to}
	default:
		return labels{name: "Over 14"}
	}
}

// spellMinutes writes the bands of the sum of goal minutes.
func spellMinutes(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	switch s.Outcome {
	case "OVER", "UNDER":
		return labels{name: capital(s.Outcome) + " " + s.Qualifier + " minutes"}
	default:
		return labels{name: strings.Replace(s.Outcome, "-", " To ", 1) + " minutes inc."}
	}
}

// spellBefore writes that the first of something comes before a minute.
func spellBefore(what string) spelling {
	return func(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
		if s.Outcome == "NO" {
			return labels{name: "No " + what + " before " + s.Qualifier}
		}
		return labels{name: what + " before " + s.Qualifier}
	}
}

func spellTeamBefore(p *teamPair, r simulator.Ref, s simulator.Selection) labels {
	return labels{name: p.team(s.Side) + " - " + spellBefore("Goal")(p, r, s).name}
}

func spellAfter(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	if s.Outcome == "NO" {
		return labels{name: "No Goal after " + s.Qualifier}
	}
	return labels{name: "Goal after " + s.Qualifier}
}

func spellBracket(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	switch s.Outcome {
	case "NO_GOAL":
		return labels{name: "No Goal"}
	case "81+":
		return labels{name: "81 - Full Time"}
	default:
		return labels{name: s.Outcome}
	}
}

var methodWords = map[string]string{"SHOT": "Shot", "HEADER": "Header", "PENALTY": "Penalty",
	"FREE_KICK": "Free Kick", "OWN_GOAL": "Own Goal", "NO_GOAL": "No Goal"}

func spellMethod(_ *teamPair, _ simulator.Ref, s simulator.Selection) labels {
	return labels{name: methodWords[s.Outcome]}
}
