package coverage

import (
	"cmp"
	"slices"

	"mkt/publish/football"
)

// Outcome is the result for the markets of one name.
type Outcome struct {
	Key, Name                  string
	Canonical, Period, Subject string          // "" when RAW
	RawReason                  football.Reason // "" when mapped
	Markets                    int
	Selections, Publishable    int
	Reasons                    map[football.Reason]int // of the selections, except that the market is RAW
}

// Outcomes counts markets by their name and result.
type Outcomes struct {
	all   []Outcome
	place map[outcome]int
}

type outcome struct {
	key, name, canonical, period, subject string
	reason                                football.Reason
}

// Add adds one outcome to the counts.
func (o *Outcomes) Add(one Outcome) {
	of := outcome{one.Key, one.Name, one.Canonical, one.Period, one.Subject, one.RawReason}
	at, met := o.place[of]
	if !met {
		if o.place == nil {
			o.place = make(map[outcome]int)
		}
		at = len(o.all)
		o.place[of] = at
		o.all = append(o.all, Outcome{Key: one.Key, Name: one.Name, Canonical: one.Canonical, Period: one.Period, Subject: one.Subject, RawReason: one.RawReason,
			Reasons: make(map[football.Reason]int)})
	}
	a := &o.all[at]
	a.Markets++
	a.Selections += one.Selections
	a.Publishable += one.Publishable
	for reason, n := range one.Reasons {
		if reason != football.MarketNotMapped {
			a.Reasons[reason] += n
		}
	}
}

// List returns the counts, by key, name and result.
func (o *Outcomes) List() []Outcome {
	slices.SortFunc(o.all, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Canonical, b.Canonical), cmp.Compare(a.Period, b.Period),
			cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.RawReason, b.RawReason))
	})
	o.place = nil
	return o.all
}

// Outcomes lists the results of all markets with prices.
func (c *Report) Outcomes() []Outcome {
	var all Outcomes
	c.each(func(_ *Payload, m *Market) {
		if !m.WithoutPrices {
			all.Add(Outcome{Key: m.Key, Name: m.Name, Canonical: m.Canonical, Period: m.Period, Subject: m.Subject, RawReason: m.RawReason,
				Selections: m.Selections, Publishable: m.Publishable, Reasons: m.Reasons})
		}
	})
	return all.List()
}
