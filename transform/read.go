package transform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/internal/panics"
	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/transform/identity"
	"mkt/transform/markets"
	"mkt/transform/markets/suspicion"
)

type sheet struct {
	origin   Origin
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
	rows       stored            // of its markets
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

// deriveMarkets is the engine of market_engine.
func deriveMarkets(ctx context.Context, r *run) error {
	adapter, err := r.marketAdapter()
	if err != nil {
		return err
	}
	listing, err := r.readListing(adapter)
	if err != nil {
		return err
	}
	sheets, err := r.readSheets(ctx, adapter, listing)
	if err != nil {
		return err
	}
	return r.conclude(r.gather(listing.Listing, sheets))
}

func (r *run) marketAdapter() (provider.MarketAdapter, error) {
	name := r.archive.Cycle().Provider
	p, ok := r.Provider(name)
	if !ok || p.Markets == nil {
		return nil, fmt.Errorf("provider %q: this build does not read its markets", name)
	}
	return p.Markets, nil
}

// listing is the provider's list of fixtures, with its origins.
type listing struct {
	provider.Listing
	pages  []Origin
	sheets []raw.Response // the answers with markets
}

// newTrace returns the trace for reading a payload; nil unless one fixture is traced.
func (r *run) newTrace() *provider.Trace {
	if r.only == "" {
		return nil
	}
	return &provider.Trace{Only: r.only}
}

// readListing reads the list of fixtures, and finds the answers with markets.
func (r *run) readListing(adapter provider.MarketAdapter) (l listing, err error) {
	var pages []provider.Payload
	// A provider is asked for fixtures by id, or for those of a day.
	byID := r.only != "" && slices.ContainsFunc(r.archive.Responses(), func(response raw.Response) bool {
		return response.Accepted() && adapter.IsMarkets(response.Endpoint) && asked(response, r.only)
	})
	for _, response := range r.archive.Responses() {
		switch {
		case !response.Accepted():
		case adapter.IsListing(response.Endpoint):
			page, err := r.archive.Payload(response)
			if err != nil {
				return l, err
			}
			page.Trace = r.newTrace()
			pages, l.pages = append(pages, page), append(l.pages, originOf(r.archive, response, page.Trace))
		case adapter.IsMarkets(response.Endpoint) && (!byID || asked(response, r.only)):
			l.sheets = append(l.sheets, response)
		}
	}
	l.Listing, err = guarded(func() (provider.Listing, error) { return adapter.ReadListing(pages) })
	if err != nil {
		return l, fmt.Errorf("%w: the list of fixtures: %w", ErrQuarantined, err)
	}
	return l, nil
}

// readSheets reads the payloads of markets concurrently. The result is in the archive's order. A
// damaged archive is an error; an unreadable payload is not.
func (r *run) readSheets(ctx context.Context, adapter provider.MarketAdapter, l listing) ([]sheet, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sheets := make([]sheet, len(l.sheets))
	next := make(chan int)
	var done atomic.Int64
	var workers sync.WaitGroup
	minter := identity.NewMinter(r.Key, r.archive.Cycle().Provider)
	for range min(r.Workers, len(l.sheets)) {
		reader := &sheetReader{adapter: adapter, listing: l.Listing, only: r.only, rows: &r.rows, minter: minter.Clone(), deriver: markets.New(minter.Clone())}
		workers.Go(func() {
			for i := range next {
				p, err := r.archive.PayloadIn(&reader.body, l.sheets[i])
				if err != nil {
					stop(err)
					continue
				}
				p.Trace = r.newTrace()
				sheets[i] = reader.read(p)
				if reader.failed != nil {
					stop(reader.failed)
					continue
				}
				sheets[i].origin = originOf(r.archive, l.sheets[i], p.Trace)
				if r.Progress != nil {
					r.Progress(int(done.Add(1)), len(sheets))
				}
			}
		})
	}
	for i := range l.sheets {
		select {
		case next <- i:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return sheets, nil
}

type sheetReader struct {
	adapter   provider.MarketAdapter
	listing   provider.Listing
	only      string // if not "", only this provider fixture is derived, and traced
	rows      *rowStore
	minter    *identity.Minter
	deriver   *markets.Deriver
	suspecter suspicion.Detector
	encoder   table.Encoder
	body      raw.Buffer // the rows have texts of their own
	slabs     input.Slabs
	failed    error // why rows could not be kept
}

func (sr *sheetReader) read(p provider.Payload) sheet {
	s, err := guarded(func() (sheet, error) { return sr.derive(p) })
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
		one.rows, err = sr.rows.add(encoded)
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

// errPanic: reading a payload panicked. This is a bug of mkt. It must not affect anything but the
// payload.
var errPanic = errors.New("reading it panicked")

// guarded calls read and turns a panic into errPanic.
func guarded[T any](read func() (T, error)) (result T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			var nothing T
			result, err = nothing, fmt.Errorf("%w: %s", errPanic, panics.Describe(cause))
		}
	}()
	return read()
}

func (r *run) unreadable(response raw.Response, err error) {
	r.result.counters["payloads_unreadable"]++
	r.Log.Warn("payload could not be read", "tenant", r.ClientID, "product", r.Product, "cycle", r.cycle,
		"step", "transform", "response", response.Number, "error", err)
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

// asked reports whether a request named a fixture, in its path or in a parameter.
func asked(r raw.Response, providerFixtureID string) bool {
	for part := range strings.SplitSeq(r.Path, "/") {
		if slices.Contains(strings.Split(part, ","), providerFixtureID) {
			return true
		}
	}
	for _, values := range r.Query {
		for _, v := range values {
			if slices.Contains(strings.Split(v, ","), providerFixtureID) {
				return true
			}
		}
	}
	return false
}
