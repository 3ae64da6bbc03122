// Package coverage reads payloads of markets and reports how they are mapped: which markets are
// RAW, which selections are not publishable and for which reasons, and what is suspicious. It uses the
// reader and the engine of the pipeline, and writes no rows.
package coverage

import (
	"iter"
	"maps"

	"mkt/publish/football"
	"mkt/transform/markets"
)

// Report is how the markets in some payloads are mapped: the output of mkt mapping
// report, and the tables in docs/mapping.md.
type Report struct {
	Provider string
	Payloads []Payload // those of prices, in the order of their names or of the archive, and for each bookmaker
	Listings int       // payloads that are lists of fixtures
	Others   []Other   // what is neither, in the order of their names
}

// Payload is the coverage of one payload.
type Payload struct {
	Name   string
	Number int // of the archived answer; 0 for a file of a folder
	// Bookmaker is whose prices were read; "" if the provider sells those of one.
	Bookmaker string
	// Bookmakers are those whose prices the payload has, if Bookmaker is none of them: then
	// nothing was read.
	Bookmakers []string
	Fixtures   int
	// WithoutNames are the provider ids of fixtures of which a team is not known, so that
	// nothing that depends on a team's name could be proven.
	WithoutNames []string
	Markets      []Market // in the provider's order, including those without prices
	Broken       map[string]football.Reason
	Damaged      map[string]int // number of parts that could not be read, by kind
	Unknown      map[string]int // fields that no reader knows
	Skipped      map[string]int
	Suspicions   []SuspiciousMarket // in the order of the markets
	Err          error              // the payload could not be read at all

	partial map[string]bool // whether a fixture could be read in part only, by its provider id
}

// Other is a payload that the market engine does not read.
type Other struct {
	Name string
	// Code is what the adapter calls the answer if it is an error, or no answer of the
	// provider; else "".
	Code string
	// Providers are the other providers of which it could be an answer.
	Providers []string
}

// Market is one market, or one that was listed without prices.
type Market struct {
	Fixture     string // provider fixture id
	Key, Name   string
	ProviderIDs []string
	Sections    []string

	Canonical, Period, Subject string // "" when RAW
	Rule                       string // names the mapping rule, "" when RAW
	RawReason                  football.Reason
	WithoutPrices              bool

	Selections, Publishable int
	Suspended               int                        // selections that were read and are not on offer now
	Reasons                 map[football.Reason]int    // reasons of its selections, with how often each occurs
	Examples                map[football.Reason]string // the words of the first selection with each of Reasons
}

// SuspiciousMarket is one market that looks as if it was misread.
type SuspiciousMarket struct {
	Kind                            markets.Suspicion
	Fixture                         string // provider fixture id
	Key, Canonical, Period, Subject string
	Seen                            string // what is suspicious, for a person
}

// FixtureIDs returns the provider ids of the payload's fixtures, in no order.
func (p *Payload) FixtureIDs() iter.Seq[string] { return maps.Keys(p.partial) }

// Totals of a payload, or of several. Selections that are Suspended are not Publishable.
type Totals struct{ Markets, Mapped, Raw, WithoutPrices, Selections, Publishable, Suspended int }

// Totals adds up the payload's markets.
func (p *Payload) Totals() (t Totals) {
	for i := range p.Markets {
		m := &p.Markets[i]
		switch {
		case m.WithoutPrices:
			t.WithoutPrices++
			continue
		case m.RawReason != "":
			t.Raw++
		default:
			t.Mapped++
		}
		t.Markets++
		t.Selections += m.Selections
		t.Publishable += m.Publishable
		t.Suspended += m.Suspended
	}
	return t
}

// Totals adds up all payloads.
func (c *Report) Totals() (t Totals) {
	for i := range c.Payloads {
		of := c.Payloads[i].Totals()
		t.Markets, t.Mapped, t.Raw, t.WithoutPrices = t.Markets+of.Markets, t.Mapped+of.Mapped, t.Raw+of.Raw, t.WithoutPrices+of.WithoutPrices
		t.Selections, t.Publishable, t.Suspended = t.Selections+of.Selections, t.Publishable+of.Publishable, t.Suspended+of.Suspended
	}
	return t
}
