package bookmaker

import (
	"math"
	"strconv"
)

const played = 95.0 // minutes over which the goals of a match are distributed

func priceFirstTeam(s *basis, m *Market) {
	none := s.m.full[0][0]
	m.add(Selection{Outcome: "HOME"}, (1-none)*s.share(0), marginMany)
	m.add(Selection{Outcome: "NO_GOAL"}, none, marginMany)
	m.add(Selection{Outcome: "AWAY"}, (1-none)*s.share(1), marginMany)
}

func priceGoalMethod(s *basis, m *Market) {
	none := s.m.full[0][0]
	for i, method := range [...]string{"SHOT", "HEADER", "PENALTY", "FREE_KICK", "OWN_GOAL"} {
		m.add(Selection{Outcome: method}, (1-none)*[...]float64{0.68, 0.17, 0.08, 0.04, 0.03}[i], marginMany)
	}
	m.add(Selection{Outcome: "NO_GOAL"}, none, marginMany)
}

// evenMinute is when the chance of at least one event, of a number with that mean,
// reaches a half.
func evenMinute(mean, lowest, highest float64) float64 {
	return math.Round(min(max(math.Ln2/mean*played, lowest), highest))
}

// minuteText formats a moment of the match as bookmakers do: "27:00".
func minuteText(minute float64) string { return strconv.Itoa(int(minute)) + ":00" }

// before prices a yes if the first event comes before an even minute. mean is the expected
// number of events in a match.
func priceBefore(m *Market, s Selection, mean, lowest, highest float64) {
	minute := evenMinute(mean, lowest, highest)
	s.Qualifier = minuteText(minute)
	m.yesNo(s, 1-math.Exp(-mean*minute/played))
}

func priceEarlyGoal(s *basis, m *Market) { priceBefore(m, Selection{}, s.m.home+s.m.away, 9, 60) }

func priceLateGoal(s *basis, m *Market) {
	mean := s.m.home + s.m.away
	minute := 90 - evenMinute(mean, 9, 60)/1.4
	minute = math.Round(minute)
	m.yesNo(Selection{Qualifier: strconv.Itoa(int(minute)) + ":59"}, 1-math.Exp(-mean*(played-minute)/played))
}

func priceTimeOfFirstGoal(s *basis, m *Market) {
	mean := s.m.home + s.m.away
	alive := 1.0
	for from := 0; from <= 80; from += 10 {
		to, text := from+10, strconv.Itoa(from+1)+"-"+strconv.Itoa(from+10)
		if from == 80 {
			to, text = int(played), "81+"
		}
		p := alive * (1 - math.Exp(-mean*float64(to-from)/played))
		m.add(Selection{Outcome: text}, p, marginMany)
		alive -= p
	}
	m.add(Selection{Outcome: "NO_GOAL"}, alive, marginMany)
}

func priceTimeOfTeamGoal(s *basis, m *Market) {
	priceBefore(m, Selection{Side: "HOME"}, s.m.home, 15, 85)
	priceBefore(m, Selection{Side: "AWAY"}, s.m.away, 15, 85)
}

func priceGoalMinutes(s *basis, m *Market) {
	mean := (s.m.home + s.m.away) * 49
	low := math.Round(mean/5)*5 - 10
	high := low + 20
	spread := 55 * math.Sqrt(s.m.home+s.m.away) / 1.6
	under := phi((low - mean) / spread)
	over := 1 - phi((high-mean)/spread)
	m.add(Selection{Outcome: "OVER", Qualifier: lineText(high)}, over, marginMany)
	m.add(Selection{Outcome: lineText(low) + "-" + lineText(high)}, 1-under-over, marginMany)
	m.add(Selection{Outcome: "UNDER", Qualifier: lineText(low)}, under, marginMany)
}

// phi is the cumulative normal distribution.
func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

func priceFirstTime(mean func(*basis) float64) func(*basis, *Market) {
	return func(s *basis, m *Market) { priceBefore(m, Selection{}, mean(s), 4, 60) }
}
