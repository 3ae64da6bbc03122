package prematch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/transform/markets"
	"mkt/transform/reading"
)

func (c *Cycle) provider() (provider.Provider, error) {
	name := c.Archive.Cycle().Provider
	p, ok := c.Provider(name)
	if !ok || p.Markets == nil {
		return p, fmt.Errorf("provider %q: this build does not read its markets", name)
	}
	return p, nil
}

// listing is the provider's list of fixtures, with its origins.
type listing struct {
	provider.Listing
	pages  []reading.Origin
	sheets []raw.Response // the answers with markets
}

// newTrace returns the trace for reading a payload; nil unless one fixture is traced.
func (c *Cycle) newTrace() *provider.Trace {
	if c.only == "" {
		return nil
	}
	return &provider.Trace{Only: c.only}
}

// readListing reads the list of fixtures, and finds the answers with markets.
func (c *Cycle) readListing(of *provider.Provider) (l listing, err error) {
	adapter, observer := of.Markets, c.Observed.Observer(of)
	var pages []provider.Payload
	// A provider is asked for fixtures by id, or for those of a day.
	byID := c.only != "" && slices.ContainsFunc(c.Archive.Responses(), func(response raw.Response) bool {
		return response.Accepted() && adapter.IsMarkets(response.Endpoint) && asked(response, c.only)
	})
	for _, response := range c.Archive.Responses() {
		switch {
		case !response.Accepted():
		case adapter.IsListing(response.Endpoint):
			page, err := c.Archive.Payload(response)
			if err != nil {
				return l, err
			}
			page.Trace, page.Fields = c.newTrace(), observer.Fields()
			pages, l.pages = append(pages, page), append(l.pages, reading.OriginOf(c.Archive, response, page.Trace))
		case adapter.IsMarkets(response.Endpoint) && (!byID || asked(response, c.only)):
			l.sheets = append(l.sheets, response)
		}
	}
	l.Listing, err = reading.Guarded(func() (provider.Listing, error) { return adapter.ReadListing(pages) })
	if err != nil {
		return l, fmt.Errorf("%w: the list of fixtures: %w", reading.ErrQuarantined, err)
	}
	return l, nil
}

// readSheets reads the payloads of markets concurrently. The result is in the archive's order. A
// damaged archive is an error; an unreadable payload is not.
func (c *Cycle) readSheets(ctx context.Context, of *provider.Provider, l listing) ([]sheet, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sheets, observed := make([]sheet, len(l.sheets)), sample(l.sheets)
	next := make(chan int)
	var done atomic.Int64
	var workers sync.WaitGroup
	minter := c.minter()
	for range min(c.Workers, len(l.sheets)) {
		reader := &sheetReader{adapter: of.Markets, listing: l.Listing, only: c.only, rows: c.Rows, observer: c.Observed.Observer(of), minter: minter.Clone(), deriver: markets.New(minter.Clone())}
		workers.Go(func() {
			for i := range next {
				p, err := c.Archive.PayloadIn(&reader.body, l.sheets[i])
				if err != nil {
					stop(err)
					continue
				}
				p.Trace = c.newTrace()
				if observed[i] {
					p.Fields = reader.observer.Fields()
				}
				sheets[i] = reader.read(p)
				if reader.failed != nil {
					stop(reader.failed)
					continue
				}
				sheets[i].origin = reading.OriginOf(c.Archive, l.sheets[i], p.Trace)
				if c.Progress != nil {
					c.Progress(int(done.Add(1)), len(sheets))
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

// mostObserved is about how many bytes of answers with markets are looked at for their members. Markets
// are counted in all of them.
const mostObserved = 6 << 20

// sample chooses the answers whose members are counted: all of them, or evenly some of each endpoint.
func sample(responses []raw.Response) []bool {
	bytes := int64(0)
	for _, r := range responses {
		bytes += r.Bytes
	}
	step, met, chosen := int(bytes/mostObserved)+1, map[string]int{}, make([]bool, len(responses))
	for i, r := range responses {
		chosen[i] = met[r.Endpoint]%step == 0
		met[r.Endpoint]++
	}
	return chosen
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
