package coverage

import (
	"cmp"
	"slices"
	"strings"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
	"mkt/transform/markets/suspicion"
)

// named is a payload of markets with its name in reports.
type named struct {
	name string
	provider.Payload
	bookmaker string
	lacksIt   []string // the payload's bookmakers, if the chosen one is not among them
	err       error    // the file could not be read
}

// newCoverer returns a deriver whose ids are not used.
func newCoverer(p provider.Provider) *markets.Deriver {
	return markets.New(identity.NewMinter(identity.Key{1}, p.Name))
}

func coverPayload(adapter provider.MarketAdapter, l provider.Listing, payload *named, deriver *markets.Deriver) Payload {
	c := Payload{Name: payload.name, Bookmaker: payload.bookmaker, Bookmakers: payload.lacksIt, Err: payload.err}
	if c.Err != nil || c.Bookmakers != nil {
		return c
	}
	sheet, err := adapter.ReadMarkets(payload.Payload, l)
	if err != nil {
		c.Err = err
		return c
	}
	c.Fixtures, c.Broken, c.Damaged, c.Unknown = len(sheet.Fixtures), sheet.Broken, sheet.Damaged, sheet.Unknown
	c.partial = make(map[string]bool, len(sheet.Fixtures))
	for i := range sheet.Fixtures {
		f := &sheet.Fixtures[i]
		id := f.Fixture.ProviderFixtureID
		c.partial[id] = f.Partial
		if f.Fixture.Home.Or("") == "" || f.Fixture.Away.Or("") == "" {
			c.WithoutNames = append(c.WithoutNames, id)
		}
		derived := deriver.Derive(&f.Fixture, f.Offers)
		for k := range derived {
			c.Markets = append(c.Markets, coverMarket(id, &derived[k]))
		}
		new(suspicion.Detector).Look(derived, func(kind suspicion.Kind, m *football.Market, seen string) {
			c.Suspicions = append(c.Suspicions, SuspiciousMarket{kind, id, m.Key, m.Canonical, m.Period, coverMarket(id, m).Subject, seen})
		})
		for k := range f.Offers {
			if o := &f.Offers[k]; len(o.Rows) == 0 {
				c.Markets = append(c.Markets, Market{Fixture: id, Key: o.Key, Name: o.Name.Or(""), WithoutPrices: true, RawReason: o.RawReason})
			}
		}
	}
	return c
}

func coverMarket(fixture string, m *football.Market) Market {
	c := Market{Fixture: fixture, Key: m.Key, Name: m.Name.Or(""), Canonical: m.Canonical, Period: m.Period, RawReason: m.RawReason,
		Selections: len(m.Selections), Reasons: make(map[football.Reason]int), Examples: make(map[football.Reason]string)}
	for i := range m.Selections {
		s := &m.Selections[i]
		if s.Quality.Publishable {
			c.Publishable++
		}
		if c.Subject == "" && (s.Subject == "HOME" || s.Subject == "AWAY") {
			c.Subject = s.Subject
		}
		for _, reason := range s.Quality.Reasons {
			if c.Reasons[reason]++; c.Reasons[reason] == 1 {
				c.Examples[reason] = wordsOf(s)
			}
		}
		reasons := s.Quality.Reasons
		if m.Origin == football.Mapped && len(reasons) > 0 && !slices.ContainsFunc(reasons, func(r football.Reason) bool { return !isNotOnOffer(r) }) {
			c.Suspended++
		}
	}
	return c
}

// isNotOnOffer reports whether a selection was read, but is not on offer now.
func isNotOnOffer(r football.Reason) bool {
	return r == football.Suspended || r == football.OddsNoOffer
}

// wordsOf returns a selection's own words and its price, as the provider wrote them.
func wordsOf(s *football.Selection) string {
	var words []string
	for _, l := range s.Labels {
		if l.Text != "" && !slices.Contains(words, l.Text) {
			words = append(words, l.Text)
		}
	}
	text := strings.Join(words, ", ")
	if price := cmp.Or(s.Odds.Decimal().Or(""), s.Odds.Fractional().Or("")); price != "" {
		text += " @ " + price
	}
	return strings.TrimSpace(text)
}
