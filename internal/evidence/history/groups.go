package history

import (
	"cmp"
	"slices"
	"strings"

	"mkt/publish/football"
	"mkt/publish/table"
)

// Group is a group of markets as a bettor knows them.
type Group struct {
	Name    string
	Markets []*table.MarketRow
}

// The groups, in the order in which they are shown.
var groups = []string{"Main", "Goals", "Handicaps", "Both teams", "Correct score", "Teams", "Halves and intervals", "Corners", "Cards", "Shots and other counts",
	"Players", "Penalties and extra time", "Combined and specials", "Not mapped"}

// mainMarkets are in the group Main if they are of full time.
var mainMarkets = []string{"MATCH_RESULT", "DOUBLE_CHANCE", "DRAW_NO_BET", "ASIAN_HANDICAP", "TOTAL_GOALS", "BOTH_TEAMS_TO_SCORE"}

// groupOf returns the group of a market by its entry in the vocabulary.
func groupOf(m *table.MarketRow) string {
	if m.Market == nil {
		return "Not mapped"
	}
	name, period := *m.Market, text(m.Period)
	term, known := football.Lookup(name)
	if !known {
		return "Combined and specials"
	}
	switch {
	case strings.HasPrefix(term.Subject, "PLAYER"):
		return "Players"
	case term.Dimension == "CORNERS":
		return "Corners"
	case strings.HasSuffix(term.Dimension, "CARDS") || term.Dimension == "BOOKING_POINTS":
		return "Cards"
	case term.Dimension == "PENALTIES" || strings.HasPrefix(period, "ET") || strings.Contains(period, "PEN"):
		return "Penalties and extra time"
	case term.Dimension != "GOALS" && term.Dimension != "RESULT" && term.Dimension != "GOAL_MINUTES":
		return "Shots and other counts"
	case slices.Contains(mainMarkets, name) && period == "FT":
		return "Main"
	case period != "FT" || strings.Contains(name, "HALF") || strings.Contains(name, "HALVES"):
		return "Halves and intervals"
	case strings.Contains(name, "_AND_") || strings.Contains(name, "_OR_"):
		return "Combined and specials"
	case strings.Contains(name, "CORRECT_SCORE"):
		return "Correct score"
	case term.Line.Has(football.AsianHandicap) || term.Line.Has(football.EuropeanHandicap):
		return "Handicaps"
	case strings.HasPrefix(name, "BOTH_TEAMS") || name == "TEAMS_TO_SCORE":
		return "Both teams"
	case strings.HasPrefix(term.Subject, "TEAM"):
		return "Teams"
	case term.Dimension == "GOALS" || term.Dimension == "GOAL_MINUTES":
		return "Goals"
	}
	return "Combined and specials"
}

// outcomesOf returns the outcomes of a market in the order of its entry in the vocabulary.
func outcomesOf(m *table.MarketRow) []string {
	term, known := football.Lookup(text(m.Market))
	if !known {
		return nil
	}
	return strings.Split(term.Selections, "|")
}

// Grouped returns the markets of a fixture in groups. In a group they have the order of the
// vocabulary; unmapped ones come last, in the provider's order.
func Grouped(markets []table.MarketRow) []Group {
	place := map[string]int{}
	for i, t := range football.Vocabulary() {
		place[t.Canonical] = i
	}
	for i, name := range mainMarkets {
		place[name] = i - len(mainMarkets)
	}
	var list []Group
	for _, name := range groups {
		g := Group{Name: name}
		for i := range markets {
			if groupOf(&markets[i]) == name {
				g.Markets = append(g.Markets, &markets[i])
			}
		}
		slices.SortStableFunc(g.Markets, func(a, b *table.MarketRow) int {
			return cmp.Or(cmp.Compare(place[text(a.Market)], place[text(b.Market)]), cmp.Compare(text(a.Period), text(b.Period)), cmp.Compare(a.Ordinal, b.Ordinal))
		})
		if len(g.Markets) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// periods are the canonical periods in words. An interval stands for itself.
var periods = map[string]string{"FT": "", "1H": "first half", "2H": "second half", "ET": "extra time", "ET_1H": "extra time, first half",
	"ET_2H": "extra time, second half", "PEN": "shoot-out", "FT_ET_PEN": "however decided"}

// Title returns a market's name for people: from the vocabulary, in words with its period, or
// the provider's if it is not mapped.
func Title(m *table.MarketRow) string {
	if m.Market == nil {
		return cmp.Or(text(m.MarketName), m.ProviderMarketKey, m.MarketID)
	}
	name := strings.ToLower(strings.ReplaceAll(*m.Market, "_", " "))
	name = strings.ToUpper(name[:1]) + name[1:]
	name = strings.ReplaceAll(name, "asian", "Asian")
	period, known := periods[text(m.Period)]
	if !known {
		period = "minutes " + text(m.Period)
	}
	if period != "" {
		name += ", " + period
	}
	return name
}

// Heading returns the title of a market with its differences from others of the same title: the
// provider's name, if it is another, and the side or player common to all of its selections.
func Heading(m *table.MarketRow) string {
	title := Title(m)
	var besides []string
	if name := text(m.MarketName); name != "" && !strings.EqualFold(name, title) {
		besides = append(besides, name)
	}
	if len(m.Selections) > 0 {
		subject := text(m.Selections[0].Subject)
		other := func(s table.SelectionRow) bool { return text(s.Subject) != subject }
		if subject != "" && subject != "MATCH" && !slices.ContainsFunc(m.Selections, other) {
			besides = append(besides, subject)
		}
	}
	if len(besides) == 0 {
		return title
	}
	return title + " (" + strings.Join(besides, ", ") + ")"
}

// FixtureName returns "home – away", with "(home unknown)" or "(away unknown)" for a missing name.
func FixtureName(f *table.FixtureRow) string {
	return cmp.Or(text(f.Home), "(home unknown)") + " – " + cmp.Or(text(f.Away), "(away unknown)")
}
