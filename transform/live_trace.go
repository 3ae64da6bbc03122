package transform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/transform/live"
)

// TraceOptions says which fixture to follow, and through which raw cycles.
type TraceOptions struct {
	Root durable.FS // of the tenant and live_intelligence
	// The provider's ids of the fixture, as published; the second may be "".
	ProviderFixtureID, ProviderEventID string
	From, To                           time.Time // when the first and the last cycle began
	// Provider finds an adapter by name; nil = every one there is.
	Provider func(name string) (provider.Provider, bool)
	Progress func(at time.Time) // of each cycle that was read; may be nil
}

// Trace is how a fixture stood cycle by cycle: what a snapshot, which holds only
// the newest moment, does not tell.
type Trace struct {
	Moments []football.Live // by time, without timeline, series and periods
	Damaged int             // cycles that could not be read
}

// TraceLive follows one fixture through archived cycles with the very fold that
// made what was published, from the first cycle that lists it. It needs no key,
// knows the fixture by the provider's ids, and writes nothing. When the range
// begins where the fixture was met first, it ends in the state that was published.
func TraceLive(ctx context.Context, o TraceOptions) (Trace, error) {
	if o.Provider == nil {
		o.Provider = all.Lookup
	}
	t := tracer{TraceOptions: o}
	cycles, err := raw.Between(o.Root, o.From, o.To)
	if errors.Is(err, raw.ErrCorrupt) {
		t.found.Damaged++
	} else if err != nil {
		return t.found, fmt.Errorf("follow fixture: %w", err)
	}
	walk := raw.NewWalk(o.Root)
	for _, id := range cycles {
		archive, err := walk.Open(id)
		if err == nil {
			err = t.cycle(archive)
		}
		switch {
		case ctx.Err() != nil:
			return t.found, ctx.Err()
		case errors.Is(err, raw.ErrCorrupt), errors.Is(err, ErrQuarantined):
			t.found.Damaged++
		case err != nil:
			return t.found, fmt.Errorf("follow fixture: %w", err)
		}
	}
	return t.found, nil
}

type tracer struct {
	TraceOptions
	follow follow
	found  Trace
}

// cycle takes the fixture one step on.
func (t *tracer) cycle(a *raw.Archive) error {
	if a.Cycle().Outcome == raw.Failed {
		return nil
	}
	list, details, at, err := t.read(a)
	if err != nil {
		return err
	}
	if t.Progress != nil {
		t.Progress(at)
	}
	t.follow.sample = t.pick(live.Join(list.Samples, details))
	f := &t.follow
	switch {
	case f.sample != nil:
		if f.known && !isByEvent(f.state.FixtureID()) {
			f.sample.ProviderFixtureID = f.state.FixtureID() // for good, as settle has it
		}
		f.fold()
		f.known = true
	case f.state == nil:
		return nil
	case f.missing(at) && (list.Complete && a.Cycle().ListingComplete || f.silent(at) >= live.Linger):
		f.step(live.Leave(*f.state, at))
	default:
		f.step(live.Pass(*f.state, at))
	}
	t.found.Moments = append(t.found.Moments, f.state.Brief())
	return nil
}

// pick finds the fixture among those of a list. It is met when it is in play.
func (t *tracer) pick(samples []football.Sample) *football.Sample {
	var found *football.Sample
	for i := range samples {
		s := &samples[i]
		switch {
		case t.ProviderEventID != "" && s.ProviderEventID == t.ProviderEventID:
			found = s
		case found == nil && s.ProviderFixtureID == t.ProviderFixtureID:
			found = s
		}
	}
	if found != nil && t.follow.state == nil && !live.Follows(nil, found) {
		return nil
	}
	return found
}

// read reads the list, and those details that speak of the fixture.
func (t *tracer) read(a *raw.Archive) (list provider.LiveSheet, details []football.Sample, at time.Time, err error) {
	adapter, err := liveAdapterOf(a, t.Provider)
	if err != nil {
		return list, nil, at, err
	}
	var pages []provider.Payload
	for _, response := range a.Responses() {
		if !response.Accepted() || !adapter.IsList(response.Endpoint) && !adapter.IsDetail(response.Endpoint) {
			continue
		}
		p, err := a.Payload(response)
		if err != nil {
			return list, nil, at, err
		}
		if adapter.IsList(response.Endpoint) {
			pages = append(pages, p)
			if p.FetchedAt.After(at) {
				at = p.FetchedAt
			}
		} else if t.isNamedIn(p.Body) {
			if sheet, err := adapter.ReadDetail(p); err == nil {
				details = append(details, sheet.Samples...)
			}
		}
	}
	if len(pages) == 0 {
		return list, nil, at, fmt.Errorf("%w: no list of fixtures in play", raw.ErrCorrupt)
	}
	if list, err = adapter.ReadList(pages); err != nil {
		return list, nil, at, fmt.Errorf("%w: the list of fixtures in play: %w", ErrQuarantined, err)
	}
	return list, details, at, tooManyBroken(list)
}

// isNamedIn tells whether a payload may be of the fixture.
func (t *tracer) isNamedIn(body []byte) bool {
	return t.ProviderEventID != "" && bytes.Contains(body, []byte(t.ProviderEventID)) ||
		bytes.Contains(body, []byte(t.ProviderFixtureID))
}
