package coverage

import (
	"cmp"
	"slices"

	"mkt/publish/football"
)

// Example is one market or selection in the payloads.
type Example struct {
	Payload, Bookmaker string
	Fixture            string // provider fixture id
	Words              string // of one selection, with its price, as the provider wrote them; "" if it has none
}

// RawName is the name of RAW markets, with their number.
type RawName struct {
	Key, Name           string
	Reason              football.Reason
	Markets, Selections int
	Example             Example // the first one
}

// RawNames lists the names of the RAW markets, by their number, and then by key.
func (c *Report) RawNames() []RawName {
	type id struct {
		key, name string
		reason    football.Reason
	}
	var names []RawName
	place := make(map[id]int)
	c.each(func(p *Payload, m *Market) {
		if m.RawReason == "" || m.WithoutPrices {
			return
		}
		of := id{m.Key, m.Name, m.RawReason}
		at, met := place[of]
		if !met {
			at = len(names)
			place[of] = at
			names = append(names, RawName{Key: m.Key, Name: m.Name, Reason: m.RawReason, Example: Example{p.Name, p.Bookmaker, m.Fixture, m.Examples[football.MarketNotMapped]}})
		}
		names[at].Markets++
		names[at].Selections += m.Selections
	})
	slices.SortFunc(names, func(a, b RawName) int {
		return cmp.Or(cmp.Compare(b.Markets, a.Markets), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Reason, b.Reason))
	})
	return names
}

// Unpublished are the selections of one mapped market that are not publishable for one reason.
type Unpublished struct {
	Reason                          football.Reason
	Key, Canonical, Period, Subject string // Subject is the side of the market, "" if it is about none
	Selections                      int
	Example                         Example // the first one
}

// Unpublished lists the selections of mapped markets that are not publishable, by reason, and
// then by their number. It leaves out selections not on offer: they were read.
func (c *Report) Unpublished() []Unpublished {
	type id struct {
		reason                          football.Reason
		key, canonical, period, subject string
	}
	var all []Unpublished
	place := make(map[id]int)
	c.each(func(p *Payload, m *Market) {
		if m.RawReason != "" || m.WithoutPrices {
			return
		}
		for reason, n := range m.Reasons {
			if isNotOnOffer(reason) {
				continue
			}
			of := id{reason, m.Key, m.Canonical, m.Period, m.Subject}
			at, met := place[of]
			if !met {
				at = len(all)
				place[of] = at
				all = append(all, Unpublished{Reason: reason, Key: m.Key, Canonical: m.Canonical, Period: m.Period, Subject: m.Subject,
					Example: Example{p.Name, p.Bookmaker, m.Fixture, m.Examples[reason]}})
			}
			all[at].Selections += n
		}
	})
	slices.SortFunc(all, func(a, b Unpublished) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(b.Selections, a.Selections), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Canonical, b.Canonical),
			cmp.Compare(a.Period, b.Period), cmp.Compare(a.Subject, b.Subject))
	})
	return all
}

func (c *Report) each(do func(*Payload, *Market)) {
	for i := range c.Payloads {
		for k := range c.Payloads[i].Markets {
			do(&c.Payloads[i], &c.Payloads[i].Markets[k])
		}
	}
}
