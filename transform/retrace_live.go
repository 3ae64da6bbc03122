package transform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform/live"
)

// LiveOptions say which steps of which fixture are taken once more.
type LiveOptions struct {
	Root     durable.FS // of the tenant and product
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
	Sample        *football.Sample
	Before, After *live.State // nil before its first sample
}

// RetraceLive takes the steps of a fixture once more. A cycle that is damaged or
// not readable is passed by, as the pipeline passes it by.
func RetraceLive(ctx context.Context, o LiveOptions) ([]LiveStep, error) {
	if o.Provider.Live == nil {
		return nil, fmt.Errorf("provider %q: nothing here reads its live data", o.Provider.Name)
	}
	var steps []LiveStep
	follows := follow{}
	if o.From != nil {
		follows = follow{state: &o.From.State, known: true, fetchedAt: o.From.fetchedAt}
	}
	walk := raw.NewWalk(o.Root)
	for i, id := range o.Cycles {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		a, err := walk.Open(id)
		if err == nil && a.Cycle().Outcome != raw.Failed {
			var step *LiveStep
			if step, err = o.step(a, &follows); step != nil {
				steps = append(steps, *step)
			}
		}
		if err != nil && !errors.Is(err, raw.ErrCorrupt) && !errors.Is(err, raw.ErrNotSealed) {
			return nil, fmt.Errorf("cycle %s: %w", id, err)
		}
		if o.Progress != nil {
			o.Progress(i+1, len(o.Cycles))
		}
		if n := len(steps); n > 0 && o.Until != nil && o.Until(&steps[n-1]) {
			break
		}
	}
	return steps, nil
}

// step takes one cycle; nil when it tells nothing of the fixture and nothing was
// known of it.
func (o *LiveOptions) step(a *raw.Archive, f *follow) (*LiveStep, error) {
	step := LiveStep{Cycle: a.Cycle().CycleID, Item: o.Event, Before: f.state}
	list, err := o.readCycle(a, &step)
	if err != nil {
		return nil, err
	}
	f.sample = nil
	if step.Sample != nil {
		f.sample = step.Sample
		if f.known {
			f.sample.ProviderFixtureID = f.state.FixtureID()
		}
		if f.state != nil || live.Follows(nil, f.sample) {
			f.fold()
			f.known = true
		}
	} else if f.state != nil {
		if f.missing(step.At) && list.Complete && a.Cycle().ListingComplete {
			f.step(live.Leave(*f.state, step.At))
		} else {
			f.step(live.Pass(*f.state, step.At))
		}
	}
	step.After = f.state
	if f.state == nil {
		return nil, nil
	}
	return &step, nil
}

// readCycle reads a cycle's list, and the detail of the fixture, with traces.
func (o *LiveOptions) readCycle(a *raw.Archive, step *LiveStep) (provider.LiveSheet, error) {
	adapter := o.Provider.Live
	var pages []provider.Payload
	var lists, details []Origin
	var told []football.Sample
	for _, r := range a.Responses() {
		if !r.Accepted() || !adapter.IsList(r.Endpoint) && !adapter.IsDetail(r.Endpoint) {
			continue
		}
		p, err := a.Payload(r)
		if err != nil {
			return provider.LiveSheet{}, err
		}
		p.Trace = &provider.Trace{Only: o.Event}
		if adapter.IsList(r.Endpoint) {
			pages, lists = append(pages, p), append(lists, originOf(a, r, p.Trace))
			if p.FetchedAt.After(step.At) {
				step.At = p.FetchedAt
			}
			continue
		}
		sheet, err := adapter.ReadDetail(p)
		if err != nil {
			continue // as the pipeline goes on without it
		}
		details, told = append(details, originOf(a, r, p.Trace)), append(told, sheet.Samples...)
	}
	list, err := adapter.ReadList(pages)
	if err != nil {
		return list, fmt.Errorf("%w: %w", raw.ErrCorrupt, err)
	}
	joined := live.Join(list.Samples, told)
	for i := range joined {
		if o.is(&joined[i]) {
			step.Sample = &joined[i]
		}
	}
	step.Listed, step.Detail = holding(lists, o.Event), holding(details, o.Event)
	return list, nil
}

// is tells whether a sample is of the fixture.
func (o *LiveOptions) is(s *football.Sample) bool {
	return o.Event != "" && s.ProviderEventID == o.Event || o.Event == "" && s.ProviderFixtureID == o.Fixture
}

// holding is the last of them in which something of the item was found.
func holding(origins []Origin, item string) (last Origin) {
	for _, o := range origins {
		if o.Trace.Of(provider.Subject{Fixture: item}) != nil {
			last = o
		}
	}
	return last
}

// LiveBegins finds what a canonical cycle kept of a fixture; false when it has
// nothing of it, or a state that this version does not read.
func LiveBegins(root durable.FS, cycle layout.CycleID, is func(*table.LiveStateRow) bool) (begin LiveBegin, found bool, err error) {
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
