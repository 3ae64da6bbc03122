package compare

import (
	"strings"

	"mkt/publish/football"
)

// MarketWords returns the market for people, with its period and the side or player of the
// selection.
func (c Change) MarketWords() string {
	words := []string{c.Market, c.Period}
	if c.Subject != c.Selection {
		words = append(words, c.side(c.Subject))
	}
	if c.Subject2 != "" {
		words = append(words, "("+c.side(c.Subject2)+")")
	}
	return joinWords(words)
}

// SelectionWords returns the selection for people, with its line, the side of the line, and the
// team.
func (c Change) SelectionWords() string {
	line := c.Line
	if c.LineOf != "" && c.LineOf != c.Selection {
		line = "(" + c.LineOf + " " + c.Line + ")"
	}
	words := []string{c.Selection, line, c.Qualifier}
	if team := c.team(c.Selection); team != "" {
		words = append(words, team)
	}
	return joinWords(words)
}

func (c Change) side(subject string) string { return joinWords([]string{subject, c.team(subject)}) }

func (c Change) team(side string) string {
	switch side {
	case "HOME":
		return c.Home
	case "AWAY":
		return c.Away
	}
	return ""
}

func joinWords(words []string) string {
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// lineOf returns the side with a handicap: with two outcomes the side of the
// selection, with three always the home side. It is empty for other lines.
func lineOf(market, selection string) string {
	term, known := football.Lookup(market)
	switch {
	case !known:
		return ""
	case term.Line.Has(football.EuropeanHandicap):
		return "HOME"
	case term.Line.Has(football.AsianHandicap):
		return selection
	}
	return ""
}

func explainOf(c Change) string {
	switch {
	case c.SelectionID != "":
		return c.SelectionID
	case c.MarketID != "":
		return c.MarketID
	case c.What == CounterMoved:
		metric, _, _ := strings.Cut(c.Field, " ")
		return c.FixtureID + "/counter/" + metric
	case strings.HasPrefix(c.Field, "score_"):
		return c.FixtureID + "/score"
	case strings.HasPrefix(c.Field, "clock_"):
		return c.FixtureID + "/clock"
	case strings.HasPrefix(c.Field, "momentum_"):
		return c.FixtureID + "/momentum"
	}
	return c.FixtureID
}
