package providertest

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// fields compares the three-state fields, whose insides are their own.
var fields = gocmp.Options{
	gocmp.Comparer(func(a, b football.Field[string]) bool { return a == b }),
	gocmp.Comparer(func(a, b *mapping.Table) bool { return a == b }),
	gocmp.Comparer(func(a, b football.Field[time.Time]) bool {
		x, _ := a.Get()
		y, _ := b.Get()
		return a.State() == b.State() && x.Equal(y)
	}),
}

// deterministic checks that a payload reads the same twice, also if its bytes are overwritten
// after it was read, and the same but for the order of the result if the members of its objects
// are reversed.
func (s Suite) deterministic(t *testing.T) {
	for name, x := range s.Samples {
		list, sheet, err := s.read(x)
		if err != nil {
			continue // another test reports it
		}
		body := slices.Clone(x.Body)
		list2, sheet2, err := s.read(Sample{x.Endpoint, body})
		clear(body)
		if diff := gocmp.Diff(list, list2, fields) + gocmp.Diff(sheet, sheet2, fields); diff != "" || err != nil {
			t.Errorf("%s: read twice (-first +again): %v\n%s", name, err, diff)
		}
		turned := parseTree(t, x.Body)
		turned.reverse()
		list3, sheet3, err := s.read(Sample{x.Endpoint, turned.bytes()})
		if diff := gocmp.Diff(list, list3, fields) + gocmp.Diff(unordered(sheet), unordered(sheet3), fields); diff != "" || err != nil {
			t.Errorf("%s: members in reverse (-as sent +reversed): %v\n%s", name, err, diff)
		}
	}
}

// unordered sorts everything that follows the order of members: offers, sections, labels.
func unordered(s provider.Sheet) provider.Sheet {
	s.Fixtures = slices.Clone(s.Fixtures)
	slices.SortFunc(s.Fixtures, func(a, b provider.FixtureOffers) int {
		return cmp.Compare(a.Fixture.ProviderFixtureID, b.Fixture.ProviderFixtureID)
	})
	for i := range s.Fixtures {
		offers := slices.Clone(s.Fixtures[i].Offers)
		slices.SortFunc(offers, func(a, b input.Offer) int { return cmp.Compare(a.Key, b.Key) })
		for j := range offers {
			offers[j].Sections = slices.Sorted(slices.Values(offers[j].Sections))
			offers[j].Rows = slices.Clone(offers[j].Rows)
			for k := range offers[j].Rows {
				labels := slices.Clone(offers[j].Rows[k].Labels)
				slices.SortFunc(labels, func(a, b football.Label) int { return strings.Compare(a.Field+"\x00"+a.Text, b.Field+"\x00"+b.Text) })
				offers[j].Rows[k].Labels = labels
			}
		}
		s.Fixtures[i].Offers = offers
	}
	return s
}
