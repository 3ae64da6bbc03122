package tracking

import (
	"fmt"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/transform/bounds"
	"mkt/transform/reading"
)

// sheets are the payloads of a cycle as read.
type sheets struct {
	list    provider.LiveSheet // of all pages
	pages   []reading.Origin
	details []detail
	at      time.Time // the newest retrieval of a page
	answers int
	bytes   int64
}

// detail is one detail payload. It has no samples if err is not nil.
type detail struct {
	origin reading.Origin
	sheet  provider.LiveSheet
	err    error
}

// readSheets reads the list of a live cycle, and its readable details. If newTrace is not nil,
// every payload is read with a trace of its own. fields counts their members; it may be nil. If wanted is not nil, only the details for which
// it returns true are read.
func readSheets(a *raw.Archive, adapter provider.LiveAdapter, fields *provider.Fields, newTrace func() *provider.Trace, wanted func(body []byte) bool) (s sheets, err error) {
	var pages []provider.Payload
	for _, response := range a.Responses() {
		isList := adapter.IsList(response.Endpoint)
		if !response.Accepted() || !isList && !adapter.IsDetail(response.Endpoint) {
			continue
		}
		p, err := a.Payload(response)
		if err != nil {
			return s, err
		}
		s.answers++
		s.bytes += response.Bytes
		p.Fields = fields
		if newTrace != nil {
			p.Trace = newTrace()
		}
		origin := reading.OriginOf(a, response, p.Trace)
		switch {
		case isList:
			pages, s.pages = append(pages, p), append(s.pages, origin)
			if p.FetchedAt.After(s.at) {
				s.at = p.FetchedAt
			}
		case wanted == nil || wanted(p.Body):
			sheet, err := reading.Guarded(func() (provider.LiveSheet, error) { return adapter.ReadDetail(p) })
			s.details = append(s.details, detail{origin, sheet, err})
		}
	}
	if len(pages) == 0 {
		return s, fmt.Errorf("%w: no list of fixtures in play", reading.ErrNoCycle)
	}
	if s.list, err = reading.Guarded(func() (provider.LiveSheet, error) { return adapter.ReadList(pages) }); err != nil {
		return s, fmt.Errorf("%w: the list of fixtures in play: %w", reading.ErrQuarantined, err)
	}
	return s, nil
}

// detailSamples returns the samples of all details, in the archive's order.
func (s *sheets) detailSamples() (samples []input.Sample) {
	n := 0
	for i := range s.details {
		n += len(s.details[i].sheet.Samples)
	}
	samples = make([]input.Sample, 0, n)
	for i := range s.details {
		if d := &s.details[i]; d.err == nil {
			samples = append(samples, d.sheet.Samples...)
		}
	}
	return samples
}

// detailOrigins returns the origins of the readable details.
func (s *sheets) detailOrigins() (origins []reading.Origin) {
	for i := range s.details {
		if d := &s.details[i]; d.err == nil {
			origins = append(origins, d.origin)
		}
	}
	return origins
}

// tooManyBroken returns an error if too much of a list is unreadable.
func tooManyBroken(list provider.LiveSheet) error {
	broken := reading.Total(list.Broken)
	for _, part := range []struct{ bad, whole int }{{broken, broken + len(list.Samples)}, {list.Changed, list.Met}} {
		if part.bad > 1 && float64(part.bad) > bounds.MaxBroken*float64(part.whole) {
			return fmt.Errorf("%w: %d of %d fixtures in play%s", reading.ErrQuarantined, part.bad, part.whole, reading.MostOften(list.Damaged))
		}
	}
	return nil
}

// providerOf returns the provider whose adapter reads a cycle's payloads.
func providerOf(a *raw.Archive, lookup func(string) (provider.Provider, bool)) (provider.Provider, error) {
	name := a.Cycle().Provider
	p, ok := lookup(name)
	if !ok || p.Live == nil {
		return p, fmt.Errorf("provider %q: this build does not read its live data", name)
	}
	return p, nil
}
