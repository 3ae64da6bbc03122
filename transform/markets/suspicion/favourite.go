package suspicion

import (
	"mkt/publish/football"
	"mkt/transform/markets/price"
)

// ratio returns the price of the away side divided by the home side's; 0 if the market does not
// tell.
func (s *Detector) ratio(m *football.Market, q *question) float64 {
	switch q.leader {
	case byHandicap:
		return s.handicapRatio(len(q.outcomes) - 1)
	case byDoubleChance:
		return pairRatio(m, "1X", "X2")
	case byLabel:
		for _, pair := range labelPairs {
			if ratio := pairRatio(m, pair[0], pair[1]); ratio != 0 {
				return ratio
			}
		}
		return 0
	}
	return pairRatio(m, "HOME", "AWAY")
}

// pairRatio divides the price of the second selection by the first one's; it is 0 if one of them
// has none.
func pairRatio(m *football.Market, first, second string) float64 {
	var a, b float64
	for i := range m.Selections {
		switch sel := &m.Selections[i]; {
		case !sel.Quality.Publishable:
		case sel.Selection == first:
			a = price.Of(sel)
		case sel.Selection == second:
			b = price.Of(sel)
		}
	}
	if a == 0 || b == 0 {
		return 0
	}
	return b / a
}

// handicapRatio is the ratio from the collected handicap. A side is the favourite if it is
// cheaper although it gives goals, or about as cheap although it gives half a goal or more. If
// lines contradict each other, it is 0.
func (s *Detector) handicapRatio(last int) float64 {
	var home, away float64
	for i := range s.list {
		k := &s.list[i]
		if k.price[0] == 0 || k.price[last] == 0 {
			continue
		}
		switch ratio := k.price[last] / k.price[0]; {
		case k.line <= 0 && ratio >= clearLead, k.line <= -halfGoal && ratio >= evenLead:
			home = max(home, ratio, clearLead)
		case k.line >= 0 && ratio <= 1/clearLead, k.line >= halfGoal && ratio <= 1/evenLead:
			away = min(ratio, 1/clearLead)
		}
	}
	if home != 0 && away != 0 {
		return 0
	}
	return home + away
}

// compareLeads compares the favourites of each period with the favourite of the most trusted
// market.
func (s *Detector) compareLeads(markets []football.Market) {
	for i, l := range s.leads {
		m := &markets[l.market]
		believed := i
		for k, other := range s.leads {
			if other.leader < s.leads[believed].leader && markets[other.market].Period == m.Period {
				believed = k
			}
		}
		b := s.leads[believed]
		if b.home == l.home {
			continue
		}
		kind := OtherFavourite
		if l.leader == byLabel {
			kind = SwappedLabels
		}
		s.note(kind, m, "the favourite is %s, and %s in %s", sideName(l.home), sideName(b.home), markets[b.market].Canonical)
	}
}

func sideName(isHome bool) string {
	if isHome {
		return "HOME"
	}
	return "AWAY"
}
