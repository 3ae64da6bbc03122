package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/publish/table/diff"
	"mkt/transform/live"
	"mkt/transform/live/rules"
	"mkt/transform/reading"
	"mkt/transform/tracking"
)

// live explains live intelligence. It replays the fixture over the archived samples, from a
// state in a canonical cycle.
func (e *explainer) live(ctx context.Context) error {
	if e.target.fixture == "" {
		return e.unknown()
	}
	e.report.Kind = "live"
	l := &liveTrace{explainer: e}
	if err := l.identify(); err != nil {
		return err
	}
	if err := l.trace(ctx); err != nil {
		return err
	}
	if len(l.steps) == 0 {
		e.report.doubt("the samples that it was made from were deleted by retention (retention.cycle_age)")
		return nil
	}
	l.compare()
	return l.values()
}

// liveTrace is a fixture in play and the steps that led to the served values.
type liveTrace struct {
	*explainer
	row            *table.LiveRow  // nil if the snapshot is not kept
	start          *tracking.State // nil if the trace begins with a baseline
	fixture, event string          // the provider's ids
	steps          []*tracking.Step
}

// identify finds the provider's ids of the fixture: in the snapshot, or in the
// canonical cycle nearest to it.
func (l *liveTrace) identify() error {
	l.report.Rules = Rules{Then: cmp.Or(l.manifest.DerivationVersion, rules.Version), Now: rules.Version}
	if !l.report.Publication.Kept {
		l.report.note("the snapshot was deleted by retention: the values are computed from the archived samples")
		return l.identifyByState()
	}
	err := scan(l.explainer, layout.LiveFile, func(r *table.LiveRow) bool {
		if r.FixtureID == l.target.fixture {
			row := *r
			l.row = &row
		}
		return r.FixtureID >= l.target.fixture
	})
	if err != nil {
		return err
	}
	if l.row == nil {
		return l.unknown()
	}
	l.fixture, l.event = l.row.ProviderFixtureID, valueOr(l.row.ProviderEventID, "")
	l.report.Title = valueOr(l.row.Home, "?") + " - " + valueOr(l.row.Away, "?")
	return nil
}

func (l *liveTrace) identifyByState() error {
	ids, err := snapshot.CyclesIn(l.Root, layout.CanonicalDir)
	if err != nil {
		return err
	}
	at := layout.TimeOf(l.commit.CycleID)
	slices.SortFunc(ids, func(a, b layout.CycleID) int {
		return cmp.Compare(layout.TimeOf(a).Sub(at).Abs(), layout.TimeOf(b).Sub(at).Abs())
	})
	for _, id := range ids {
		state, found, err := tracking.Find(l.Root, id, l.target.fixture)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if found {
			l.fixture, l.event = state.Fixture, state.Event
			f := state.State.Brief().Fixture
			l.report.Title = f.Home.Or("?") + " - " + f.Away.Or("?")
			return nil
		}
	}
	return l.unknown()
}

// margin is how much earlier than the value the trace begins: the engine remembers the former value
// of a falling counter for two minutes.
const margin = 3 * time.Minute

// trace replays the steps up to the publication. It begins with the newest state from before
// the time returned by beginning, or else with a baseline and the oldest sample.
func (l *liveTrace) trace(ctx context.Context) error {
	until := layout.TimeOf(l.commit.CycleID)
	from := l.beginning(until)
	ids, err := snapshot.CyclesIn(l.Root, layout.CanonicalDir)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(ids, func(id layout.CycleID) bool { return layout.TimeOf(id).After(from) }); i >= 0 {
		ids = ids[:i]
	}
	if n := len(ids); n > 0 {
		state, found, err := tracking.Find(l.Root, ids[n-1], l.target.fixture)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if found {
			l.start, from = &state, layout.TimeOf(state.Cycle).Add(time.Second)
		}
	}
	o := tracking.TraceOptions{Root: l.Root, Provider: l.Provider, Fixture: l.fixture, Event: l.event, Source: l.manifest.Provider, From: from, To: until, Start: l.start,
		Sources: true, Progress: l.Progress}
	damaged, err := tracking.Trace(ctx, o, func(s *tracking.Step) { l.steps = append(l.steps, s) })
	if damaged > 0 {
		l.report.doubt(fmt.Sprintf("%d damaged cycles were left out: run mkt verify", damaged))
	}
	return err
}

// beginning returns the latest time at which the trace must begin.
func (l *liveTrace) beginning(until time.Time) time.Time {
	switch {
	case l.target.live == "minute" && l.row != nil && l.row.ClockMinute != nil:
		back := max(0, int(*l.row.ClockMinute)-l.target.number+2)
		if l.target.number <= 45 && *l.row.ClockMinute >= 45 {
			back += 30 // half-time and stoppage time
		}
		return until.Add(-time.Duration(back)*time.Minute - margin)
	case l.target.live == "timeline", l.target.live == "minute":
		return time.Time{}
	}
	return until.Add(-margin)
}

// compare reports where the result of the steps differs from the served row.
func (l *liveTrace) compare() {
	last := l.last()
	l.report.Cycle = string(last.Cycle)
	if newest := l.newestSample(); newest != nil {
		l.report.Cycle = string(newest.Cycle)
		l.report.CarriedOver = newest.Cycle != l.commit.CycleID
	}
	if last.Cycle != l.commit.CycleID {
		l.report.doubt(fmt.Sprintf("the samples of cycle %s are missing: the newest ones before it are of cycle %s", l.commit.CycleID, last.Cycle))
	}
	if l.row == nil {
		return
	}
	brief := last.After.Brief()
	columns := []string{"score_home", "score_away", "clock_minute", "clock_second"}
	if l.start != nil {
		columns = append(columns, "momentum_home", "unavailable_reason", "visual_state")
	}
	now := canonical.Live(&brief, l.row.ProviderFetchedAt, 0)
	differing := diff.Columns(*l.row, now)
	differing = slices.DeleteFunc(differing, func(name string) bool { return !slices.Contains(columns, name) })
	if len(differing) > 0 {
		l.report.doubt("the samples, read by the rules of this build, differ from the served values in " + firstOf(differing))
	}
}

func (l *liveTrace) last() *tracking.Step { return l.steps[len(l.steps)-1] }

func (l *liveTrace) newestSample() *tracking.Step {
	for _, s := range slices.Backward(l.steps) {
		if s.Sample != nil {
			return s
		}
	}
	return nil
}

// places returns the places of some fields in a step's payloads, and adds the payloads to the
// sources.
func (l *liveTrace) places(s *tracking.Step, fields ...string) (from []Piece) {
	for _, o := range []reading.Origin{s.Listed, s.Detail} {
		for _, f := range o.Trace.Of(provider.Subject{Fixture: s.Item}) {
			if slices.Contains(fields, f.Field) && (o.Number == s.Listed.Number || isJoined(s, f.Field)) {
				l.source(o)
				from = append(from, pieceOf(o, f))
			}
		}
	}
	return from
}

// isJoined reports whether a field was taken from the detail: it is an incident or a
// counter, and the list has none of this kind.
func isJoined(s *tracking.Step, field string) bool {
	for _, kind := range []string{provider.FieldIncident, provider.FieldCounter} {
		if strings.HasPrefix(field, kind) {
			return !slices.ContainsFunc(s.Listed.Trace.Of(provider.Subject{Fixture: s.Item}), func(f provider.Found) bool { return strings.HasPrefix(f.Field, kind) })
		}
	}
	return false
}

func clockOf(s *live.State) string {
	c := s.Brief().Clock
	return fmt.Sprintf("%s %02d:%02d", cmp.Or(string(c.Phase), "-"), c.Minute.Or(0), c.Second.Or(0))
}

func counterText(c football.Counter) string { return number(c.Home) + "-" + number(c.Away) }

func number(f football.Field[football.Number]) string {
	switch n, sent := f.Get(); {
	case sent:
		return n.Text()
	case f.State() == football.Null:
		return "null"
	}
	return "absent"
}
