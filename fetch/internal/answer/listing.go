package answer

import (
	"fmt"

	"mkt/fetch/provider"
)

// Listing joins the pages of a list of fixtures. A fixture that is on two pages, which
// happens if the list moves while it is read, is as the later page says.
type Listing struct {
	Fixtures map[string]provider.ListedFixture // by id, without those that were left out
	Filtered map[string]string                 // the rule by which a fixture was left out, by its id

	Broken, Unknown, Damaged Tally

	items, read int
}

// NewListing returns a listing without fixtures.
func NewListing() *Listing {
	return &Listing{Fixtures: make(map[string]provider.ListedFixture), Filtered: make(map[string]string)}
}

// Count counts an item of the list and reports whether it can be used: broken says why
// it cannot, "" if it can.
func (l *Listing) Count(broken string) bool {
	if l.items++; broken != "" {
		l.Broken.Add(broken)
		return false
	}
	l.read++
	return true
}

// Keep adds a fixture, or leaves it out if rule is not "".
func (l *Listing) Keep(f provider.ListedFixture, rule string) {
	id := f.ProviderFixtureID
	if rule != "" {
		l.Filtered[id] = rule
		delete(l.Fixtures, id)
		return
	}
	delete(l.Filtered, id)
	l.Fixtures[id] = f
}

// Result returns the listing. It is an error if none of several items had an id.
func (l *Listing) Result(endpoint string) (provider.Listing, error) {
	if err := CheckIDs(l.items, l.read); err != nil {
		return provider.Listing{}, fmt.Errorf("%s: %w", endpoint, err)
	}
	return provider.Listing{Fixtures: l.Fixtures, Filtered: countRules(l.Filtered), Broken: l.Broken, Unknown: l.Unknown, Damaged: l.Damaged}, nil
}

// countRules counts fixtures that were left out, by rule.
func countRules(filtered map[string]string) Tally {
	var rules Tally
	for _, rule := range filtered {
		rules.Add(rule)
	}
	return rules
}
