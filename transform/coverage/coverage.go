// Package coverage reads payloads of markets and reports their mapping: the RAW markets, the
// selections that are not publishable with the reasons, and suspicions. It uses the reader and
// the engine of the pipeline, and writes no rows.
package coverage

import (
	"iter"
	"maps"

	"mkt/publish/football"
	"mkt/transform/markets/suspicion"
)

// Report is the mapping of the markets in some payloads. [Report.Summary] counts it.
type Report struct {
	Provider string
	Payloads []Payload // payloads of prices, in the order of their names or of the archive, and for each bookmaker
	Listings int       // payloads that are lists of fixtures
	Others   []Other   // other payloads, in the order of their names
}

// Payload is the coverage of one payload.
type Payload struct {
	Name   string
	Number int // of the archived answer; 0 for a file of a folder
	// Bookmaker is the bookmaker of the prices; "" if the provider only sells one bookmaker's.
	Bookmaker string
	// Bookmakers are the bookmakers of the payload, if Bookmaker is not among them. Nothing was
	// read then.
	Bookmakers []string
	Fixtures   int
	// WithoutNames are the provider ids of fixtures with an unknown team. Nothing depending on a
	// team's name could be proven for them.
	WithoutNames []string
	Markets      []Market // in the provider's order, including those without prices
	Broken       map[string]football.Reason
	Damaged      map[string]int     // number of unreadable parts, by kind
	Unknown      map[string]int     // fields unknown to every reader
	Suspicions   []SuspiciousMarket // in the order of the markets
	Err          error              // the payload could not be read at all

	partial map[string]bool // whether a fixture was only read in part, by its provider id
}

// Other is a payload that the market engine does not read.
type Other struct {
	Name string `json:"payload"`
	// Code is the adapter's code for an error, or for an answer that is not the provider's;
	// otherwise "".
	Code string `json:"code,omitempty"`
	// Providers are the other providers who may have sent it.
	Providers []string `json:"providers,omitempty"`
}

// Market is one market, possibly listed without prices.
type Market struct {
	Fixture   string // provider fixture id
	Key, Name string

	Canonical, Period, Subject string // "" when RAW
	RawReason                  football.Reason
	WithoutPrices              bool

	Selections, Publishable int
	Suspended               int                        // selections that were read but are not on offer now
	Reasons                 map[football.Reason]int    // reasons of its selections, with how often each occurs
	Examples                map[football.Reason]string // the words of the first selection with each of Reasons
}

// SuspiciousMarket is one market that was perhaps misread.
type SuspiciousMarket struct {
	Kind                            suspicion.Kind
	Fixture                         string // provider fixture id
	Key, Canonical, Period, Subject string
	Seen                            string // the suspicious words or numbers, for a person
}

// FixtureIDs returns the provider ids of the payload's fixtures, in no order.
func (p *Payload) FixtureIDs() iter.Seq[string] { return maps.Keys(p.partial) }

// Totals of a payload, or of several. Suspended selections were read, but are not on offer now and
// so not Publishable.
type Totals struct {
	Markets       int `json:"markets"`
	Mapped        int `json:"mapped"`
	Raw           int `json:"raw"`
	WithoutPrices int `json:"without_prices"`
	Selections    int `json:"selections"`
	Publishable   int `json:"publishable"`
	Suspended     int `json:"suspended"`
}

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

// Add adds other totals.
func (t *Totals) Add(o Totals) {
	t.Markets, t.Mapped, t.Raw, t.WithoutPrices = t.Markets+o.Markets, t.Mapped+o.Mapped, t.Raw+o.Raw, t.WithoutPrices+o.WithoutPrices
	t.Selections, t.Publishable, t.Suspended = t.Selections+o.Selections, t.Publishable+o.Publishable, t.Suspended+o.Suspended
}
