package tracking

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/transform/live"
	"mkt/transform/reading"
)

// TraceOptions selects the fixture and the archived cycles of [Trace].
type TraceOptions struct {
	Root durable.ReadFS // of the tenant and live_intelligence; only read
	// Fixture and Event are the provider's ids, as published. Event may be "".
	Fixture, Event string
	// Source is the name of the fixture's provider. If the account used another one in between, a
	// cycle of it ends the state of the fixture. "" is any provider.
	Source   string
	From, To time.Time // when the first and the last cycle began; a zero time is no bound
	Start    *State    // the state before the first cycle; nil begins with a baseline
	// Sources records the places in the payloads of each step's values.
	Sources  bool
	Provider func(name string) (provider.Provider, bool) // nil means every registered adapter
	Progress func(done, total int)                       // counts cycles; may be nil
}

// Step is the effect of one cycle on one fixture in play.
type Step struct {
	Cycle         layout.CycleID
	At            time.Time      // the newest retrieval of the list
	Listed        reading.Origin // the page of the list with the fixture; Number is 0 if none has it
	Detail        reading.Origin // the detail whose events were joined; Number is 0 if there was none
	Item          string         // the provider's id of the item in both
	Sample        *input.Sample
	Before, After *live.State // Before is nil for the first sample

	fetchedAt time.Time
}

// State returns the state for continuing the trace of the same fixture after this step.
func (s *Step) State() State {
	return State{Cycle: s.Cycle, Fixture: s.After.FixtureID(), Event: s.After.EventID(), State: *s.After, fetchedAt: s.fetchedAt}
}

// Trace takes one fixture through archived cycles with the pipeline's own code, and calls do
// with each step from the first cycle that lists the fixture. It returns the number of damaged
// cycles and packs of cycles; the pipeline skips them as well. It needs no key and writes nothing.
// Unlike the pipeline it does not know the other fixtures, so it does not notice a list without too
// many at once.
func Trace(ctx context.Context, o TraceOptions, do func(*Step)) (damaged int, err error) {
	if o.Provider == nil {
		o.Provider = all.Lookup
	}
	t := tracer{TraceOptions: o}
	if s := o.Start; s != nil {
		t.track = track{state: &s.State, known: true, fetchedAt: s.fetchedAt}
	}
	cycles, err := raw.Between(o.Root, o.From, o.To)
	if errors.Is(err, raw.ErrCorrupt) {
		damaged++
	} else if err != nil {
		return 0, fmt.Errorf("trace fixture: %w", err)
	}
	walk := raw.NewWalk(o.Root)
	for i, id := range cycles {
		if ctx.Err() != nil {
			return damaged, context.Cause(ctx)
		}
		step, err := t.step(walk, id)
		switch {
		case errors.Is(err, raw.ErrCorrupt), errors.Is(err, raw.ErrNotSealed), errors.Is(err, reading.ErrQuarantined), errors.Is(err, reading.ErrNoCycle):
			damaged++
		case err != nil:
			return damaged, fmt.Errorf("trace fixture: cycle %s: %w", id, err)
		case step != nil:
			do(step)
		}
		if o.Progress != nil {
			o.Progress(i+1, len(cycles))
		}
	}
	return damaged, nil
}

type tracer struct {
	TraceOptions
	track track
}

// step returns the step of one cycle, nil if the fixture is not known yet or the
// retrieval failed.
func (t *tracer) step(walk *raw.Walk, id layout.CycleID) (*Step, error) {
	a, err := walk.Open(id)
	if err != nil || a.Cycle().Outcome == raw.Failed {
		return nil, err
	}
	if t.Source != "" && a.Cycle().Provider != t.Source {
		t.track = track{}
		return nil, nil
	}
	s := Step{Cycle: id, Before: t.track.state, Item: t.Event}
	if s.Before != nil {
		s.Item = cmp.Or(s.Before.EventID(), t.Event)
	}
	p, err := providerOf(a, t.Provider)
	if err != nil {
		return nil, err
	}
	var newTrace func() *provider.Trace
	if t.Sources {
		newTrace = func() *provider.Trace { return &provider.Trace{Only: s.Item} }
	}
	sheets, err := readSheets(a, p.Live, nil, newTrace, t.isNamedIn)
	if err == nil {
		err = tooManyBroken(sheets.list)
	}
	if err != nil {
		return nil, err
	}
	s.At = sheets.at
	s.Sample = t.pick(live.Join(sheets.list.Samples, sheets.detailSamples()))
	s.Listed = reading.LastWith(s.Item, sheets.pages)
	s.Detail = reading.LastWith(s.Item, sheets.detailOrigins())
	switch t.track.sample = s.Sample; {
	case s.Sample != nil:
		t.identify()
		t.track.fold()
		t.track.known = true
	case s.Before == nil:
		return nil, nil
	default:
		t.track.passUnlisted(s.At, sheets.list.Complete && a.Cycle().ListingComplete && !slices.Contains(sheets.list.Unread, s.Before.EventID()))
	}
	s.After, s.fetchedAt = t.track.state, t.track.fetchedAt
	return &s, nil
}

// identify gives the sample the identity assigned by the pipeline: the market engine's as soon as
// it is known, or the live record's if another fixture has the former.
func (t *tracer) identify() {
	t.track.keepIdentity()
	if isByEvent(t.Fixture) && (t.track.state == nil || isByEvent(t.track.state.FixtureID())) {
		t.track.sample.ProviderFixtureID = t.Fixture
	}
}

// isNamedIn reports whether a payload may be of the fixture.
func (t *tracer) isNamedIn(body []byte) bool {
	return t.Event != "" && bytes.Contains(body, []byte(t.Event)) || bytes.Contains(body, []byte(t.Fixture))
}

// pick returns the sample of the fixture: the one of its live record, or of the fixture if
// another record replaced it. The first sample must be in play.
func (t *tracer) pick(samples []input.Sample) (found *input.Sample) {
	for i := range samples {
		s := &samples[i]
		switch {
		case t.Event != "" && s.ProviderEventID == t.Event:
			found = s
		case found == nil && s.ProviderFixtureID == t.Fixture:
			found = s
		}
	}
	if found == nil || t.track.state == nil && !live.Tracks(nil, found) {
		return nil
	}
	own := found.Clone() // callers keep hundreds of steps, which must not keep their payloads in memory
	return &own
}
