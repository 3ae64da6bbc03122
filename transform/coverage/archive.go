package coverage

import (
	"fmt"
	"slices"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
)

// OfArchive reads the payloads of a raw cycle with its own list of fixtures, as the pipeline
// does. If several payloads have a fixture, it counts in the one used by the pipeline. A fixture
// which is over, or not listed, does not count.
func OfArchive(a *raw.Archive, p provider.Provider) (Report, error) {
	return ofArchive(a, p, func(*Payload) {})
}

// Problems is [OfArchive] without the markets: it reports unreadable parts and suspicions, by
// payload. Its memory does not depend on the size of the cycle, unless everything is wrong.
func Problems(a *raw.Archive, p provider.Provider) (Report, error) {
	return ofArchive(a, p, func(c *Payload) { c.Markets, c.WithoutNames = nil, nil })
}

// ofArchive calls shorten with the coverage of each payload. It reads one payload after the
// other.
func ofArchive(a *raw.Archive, p provider.Provider, shorten func(*Payload)) (Report, error) {
	if p.Markets == nil || p.Recorded == nil {
		return Report{}, fmt.Errorf("provider %q: this build does not read its markets", p.Name)
	}
	var pages []provider.Payload
	for _, r := range a.Responses() {
		if !r.Accepted() || !p.Markets.IsListing(r.Endpoint) {
			continue
		}
		page, err := a.Payload(r)
		if err != nil {
			return Report{}, err
		}
		pages = append(pages, page)
	}
	listing, err := p.Markets.ReadListing(pages)
	if err != nil {
		return Report{}, fmt.Errorf("the list of fixtures: %w", err)
	}
	c := Report{Provider: p.Name, Listings: len(pages)}
	var payloads []named
	deriver := newCoverer(p)
	for _, r := range a.Responses() {
		if !r.Accepted() || !p.Markets.IsMarkets(r.Endpoint) {
			continue
		}
		payload, err := a.Payload(r)
		if err != nil {
			return Report{}, err
		}
		one := named{name: r.File, bookmaker: askedBookmaker(p, payload), Payload: payload}
		covered := coverPayload(p.Markets, listing, &one, deriver)
		covered.Number = r.Number
		shorten(&covered)
		c.Payloads = append(c.Payloads, covered)
		one.Body = nil
		payloads = append(payloads, one)
	}
	c.leaveOut(listing, payloads)
	return c, nil
}

// askedBookmaker returns the bookmaker whose prices were requested with a payload. It is "" if
// the payload has none of them, or the provider only sells one bookmaker's.
func askedBookmaker(p provider.Provider, payload provider.Payload) string {
	if p.Bookmakers == nil {
		return ""
	}
	for _, bookmaker := range p.Recorded(payload.Body).Bookmakers {
		isAsked := true
		for name, values := range p.Bookmakers.Query(bookmaker) {
			isAsked = isAsked && slices.Equal(payload.Query[name], values)
		}
		if isAsked {
			return bookmaker
		}
	}
	return ""
}

// leaveOut removes from each payload the fixtures that the pipeline takes from another one.
// payloads are the payloads of c, in the same order.
func (c *Report) leaveOut(l provider.Listing, payloads []named) {
	taken := make(map[string]int)
	for i := range c.Payloads {
		for id, partial := range c.Payloads[i].partial {
			if listed, ok := l.Fixtures[id]; !ok || listed.Over || listed.InPlay {
				continue
			}
			before, twice := taken[id]
			if twice {
				wasPartial := c.Payloads[before].partial[id]
				if partial && !wasPartial || partial == wasPartial && payloads[before].FetchedAt.After(payloads[i].FetchedAt) {
					continue
				}
			}
			taken[id] = i
		}
	}
	for i := range c.Payloads {
		p := &c.Payloads[i]
		isOut := func(id string) bool { at, ok := taken[id]; return !ok || at != i }
		p.WithoutNames = slices.DeleteFunc(p.WithoutNames, isOut)
		p.Markets = slices.DeleteFunc(p.Markets, func(m Market) bool { return isOut(m.Fixture) })
		p.Suspicions = slices.DeleteFunc(p.Suspicions, func(m SuspiciousMarket) bool { return isOut(m.Fixture) })
		p.Fixtures = 0
		for id := range p.partial {
			if !isOut(id) {
				p.Fixtures++
			}
		}
	}
}
