package transform

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/transform/live"
)

// course is that of one fixture through archived cycles, taken step by step as
// the pipeline takes all of them. It is known by the provider's ids, as they were
// published. What the pipeline learns from the other fixtures alone is not known
// here: that a list lacked too many at once to be believed.
type course struct {
	fixture, event string // event may be ""
	lookup         func(name string) (provider.Provider, bool)
	traced         bool // steps tell where in the payloads all was found

	follow follow
}

// along gives do every step, nil of a cycle that tells nothing of the fixture, and
// what is wrong with a cycle that is passed by: one that is damaged, or that the
// pipeline would not read. done counts the cycles. It ends where do says so.
func (c *course) along(ctx context.Context, root durable.ReadFS, cycles []layout.CycleID, do func(done int, s *LiveStep, passed error) (goOn bool)) error {
	walk := raw.NewWalk(root)
	for i, id := range cycles {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var s *LiveStep
		a, err := walk.Open(id)
		if err == nil && a.Cycle().Outcome != raw.Failed {
			s, err = c.take(a)
		}
		if err != nil && !errors.Is(err, raw.ErrCorrupt) && !errors.Is(err, raw.ErrNotSealed) && !errors.Is(err, ErrQuarantined) {
			return fmt.Errorf("cycle %s: %w", id, err)
		}
		if !do(i+1, s, err) {
			return nil
		}
	}
	return nil
}

// take takes the step of one cycle; nil when nothing is known of the fixture yet.
func (c *course) take(a *raw.Archive) (*LiveStep, error) {
	f := &c.follow
	s := LiveStep{Cycle: a.Cycle().CycleID, Before: f.state}
	list, err := c.read(a, &s)
	if err != nil {
		return nil, err
	}
	switch f.sample = s.Sample; {
	case f.sample != nil:
		c.identify()
		f.fold()
		f.known = true
	case f.state == nil:
		return nil, nil
	default:
		f.unlisted(s.At, list.Complete && a.Cycle().ListingComplete)
	}
	s.After = f.state
	return &s, nil
}

// identify gives the sample the identity that settle gave it then: the market
// engine's from when it was known, and that of the live record where another
// fixture had it.
func (c *course) identify() {
	switch f := &c.follow; {
	case f.known && !isByEvent(f.state.FixtureID()):
		f.sample.ProviderFixtureID = f.state.FixtureID()
	case isByEvent(c.fixture):
		f.sample.ProviderFixtureID = c.fixture
	}
}

// read reads a cycle's list, and those details that speak of the fixture, and puts
// what they say of it into a step.
func (c *course) read(a *raw.Archive, s *LiveStep) (list provider.LiveSheet, err error) {
	adapter, err := liveAdapterOf(a, c.lookup)
	if err != nil {
		return list, err
	}
	s.Item = c.item()
	var pages []provider.Payload
	var lists, details []Origin
	var told []input.Sample
	for _, r := range a.Responses() {
		if !r.Accepted() || !adapter.IsList(r.Endpoint) && !adapter.IsDetail(r.Endpoint) {
			continue
		}
		payload, err := a.Payload(r)
		if err != nil {
			return list, err
		}
		if c.traced {
			payload.Trace = &provider.Trace{Only: s.Item}
		}
		if adapter.IsList(r.Endpoint) {
			pages, lists = append(pages, payload), append(lists, originOf(a, r, payload.Trace))
			if payload.FetchedAt.After(s.At) {
				s.At = payload.FetchedAt
			}
			continue
		}
		if !c.isNamedIn(payload.Body) {
			continue
		}
		if sheet, err := adapter.ReadDetail(payload); err == nil { // else the pipeline goes on without it
			details, told = append(details, originOf(a, r, payload.Trace)), append(told, sheet.Samples...)
		}
	}
	if len(pages) == 0 {
		return list, fmt.Errorf("%w: no list of fixtures in play", raw.ErrCorrupt)
	}
	if list, err = adapter.ReadList(pages); err != nil {
		return list, fmt.Errorf("%w: the list of fixtures in play: %w", ErrQuarantined, err)
	}
	s.Sample = c.pick(live.Join(list.Samples, told))
	s.Listed, s.Detail = holding(lists, s.Item), holding(details, s.Item)
	return list, tooManyBroken(list)
}

// item is the provider's id of the live record, as far as it is known.
func (c *course) item() string {
	if c.follow.state == nil {
		return c.event
	}
	return cmp.Or(c.follow.state.EventID(), c.event)
}

// isNamedIn tells whether a payload may be of the fixture.
func (c *course) isNamedIn(body []byte) bool {
	return c.event != "" && bytes.Contains(body, []byte(c.event)) || bytes.Contains(body, []byte(c.fixture))
}

// pick finds the fixture among those of a list: by the live record, else by the
// fixture, where a record was replaced by another. It is met when it is in play.
func (c *course) pick(samples []input.Sample) (found *input.Sample) {
	for i := range samples {
		s := &samples[i]
		switch {
		case c.event != "" && s.ProviderEventID == c.event:
			found = s
		case found == nil && s.ProviderFixtureID == c.fixture:
			found = s
		}
	}
	if found == nil || c.follow.state == nil && !live.Tracks(nil, found) {
		return nil
	}
	own := found.Clone() // hundreds of steps are kept, and no payload
	return &own
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
