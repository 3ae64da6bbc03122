package meant

import (
	"strings"

	"mkt/fetch/simulator/bookmaker"
)

// RowOf returns the meaning of a selection of a market.
func RowOf(r bookmaker.Ref, sel bookmaker.Selection) Row {
	m := Row{Market: r.Market, Period: r.Period, Side: sel.Side + r.Side,
		Selection: sel.Outcome, Line: sel.Line, Qualifier: sel.Qualifier, Subject: sel.Player}
	if m.Qualifier == "" {
		m.Qualifier = r.Parameter
	}
	switch {
	case sel.Player == "":
	case sel.Outcome == "YES":
		m.Selection = sel.Player
	case sel.Outcome != "OVER" && sel.Outcome != "UNDER":
		m.Selection = sel.Player + "&" + sel.Outcome
	}
	return m
}

// DoubtLoneLines marks the rows of handicaps whose line has no price for the home side or
// for any other: nothing confirms the sign. So it does those of three-way totals whose line
// has no row of Exactly.
func DoubtLoneLines(rows []Row) {
	type sides struct{ home, other bool }
	line := func(r *Row) string { // the home side's
		if strings.HasSuffix(r.Market, "ASIAN_HANDICAP") && r.Selection == "AWAY" {
			return bookmaker.OtherSign(r.Line)
		}
		return r.Line
	}
	lines, exactly := make(map[string]sides), make(map[string]bool)
	for i := range rows {
		if rows[i].Selection == "EXACTLY" {
			exactly[rows[i].Line] = true
		}
		if r := &rows[i]; r.Decimal != "" {
			s := lines[line(r)]
			s.home, s.other = s.home || r.Selection == "HOME", s.other || r.Selection != "HOME"
			lines[line(r)] = s
		}
	}
	for i := range rows {
		r := &rows[i]
		if s := lines[line(r)]; strings.Contains(r.Market, "HANDICAP") && !(s.home && s.other) || strings.HasSuffix(r.Market, "_3WAY") && !exactly[r.Line] {
			r.Doubtful = true
		}
	}
}
