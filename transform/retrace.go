package transform

import (
	"bytes"
	"errors"
	"fmt"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// Retraced is one fixture of an archived cycle, read once more by the very reader
// and engine that made its rows, with the place of everything in the payloads.
// Ids in it are of no key: a row is found by its place in the provider's order.
type Retraced struct {
	Fixture    football.Fixture
	Markets    []football.Market // in the provider's order
	NotOffered bool              // the provider answered, and offers no markets on it
	Listed     Origin            // where it is listed
	Offered    Origin            // where its markets are
}

// Origin is one archived answer and what was found where in it. Number 0 is none.
type Origin struct {
	raw.Response
	Cycle      layout.CycleID
	In, Member string // where it lies, see raw.Archive.Place
	Trace      *provider.Trace
}

func originOf(a *raw.Archive, r raw.Response, t *provider.Trace) Origin {
	in, member := a.Place(r)
	return Origin{Response: r, Cycle: a.Cycle().CycleID, In: in, Member: member, Trace: t}
}

// ErrNotInCycle: the cycle's payloads do not hold the fixture.
var ErrNotInCycle = errors.New("not in the payloads of the cycle")

// Retrace reads one fixture of a cycle of markets again. Errors to branch on:
// ErrNotInCycle, raw.ErrCorrupt.
func Retrace(a *raw.Archive, p provider.Provider, providerFixtureID string) (Retraced, error) {
	if p.Markets == nil {
		return Retraced{}, fmt.Errorf("provider %q: nothing here reads its markets", p.Name)
	}
	t := retracer{archive: a, adapter: p.Markets, id: providerFixtureID, deriver: markets.New(identity.NewMinter(identity.Key{}, p.Name))}
	if err := t.readListing(); err != nil {
		return Retraced{}, err
	}
	// A provider may be asked for fixtures by name, or for those of a day.
	for _, byName := range [...]bool{true, false} {
		for _, r := range a.Responses() {
			if t.result.Offered.Number > 0 && !byName || !r.Accepted() || !p.Markets.IsMarkets(r.Endpoint) || asked(r, providerFixtureID) != byName {
				continue
			}
			if err := t.readMarkets(r); err != nil {
				return Retraced{}, err
			}
		}
	}
	return t.conclude()
}

type retracer struct {
	archive *raw.Archive
	adapter provider.MarketAdapter
	id      string
	deriver *markets.Deriver
	listing provider.Listing
	result  Retraced
}

// readListing reads the list again. The last page that has the fixture counts.
func (t *retracer) readListing() error {
	var pages []provider.Payload
	var origins []Origin
	for _, r := range t.archive.Responses() {
		if !r.Accepted() || !t.adapter.IsListing(r.Endpoint) {
			continue
		}
		page, err := t.archive.Payload(r)
		if err != nil {
			return err
		}
		page.Trace = &provider.Trace{Only: t.id}
		pages, origins = append(pages, page), append(origins, originOf(t.archive, r, page.Trace))
	}
	listing, err := t.adapter.ReadListing(pages)
	if err != nil {
		return fmt.Errorf("the list of fixtures: %w", err)
	}
	t.listing = listing
	for _, o := range origins {
		if o.Trace.Of(provider.Subject{Fixture: t.id}) != nil {
			t.result.Listed = o
		}
	}
	return nil
}

// readMarkets reads one payload again. The newest that has the fixture counts.
func (t *retracer) readMarkets(r raw.Response) error {
	p, err := t.archive.Payload(r)
	if err != nil {
		return err
	}
	if !bytes.Contains(p.Body, []byte(t.id)) {
		return nil
	}
	p.Trace = &provider.Trace{Only: t.id}
	sheet, err := t.adapter.ReadMarkets(p, t.listing)
	if err != nil {
		return nil // such a payload gave no rows
	}
	for i := range sheet.Fixtures {
		f := &sheet.Fixtures[i]
		if f.Fixture.ProviderFixtureID != t.id || t.result.Offered.Number > 0 && t.result.Offered.FetchedAt.After(r.FetchedAt) {
			continue
		}
		t.result.Fixture, t.result.Offered = f.Fixture, originOf(t.archive, r, p.Trace)
		t.result.Markets = t.deriver.Derive(&f.Fixture, f.Offers)
	}
	return nil
}

// conclude takes a fixture without markets as the list has it.
func (t *retracer) conclude() (Retraced, error) {
	if t.result.Offered.Number > 0 {
		return t.result, nil
	}
	listed, ok := t.listing.Fixtures[t.id]
	if !ok {
		return Retraced{}, ErrNotInCycle
	}
	t.result.NotOffered = true
	t.result.Fixture = listed.Fixture
	return t.result, nil
}
