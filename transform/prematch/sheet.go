package prematch

import (
	"bytes"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/transform/bounds"
	"mkt/transform/identity"
	"mkt/transform/markets"
	"mkt/transform/markets/suspicion"
	"mkt/transform/reading"
	"mkt/transform/spool"
)

// sheet is what was read of one payload.
type sheet struct {
	origin   reading.Origin
	bytes    int
	err      error // why the payload could not be read
	fixtures []refreshed
	broken   map[string]football.Reason
	damaged  map[string]int
	unknown  map[string]int
	skipped  map[string]int
	met      provider.Parts
	hurt     provider.Parts // of all its parts

	prices, badPrices int // selections with a price, and those with an unreadable price
}

// refreshed is one fixture with its markets from one payload, or without any if it is not
// offered.
type refreshed struct {
	fixture    football.Fixture
	row        table.FixtureRow  // empty if it is not offered
	rows       spool.Place       // of its markets
	markets    []football.Market // only of a traced fixture
	counts     fixtureCounts
	answer     string // SHA-256 of the payload; "" if there is none
	notOffered bool
	partial    bool // at least one section is unreadable
}

// fixtureCounts are a fixture's counts for the header and the summary.
type fixtureCounts struct {
	markets, mapped         int
	selections, publishable int
	withoutPrices           int
	suspicions              suspicion.Counts
	raw, notPublishable     []reasonCount
}

type reasonCount struct {
	reason football.Reason
	n      int
}

// increment adds one to the count of a reason.
func increment(counts []reasonCount, reason football.Reason) []reasonCount {
	for i := range counts {
		if counts[i].reason == reason {
			counts[i].n++
			return counts
		}
	}
	return append(counts, reasonCount{reason, 1})
}

// sheetReader reads one payload after the other.
type sheetReader struct {
	adapter   provider.MarketAdapter
	listing   provider.Listing
	only      string // if not "", only this provider fixture is derived, and traced
	rows      *spool.Rows
	minter    *identity.Minter
	deriver   *markets.Deriver
	suspecter suspicion.Detector
	observer  *reading.Observer
	encoder   canonical.Encoder
	body      raw.Buffer // the rows have texts of their own
	slabs     input.Slabs
	failed    error // why rows could not be kept
}

func (sr *sheetReader) read(p provider.Payload) sheet {
	s, err := reading.Guarded(func() (sheet, error) { return sr.derive(p) })
	s.bytes, s.err = len(p.Body), err
	return s
}

func (sr *sheetReader) derive(p provider.Payload) (s sheet, err error) {
	if !bytes.Contains(p.Body, []byte(sr.only)) {
		return s, nil
	}
	if sr.only == "" {
		sr.slabs.Reset()
		p.Slabs = &sr.slabs
	}
	read, err := sr.adapter.ReadMarkets(p, sr.listing)
	if err != nil {
		return s, err
	}
	s.damaged, s.unknown, s.skipped = read.Damaged, read.Unknown, read.Skipped
	s.broken = make(map[string]football.Reason, len(read.Broken))
	for id, reason := range read.Broken { // the ids are parts of the payload
		s.broken[strings.Clone(id)] = reason
	}
	s.met, s.hurt = read.Met, read.Hurt
	sr.observer.Unreadable(len(read.Broken))
	s.fixtures = make([]refreshed, 0, len(read.Fixtures))
	for i := range read.Fixtures {
		f := &read.Fixtures[i]
		if sr.only != "" && f.Fixture.ProviderFixtureID != sr.only {
			continue
		}
		if isTooLarge(f.Offers) {
			s.broken[strings.Clone(f.Fixture.ProviderFixtureID)] = tooManySelections
			continue
		}
		f.Fixture.ID = sr.minter.Fixture(f.Fixture.ProviderFixtureID).FixtureID()
		derived := sr.deriver.Derive(&f.Fixture, f.Offers)
		s.countPrices(derived)
		sr.observer.Fixture(&f.Fixture, derived)
		one := refreshed{partial: f.Partial, counts: countsOf(derived)}
		one.counts.withoutPrices, one.counts.suspicions = withoutPrices(f.Offers), sr.suspecter.Look(derived, nil)
		if sr.only != "" {
			one.fixture, one.markets = f.Fixture, derived
		} else {
			sr.keep(&one, f.Fixture, derived)
		}
		s.fixtures = append(s.fixtures, one)
	}
	return s, nil
}

// keep encodes a fixture's rows. The fixture gets texts of its own: texts as read are parts of
// the payload, and keep all of it in memory.
func (sr *sheetReader) keep(one *refreshed, f football.Fixture, derived []football.Market) {
	one.fixture = f.Clone()
	var encoded []byte
	var err error
	one.row, encoded, err = sr.encoder.Fixture(one.fixture, football.DerivationVersion, derived)
	sr.deriver.Release()
	if err == nil {
		one.rows, err = sr.rows.Add(encoded)
	}
	if sr.failed == nil {
		sr.failed = err
	}
}

// countsOf counts a fixture's markets.
func countsOf(derived []football.Market) (c fixtureCounts) {
	c.markets = len(derived)
	for i := range derived {
		market := &derived[i]
		c.selections += len(market.Selections)
		if market.Origin == football.Mapped {
			c.mapped++
		} else {
			c.raw = increment(c.raw, market.RawReason)
		}
		for k := range market.Selections {
			q := &market.Selections[k].Quality
			if q.Publishable {
				c.publishable++
			}
			for _, reason := range q.Reasons {
				c.notPublishable = increment(c.notPublishable, reason)
			}
		}
	}
	return c
}

// countPrices counts the prices of markets.
func (s *sheet) countPrices(derived []football.Market) {
	for i := range derived {
		for j := range derived[i].Selections {
			unreadable, none := false, false
			for _, reason := range derived[i].Selections[j].Quality.Reasons {
				unreadable = unreadable || reason == football.OddsUnreadable
				none = none || reason == football.OddsNull || reason == football.OddsMissing
			}
			if !none {
				s.prices++
			}
			if unreadable {
				s.badPrices++
			}
		}
	}
}

// withoutPrices counts the markets without any row.
func withoutPrices(offers []input.Offer) (n int) {
	for i := range offers {
		if len(offers[i].Rows) == 0 {
			n++
		}
	}
	return n
}

// tooManySelections is the reason of a fixture that exceeds a limit.
const tooManySelections football.Reason = "TOO_MANY_SELECTIONS"

// isTooLarge reports whether a fixture exceeds a limit.
func isTooLarge(offers []input.Offer) bool {
	n, most := 0, 0
	for i := range offers {
		rows := len(offers[i].Rows)
		n, most = n+rows, max(most, rows)
	}
	return n > bounds.MaxSelections || most > bounds.MaxMarketSelections
}
