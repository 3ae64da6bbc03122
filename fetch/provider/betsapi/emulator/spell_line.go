package emulator

import (
	"strconv"
	"strings"

	"mkt/fetch/simulator"
)

// sayTotal is a plain over or under: the line is the name.
func sayTotal(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	return spoken{header: capital(s.Outcome), name: s.Line}
}

// sayGoalLine writes Asian totals: "2.5, 3.0", whole lines with a nought.
func sayGoalLine(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	l, _ := strconv.ParseFloat(s.Line, 64)
	return spoken{header: capital(s.Outcome), name: splitLine(l, false)}
}

// sayAsian writes a two-way handicap: each side bears its own sign.
func sayAsian(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	l, _ := strconv.ParseFloat(s.Line, 64)
	return spoken{header: sideNumber(s.Outcome, ""), name: splitLine(l, true)}
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

// sayEuropean writes a three-way handicap. The line is what home is given; the
// row of the draw carries the away side's sign (betsapi.md, section 6.5).
func sayEuropean(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	line := s.Line
	if s.Outcome != "HOME" {
		line = otherSign(line)
	}
	return spoken{header: sideNumber(s.Outcome, "Tie"), handicap: line}
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

func sayTeamTotal(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	return spoken{header: sideNumber(s.Side, ""), handicap: capital(s.Outcome) + " " + s.Line}
}

func sayFirstMinutes(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	return spoken{header: capital(s.Outcome), name: "Goals", handicap: s.Line}
}

// sayExact writes a number of goals: "0 Goals", "1 Goal", "7+ Goals".
func sayExact(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	if s.Outcome == "1" {
		return spoken{name: "1 Goal"}
	}
	return spoken{name: s.Outcome + " Goals"}
}

func sayGoalsBand(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	switch s.Outcome {
	case "0-1":
		return spoken{name: "Under 2 goals"}
	case "2-3":
		return spoken{name: "2 or 3 goals"}
	default:
		return spoken{name: "Over 3 goals"}
	}
}

func sayCornersBand(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	switch from, to, band := strings.Cut(s.Outcome, "-"); {
	case from == "0":
		return spoken{name: "Under 6"}
	case band:
		return spoken{name: from + " - " + to}
	default:
		return spoken{name: "Over 14"}
	}
}

// sayMinutes writes the bands of the sum of goal minutes.
func sayMinutes(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	switch s.Outcome {
	case "OVER", "UNDER":
		return spoken{name: capital(s.Outcome) + " " + s.Qualifier + " minutes"}
	default:
		return spoken{name: strings.Replace(s.Outcome, "-", " To ", 1) + " minutes inc."}
	}
}

// sayBefore writes that the first of something comes before a minute.
func sayBefore(what string) spelling {
	return func(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
		if s.Outcome == "NO" {
			return spoken{name: "No " + what + " before " + s.Qualifier}
		}
		return spoken{name: what + " before " + s.Qualifier}
	}
}

func sayTeamBefore(p *teamPair, r simulator.Ref, s simulator.Selection) spoken {
	return spoken{name: p.team(s.Side) + " - " + sayBefore("Goal")(p, r, s).name}
}

func sayAfter(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	if s.Outcome == "NO" {
		return spoken{name: "No Goal after " + s.Qualifier}
	}
	return spoken{name: "Goal after " + s.Qualifier}
}

func sayBracket(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	switch s.Outcome {
	case "NO_GOAL":
		return spoken{name: "No Goal"}
	case "81+":
		return spoken{name: "81 - Full Time"}
	default:
		return spoken{name: s.Outcome}
	}
}

var methodWords = map[string]string{"SHOT": "Shot", "HEADER": "Header", "PENALTY": "Penalty",
	"FREE_KICK": "Free Kick", "OWN_GOAL": "Own Goal", "NO_GOAL": "No Goal"}

func sayMethod(_ *teamPair, _ simulator.Ref, s simulator.Selection) spoken {
	return spoken{name: methodWords[s.Outcome]}
}
