package prematch

import (
	"log/slog"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/transform/identity"
	"mkt/transform/markets/suspicion"
	"mkt/transform/reading"
	"mkt/transform/spool"
)

// Cycle is one raw cycle of market_engine. [Cycle.Derive] makes its rows, and [Cycle.Write] writes them.
type Cycle struct {
	Archive  *raw.Archive
	Provider func(name string) (provider.Provider, bool) // finds an adapter by name
	Key      identity.Key
	Workers  int         // payloads read concurrently
	Rows     *spool.Rows // keeps the markets' rows until they are written
	Log      *slog.Logger
	// Progress is called with the number of answers with markets already read; it may be nil. It
	// is called from many goroutines.
	Progress func(done, total int)
	Before   *snapshot.Manifest // header of an earlier run of the same cycle; nil if there was none
	Observed *reading.Observed  // counts what the answers have; may be nil

	Header *snapshot.Manifest // of the canonical cycle; Derive and Write add their part
	Totals *reading.Totals    // these are counted in
	Counts *Counts

	// only is the provider's id of the only fixture to read, with a trace of its payloads; ""
	// reads all of them, untraced. See [Trace].
	only     string
	fixtures []refreshed        // including those not offered; sorted by id, unique
	listing  []table.ListingRow // sorted by id, unique
}

// Counts counts the derived markets.
type Counts struct {
	// NotOffered is the number of fixtures listed without markets. The refreshed fixtures do not include
	// them, but each has a row.
	NotOffered int
	Markets    int
	Mapped     int // markets with a proven canonical identity
	Selections int
	// Publishable is the number of selections with a proven meaning.
	Publishable int
	// NoOffer is the number of selections with a price at which nothing can be won.
	NoOffer int
	// WithoutPrices is the number of markets without prices. Markets does not include them.
	WithoutPrices int
	// Partial is the number of fixtures with at least one unreadable section.
	Partial int
	// Suspicions counts markets that were perhaps misread, by kind. They are published
	// nevertheless.
	Suspicions suspicion.Counts
}

func (c *Cycle) minter() *identity.Minter {
	return identity.NewMinter(c.Key, c.Archive.Cycle().Provider)
}
