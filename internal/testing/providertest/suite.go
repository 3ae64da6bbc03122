// Package providertest is the test suite that every provider's adapter must pass. It
// knows no provider: the [Suite] describes the wire format as far as it is needed.
//
// It tests the properties that the stages rely on: nothing is invented, odds
// are unchanged byte for byte, absent, null and value are kept apart, a payload reads
// the same twice and in another order of members, garbage is refused or read but
// never causes a panic, and the registration is complete.
//
// The package also has an [Exchange], through which tests of whole cycles send requests.
//
// Source: STYLE, section 6; RELIABILITY, section 2 (Upstream).
package providertest

import (
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/meant"
)

// Suite is an adapter's part of the tests.
type Suite struct {
	Provider provider.Provider
	// Samples are answers in the provider's shapes, by name. At least one listing
	// and one of markets.
	Samples map[string]Sample
	// Invalid are bodies that are no answer: of another shape, cut short, or with an error.
	Invalid []string
	// Price names the members that hold a price of their own ("odds"); the suite
	// empties, removes and zeroes them.
	Price []string
	// Packed takes the texts out of a text that holds several, such as a price
	// within a longer one; nil if the provider has none.
	Packed func(text string) []string
	// Emulator returns the provider's emulator. The reading of its answers is compared
	// with their meaning. It is nil if the provider has none yet.
	Emulator func(simulator.Options) (*simulator.Server, error)
	// Asked reports whether a request asks for that market; nil if every request for
	// markets asks for all of them.
	Asked func(p provider.Payload, m meant.Market) bool
	// RowID returns a row's identity within its market, if the provider has no ids of
	// rows; nil if it has.
	RowID func(input.Row) string
	// Means reports whether an offer is that market, or a part of it.
	Means func(m meant.Market, o input.Offer) bool
}

// Sample is one accepted answer.
type Sample struct {
	Endpoint string
	Body     []byte
}

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	t.Run("registration", s.registration)
	t.Run("samples are accepted", s.accepted)
	t.Run("samples are recognized", s.recorded)
	t.Run("nothing is invented", s.nothingInvented)
	t.Run("the same twice and in any order", s.deterministic)
	t.Run("three states", s.threeStates)
	t.Run("garbage", s.garbage)
	t.Run("invalid", s.invalid)
	t.Run("places", s.places)
	if s.Emulator != nil {
		t.Run("emulator", s.emulated)
	}
}

// read reads a sample by its endpoint.
func (s Suite) read(x Sample) (provider.Listing, provider.Sheet, error) {
	p := provider.Payload{Number: 1, Endpoint: x.Endpoint, Body: x.Body}
	if s.Provider.Markets.IsListing(x.Endpoint) {
		l, err := s.Provider.Markets.ReadListing([]provider.Payload{p})
		return l, provider.Sheet{}, err
	}
	sheet, err := s.Provider.Markets.ReadMarkets(p, provider.Listing{})
	return provider.Listing{}, sheet, err
}

// markets are the samples of markets.
func (s Suite) markets() map[string]Sample {
	some := make(map[string]Sample)
	for name, x := range s.Samples {
		if s.Provider.Markets.IsMarkets(x.Endpoint) {
			some[name] = x
		}
	}
	return some
}
