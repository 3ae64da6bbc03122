package transform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform/live"
)

// LiveOptions say which steps of which fixture are taken once more.
type LiveOptions struct {
	Root     durable.ReadFS // of the tenant and product
	Provider provider.Provider
	// Fixture and Event are the provider's ids, as the live rows have them.
	Fixture, Event string
	Cycles         []layout.CycleID // sealed raw cycles, in order
	From           *LiveBegin       // the state to begin from; nil begins with a baseline
	// Until, when not nil, ends the walk behind the first step for which it is so.
	Until    func(*LiveStep) bool
	Progress func(done, total int) // may be nil
}

// LiveBegin is the state of one fixture as a canonical cycle kept it.
type LiveBegin struct {
	Cycle     layout.CycleID
	FixtureID string
	Fixture   string // provider's
	Event     string // provider's
	State     live.State
	fetchedAt time.Time
}

// LiveStep is what one cycle did to one fixture in play: the same fold that the
// pipeline runs, over the same bytes.
type LiveStep struct {
	Cycle         layout.CycleID
	At            time.Time // the list's newest retrieval
	Listed        Origin    // the page of the list that has it; Number 0 when none has
	Detail        Origin    // the detail whose events were joined; Number 0 when there was none
	Item          string    // subject of what was found, the provider's id of the item
	Sample        *input.Sample
	Before, After *live.State // nil before its first sample
}

// RetraceLive takes the steps of a fixture once more. A cycle that is damaged or
// not readable is passed by, as the pipeline passes it by.
func RetraceLive(ctx context.Context, o LiveOptions) (steps []LiveStep, err error) {
	if o.Provider.Live == nil {
		return nil, fmt.Errorf("provider %q: nothing here reads its live data", o.Provider.Name)
	}
	c := course{fixture: o.Fixture, event: o.Event, traced: true,
		lookup: func(string) (provider.Provider, bool) { return o.Provider, true }}
	if o.From != nil {
		c.follow = follow{state: &o.From.State, known: true, fetchedAt: o.From.fetchedAt}
	}
	err = c.along(ctx, o.Root, o.Cycles, func(done int, s *LiveStep, _ error) bool {
		if s != nil {
			steps = append(steps, *s)
		}
		if o.Progress != nil {
			o.Progress(done, len(o.Cycles))
		}
		n := len(steps)
		return n == 0 || o.Until == nil || !o.Until(&steps[n-1])
	})
	if err != nil {
		return nil, err
	}
	return steps, nil
}

// LiveBegins finds what a canonical cycle kept of a fixture; false when it has
// nothing of it, or a state that this version does not read.
func LiveBegins(root durable.ReadFS, cycle layout.CycleID, is func(*table.LiveStateRow) bool) (begin LiveBegin, found bool, err error) {
	err = eachState(root, cycle, func(row *table.LiveStateRow) error {
		if found || !is(row) {
			return nil
		}
		state, err := live.Decode(row.State)
		if errors.Is(err, live.ErrVersion) {
			return nil
		}
		begin = LiveBegin{Cycle: cycle, FixtureID: row.FixtureID, Fixture: row.ProviderFixtureID, State: state, fetchedAt: row.FetchedAt.UTC()}
		if row.ProviderEventID != nil {
			begin.Event = *row.ProviderEventID
		}
		found = err == nil
		return err
	})
	return begin, found, err
}
