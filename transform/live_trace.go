package transform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
)

// TraceOptions says which fixture to follow, and through which raw cycles.
type TraceOptions struct {
	Root durable.ReadFS // of the tenant and live_intelligence
	// The provider's ids of the fixture, as published; the second may be "".
	ProviderFixtureID, ProviderEventID string
	From, To                           time.Time // when the first and the last cycle began
	// Provider finds an adapter by name; nil = every one there is.
	Provider func(name string) (provider.Provider, bool)
	Progress func(at time.Time) // of each cycle that lists the fixture or once did; may be nil
}

// Trace is how a fixture stood cycle by cycle: what a snapshot, which holds only
// the newest moment, does not tell.
type Trace struct {
	Moments []football.Live // by time, without timeline, series and periods
	Damaged int             // cycles, and packs of cycles, that could not be read
}

// TraceLive follows one fixture through archived cycles with the very fold that
// made what was published, from the first cycle that lists it. It needs no key,
// knows the fixture by the provider's ids, and writes nothing. When the range
// begins where the fixture was met first, it ends in the state that was published.
func TraceLive(ctx context.Context, o TraceOptions) (found Trace, err error) {
	c := course{fixture: o.ProviderFixtureID, event: o.ProviderEventID, lookup: o.Provider}
	if c.lookup == nil {
		c.lookup = all.Lookup
	}
	cycles, err := raw.Between(o.Root, o.From, o.To)
	if errors.Is(err, raw.ErrCorrupt) {
		found.Damaged++
	} else if err != nil {
		return found, fmt.Errorf("follow fixture: %w", err)
	}
	err = c.along(ctx, o.Root, cycles, func(_ int, s *LiveStep, passed error) bool {
		if passed != nil {
			found.Damaged++
		}
		if s != nil {
			found.Moments = append(found.Moments, s.After.Brief())
			if o.Progress != nil {
				o.Progress(s.At)
			}
		}
		return true
	})
	if err != nil {
		return found, fmt.Errorf("follow fixture: %w", err)
	}
	return found, nil
}
