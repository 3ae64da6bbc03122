// Package suspicion compares the prices of a fixture's markets. It marks rows whose prices contradict
// the meaning of their labels, and reports markets that look mapped wrongly.
package suspicion

import "mkt/publish/football"

// Look returns the suspicions about the markets of one fixture. It calls report, which may
// be nil, with each and its evidence.
func (s *Detector) Look(markets []football.Market, report func(kind Kind, m *football.Market, seen string)) Counts {
	s.counts, s.report, s.leads, s.pairs = Counts{}, report, s.leads[:0], s.pairs[:0]
	all := questions()
	for i := range markets {
		m := &markets[i]
		if m.Origin != football.Mapped {
			continue
		}
		q := all[m.Canonical]
		if q == nil {
			continue
		}
		if q.outcomes != nil {
			s.market(m, q)
			s.comparePairs(markets, i, q)
		}
		if q.leader != noLeader && len(s.leads) < maxLeads {
			if ratio := s.ratio(m, q); ratio >= clearLead || ratio > 0 && ratio <= 1/clearLead {
				s.leads = append(s.leads, lead{i, q.leader, ratio > 1})
			}
		}
	}
	s.compareLeads(markets)
	return s.counts
}
