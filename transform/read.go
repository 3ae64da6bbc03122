package transform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/internal/panics"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// sheet is one payload read and derived.
type sheet struct {
	response raw.Response
	bytes    int
	err      error // the payload could not be read
	fixtures []refreshed
	broken   map[string]football.Reason
	damaged  map[string]int
	unknown  map[string]int
	skipped  map[string]int
	met      provider.Parts
	hurt     provider.Parts // of those met
}

// refreshed is one fixture with its markets, as one payload has it; one that is
// not offered is as the listing has it.
type refreshed struct {
	fixture       football.Fixture
	markets       []football.Market
	withoutPrices int
	notOffered    bool
	partial       bool // a section or more of it could not be read
}

// deriveMarkets is the engine of market_engine.
func deriveMarkets(ctx context.Context, r *run) error {
	adapter, err := r.marketAdapter()
	if err != nil {
		return err
	}
	listing, payloads, err := r.readListing(adapter)
	if err != nil {
		return err
	}
	sheets, err := r.readSheets(ctx, adapter, listing, payloads)
	if err != nil {
		return err
	}
	return r.gather(listing, sheets)
}

func (r *run) marketAdapter() (provider.MarketAdapter, error) {
	name := r.archive.Cycle().Provider
	p, ok := r.Provider(name)
	if !ok || p.Markets == nil {
		return nil, fmt.Errorf("provider %q: nothing here reads its markets", name)
	}
	return p.Markets, nil
}

// readListing reads the list of fixtures and sorts out the payloads of markets.
func (r *run) readListing(adapter provider.MarketAdapter) (provider.Listing, []raw.Response, error) {
	var pages []provider.Payload
	var rest []raw.Response
	for _, response := range r.archive.Responses() {
		switch {
		case !response.Accepted():
		case adapter.IsListing(response.Endpoint):
			page, err := r.archive.Payload(response)
			if err != nil {
				return provider.Listing{}, nil, err
			}
			pages = append(pages, page)
		case adapter.IsMarkets(response.Endpoint):
			rest = append(rest, response)
		}
	}
	listing, err := guarded(func() (provider.Listing, error) { return adapter.ReadListing(pages) })
	if err != nil {
		return provider.Listing{}, nil, fmt.Errorf("%w: the list of fixtures: %w", ErrQuarantined, err)
	}
	return listing, rest, nil
}

// readSheets reads the payloads of markets, several at once. The result is in
// the archive's order. An archive that is not what was written is an error; a
// payload that cannot be read is not.
func (r *run) readSheets(ctx context.Context, adapter provider.MarketAdapter, l provider.Listing, responses []raw.Response) ([]sheet, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sheets := make([]sheet, len(responses))
	next := make(chan int)
	var workers sync.WaitGroup
	minter := identity.NewMinter(r.Key, r.archive.Cycle().Provider)
	for range min(r.Workers, len(responses)) {
		reader := &sheetReader{adapter: adapter, listing: l, minter: minter.Clone(), deriver: markets.New(minter.Clone())}
		workers.Go(func() {
			for i := range next {
				p, err := r.archive.Payload(responses[i])
				if err != nil {
					stop(err)
					continue
				}
				sheets[i] = reader.read(p)
				sheets[i].response = responses[i]
			}
		})
	}
	for i := range responses {
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

// sheetReader reads payloads, one after the other.
type sheetReader struct {
	adapter provider.MarketAdapter
	listing provider.Listing
	minter  *identity.Minter
	deriver *markets.Deriver
}

func (sr *sheetReader) read(p provider.Payload) sheet {
	s, err := guarded(func() (sheet, error) { return sr.derive(p) })
	s.bytes, s.err = len(p.Body), err
	return s
}

func (sr *sheetReader) derive(p provider.Payload) (s sheet, err error) {
	read, err := sr.adapter.ReadMarkets(p, sr.listing)
	if err != nil {
		return s, err
	}
	s.broken, s.damaged, s.unknown, s.skipped = read.Broken, read.Damaged, read.Unknown, read.Skipped
	s.met, s.hurt = read.Met, read.Hurt
	s.fixtures = make([]refreshed, 0, len(read.Fixtures))
	for i := range read.Fixtures {
		f := &read.Fixtures[i]
		if isTooLarge(f.Offers) {
			if s.broken == nil {
				s.broken = make(map[string]football.Reason)
			}
			s.broken[f.Fixture.ProviderFixtureID] = tooManySelections
			continue
		}
		f.Fixture.ID = sr.minter.Fixture(f.Fixture.ProviderFixtureID).FixtureID()
		s.fixtures = append(s.fixtures, refreshed{fixture: f.Fixture, markets: sr.deriver.Derive(&f.Fixture, f.Offers),
			withoutPrices: withoutPrices(f.Offers), partial: f.Partial})
	}
	return s, nil
}

// errPanic: reading a payload ended in a panic. It is a fault of ours that a
// stranger's bytes found; it costs that payload, not the process.
var errPanic = errors.New("reading it ended in a panic")

// guarded reads; a panic is errPanic, and nothing was read.
func guarded[T any](read func() (T, error)) (result T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			var nothing T
			result, err = nothing, fmt.Errorf("%w: %s", errPanic, panics.Describe(cause))
		}
	}()
	return read()
}

// unreadable counts a payload that could not be read, and logs why.
func (r *run) unreadable(response raw.Response, err error) {
	r.result.counters["payloads_unreadable"]++
	r.Log.Warn("payload could not be read", "tenant", r.ClientID, "product", r.Product, "cycle", r.cycle,
		"step", "transform", "response", response.Number, "error", err)
}

// withoutPrices counts the markets that were listed without any row.
func withoutPrices(offers []input.Offer) (n int) {
	for i := range offers {
		if len(offers[i].Rows) == 0 {
			n++
		}
	}
	return n
}

// asked reports whether a request named a fixture in its path or in any of its
// parameters.
func asked(r raw.Response, providerFixtureID string) bool {
	if slices.Contains(strings.Split(r.Path, "/"), providerFixtureID) {
		return true
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
