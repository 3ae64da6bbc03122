package suspicion

import (
	"slices"
	"strings"
	"sync"

	"mkt/publish/football"
	"mkt/transform/markets/token"
)

// question describes the outcomes of a canonical market.
type question struct {
	outcomes []string // two or three; otherwise none
	happen   float64  // how many of them happen
	handicap bool
	asian    bool // the away side has its own line
	total    bool
	noLine   bool
	leader   leader
}

// leader is the way in which the prices of a market name the favourite. Lower ones are trusted
// more than higher ones.
type leader uint8

const (
	noLeader leader = iota
	byResult
	byDrawNoBet
	byDoubleChance
	byHandicap
	byNextGoal
	byLabel // its selections are labels that could be swapped: scores, and results of both halves
)

// labelPairs are selections of byLabel: the home side's and the away side's.
var labelPairs = [][2]string{{"1-0", "0-1"}, {"2-0", "0-2"}, {"2-1", "1-2"}, {"HOME/HOME", "AWAY/AWAY"}}

// questions has every examined market. Markets about players are left out: their prices are
// one-sided, and their margins are beyond those of other markets.
var questions = sync.OnceValue(func() map[string]*question {
	all := make(map[string]*question)
	for _, t := range football.Vocabulary() {
		q := &question{happen: 1, handicap: t.Line.Has(football.AsianHandicap) || t.Line.Has(football.EuropeanHandicap), asian: t.Line.Has(football.AsianHandicap),
			total: t.Line.Has(football.TotalLine) || t.Line.Has(football.WholeTotalLine), noLine: t.Line == football.NoLine}
		outcomes := strings.Split(t.Selections, "|")
		plain := !strings.ContainsFunc(t.Selections, func(c rune) bool { return strings.ContainsRune(`&/"… `, c) || c >= 'a' && c <= 'z' })
		switch t.Canonical {
		case "MATCH_RESULT":
			q.leader = byResult
		case "DRAW_NO_BET":
			q.leader = byDrawNoBet
		case "DOUBLE_CHANCE":
			q.leader = byDoubleChance
		case "HALF_TIME_OR_FULL_TIME_RESULT":
			plain = false // two of its three outcomes can happen
		case "FIRST_TEAM_TO_SCORE", "LAST_TEAM_TO_SCORE":
			q.leader = byNextGoal
		case "ASIAN_HANDICAP", "HANDICAP_RESULT":
			q.leader = byHandicap
		case "CORRECT_SCORE", "HALF_TIME_FULL_TIME":
			q.leader = byLabel
		}
		if slices.Equal(outcomes, []string{"1X", "12", "X2"}) {
			q.happen = 2
		}
		if plain && len(outcomes) <= 3 && len(outcomes) >= 2 && !strings.HasPrefix(t.Subject, "PLAYER") {
			q.outcomes = outcomes
		}
		if q.outcomes != nil || q.leader != noLeader {
			all[t.Canonical] = q
		}
	}
	return all
})

// isOffer reports whether the price of a read row counts: it is publishable, or nothing but the other prices speaks
// against it. What is wrong with a three-way total is known before.
func (q *question) isOffer(s *football.Selection) bool {
	return s.Quality.Publishable || len(s.Quality.Reasons) == 1 && s.Quality.Reasons[0] == football.AmbiguousShape && !(q.total && len(q.outcomes) == 3)
}

func (q *question) lacksLine(s *football.Selection) bool {
	return !q.noLine && s.Line == "" && (q.total || q.handicap)
}

// lineOf returns the line of a selection, as the home side's in a handicap.
func (q *question) lineOf(s *football.Selection) token.Quarters {
	if s.Line == "" {
		return 0
	}
	line, _, _ := token.ParseNumber(s.Line)
	if q.asian && s.Selection == "AWAY" {
		line = -line
	}
	return line
}
