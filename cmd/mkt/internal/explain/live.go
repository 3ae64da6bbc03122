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
	"mkt/publish/table"
	"mkt/transform"
	"mkt/transform/live"
)

// live explains what live intelligence served. The steps of the fixture are taken
// once more, from a state that a canonical cycle keeps, over the archived samples.
func (e *explainer) live(ctx context.Context) error {
	if e.target.fixture == "" {
		return e.unknown()
	}
	e.report.Kind = "live"
	l := &liveTrail{explainer: e}
	if err := l.identify(); err != nil {
		return err
	}
	if err := l.walk(ctx); err != nil {
		return err
	}
	if len(l.steps) == 0 {
		e.report.doubt("the samples that it was made of are not there any more (retention.cycle_age)")
		return nil
	}
	l.compare()
	return l.tell()
}

// liveTrail is a fixture in play and the steps that led to what was served.
type liveTrail struct {
	*explainer
	row     *table.LiveRow // nil when the snapshot is not kept
	begin   transform.LiveBegin
	began   bool // begin is a state to start from
	fixture string
	event   string
	steps   []transform.LiveStep
}

// identify finds the provider's ids of the fixture: in the snapshot, or in a
// canonical cycle near it.
func (l *liveTrail) identify() error {
	l.report.Rules = Rules{Then: cmp.Or(l.manifest.DerivationVersion, live.Rules), Now: live.Rules}
	if !l.report.Publication.Kept {
		l.report.note("the snapshot was deleted by retention: the values are made again from the archived samples")
		return l.identifyIn(l.canonicals())
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
	l.fixture, l.event = l.row.ProviderFixtureID, or(l.row.ProviderEventID)
	l.report.Title = words(l.row.Home) + " - " + words(l.row.Away)
	return nil
}

func words(s *string) string {
	if s == nil {
		return "?"
	}
	return *s
}

// canonicals lists the canonical cycles, nearest to the publication first.
func (l *liveTrail) canonicals() []layout.CycleID {
	entries, err := l.Root.ReadDir(layout.CanonicalDir)
	if err != nil {
		return nil
	}
	var ids []layout.CycleID
	for _, entry := range entries {
		if id, ok := layout.ParseCycleDir(entry.Name()); ok {
			ids = append(ids, id)
		}
	}
	at := timeOf(l.commit.CycleID)
	slices.SortFunc(ids, func(a, b layout.CycleID) int {
		return cmp.Compare(timeOf(a).Sub(at).Abs(), timeOf(b).Sub(at).Abs())
	})
	return ids
}

func timeOf(c layout.CycleID) time.Time {
	at, _, _ := layout.ParseCycleID(string(c)) // of our own names
	return at
}

func (l *liveTrail) identifyIn(cycles []layout.CycleID) error {
	for _, id := range cycles {
		begin, found, err := transform.LiveBegins(l.Root, id, l.is)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if found {
			l.fixture, l.event = begin.Fixture, begin.Event
			brief := begin.State.Brief()
			l.report.Title = brief.Fixture.Home.Or("?") + " - " + brief.Fixture.Away.Or("?")
			return nil
		}
	}
	return l.unknown()
}

func (l *liveTrail) is(r *table.LiveStateRow) bool { return r.FixtureID == l.target.fixture }

// compare holds what the steps came to against what was served.
func (l *liveTrail) compare() {
	last := l.steps[len(l.steps)-1]
	l.report.Cycle = string(last.Cycle)
	if newest := l.newestSample(); newest != nil {
		l.report.Cycle = string(newest.Cycle)
		l.report.CarriedOver = newest.Cycle != l.commit.CycleID
	}
	if last.Cycle != l.commit.CycleID {
		l.report.doubt(fmt.Sprintf("the samples of cycle %s are not there: the newest before it is of %s", l.commit.CycleID, last.Cycle))
	}
	if l.row == nil {
		return
	}
	shown := last.After.Brief()
	again := table.LiveOf(&shown, l.row.ProviderFetchedAt, 0)
	var differs []string
	for name, same := range map[string]bool{
		"score":        equal(again.ScoreHome, l.row.ScoreHome) && equal(again.ScoreAway, l.row.ScoreAway),
		"clock":        equal(again.ClockMinute, l.row.ClockMinute) && equal(again.ClockSecond, l.row.ClockSecond),
		"momentum":     !l.began || equal(again.MomentumHome, l.row.MomentumHome) && equal(again.UnavailableReason, l.row.UnavailableReason),
		"visual_state": !l.began || equal(again.VisualState, l.row.VisualState),
	} {
		if !same {
			differs = append(differs, name)
		}
	}
	slices.Sort(differs)
	if len(differs) > 0 {
		l.report.doubt("the samples, folded by the rules of this build, differ from what was served in " + list(differs))
	}
}

func equal[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// newestSample is the last step that the fixture was sampled in.
func (l *liveTrail) newestSample() *transform.LiveStep {
	for i := len(l.steps) - 1; i >= 0; i-- {
		if l.steps[i].Sample != nil {
			return &l.steps[i]
		}
	}
	return nil
}

// pieces are the places of some fields in a step's sample, noted as a source.
func (l *liveTrail) pieces(s *transform.LiveStep, fields ...string) (from []Piece) {
	for _, o := range []transform.Origin{s.Listed, s.Detail} {
		for _, f := range o.Trace.Of(provider.Subject{Fixture: s.Item}) {
			if slices.Contains(fields, f.Field) && (o.Number == s.Listed.Number || isJoined(s, f.Field)) {
				l.source(o)
				from = append(from, Piece{Cycle: string(s.Cycle), Response: o.Number, Path: f.Path, Text: cut(f.Text, maxText), Says: f.Field})
			}
		}
	}
	return from
}

// isJoined reports whether a field was taken from the detail: an incident or a counter,
// of which the list told none.
func isJoined(s *transform.LiveStep, field string) bool {
	for _, kind := range []string{provider.FieldIncident, provider.FieldCounter} {
		if strings.HasPrefix(field, kind) {
			return !slices.ContainsFunc(s.Listed.Trace.Of(provider.Subject{Fixture: s.Item}), func(f provider.Found) bool { return strings.HasPrefix(f.Field, kind) })
		}
	}
	return false
}

// clockOf is the scoreboard's clock of a state.
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
