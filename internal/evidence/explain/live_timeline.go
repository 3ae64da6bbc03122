package explain

import (
	"fmt"
	"strings"
	"time"

	"mkt/fetch/input"
	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/transform/live"
	"mkt/transform/live/rules"
	"mkt/transform/tracking"
)

func (l *liveTrace) timeline() error {
	entries := l.last().After.Live().Timeline
	if l.target.number > len(entries) {
		return fmt.Errorf("%s: %w: the timeline has %d entries so far", l.target.text, ErrUnknown, len(entries))
	}
	for i, entry := range entries {
		if n := l.target.number; n > 0 && n != i+1 {
			continue
		}
		words := []string{string(entry.State), string(entry.Certainty)}
		if entry.SideProven != football.SideNone {
			words = append(words, string(entry.SideProven))
		}
		v := Value{Field: fmt.Sprintf("timeline %d, %s", i+1, placeOf(entry)), State: HasValue,
			Value: strings.Join(words, " "), Rule: rules.Of(entry.State, entry.Certainty)}
		s, listedIn := l.stepAt(entry.At), l.stepAt(entry.ListedAt)
		if s != nil {
			v.From = l.places(s, evidence(s, entry)...)
			if l.target.number > 0 {
				l.step(s, "entered "+v.Value)
			}
		}
		if listedIn != nil {
			v.From = append(v.From, l.places(listedIn, listed(listedIn, entry)...)...)
			if l.target.number > 0 && listedIn != s {
				l.step(listedIn, "the provider's own list has it")
			}
		}
		if s == nil && listedIn == nil {
			l.report.note(fmt.Sprintf("entry %d of %s is older than the samples that are still there", i+1, entry.At.UTC().Format("15:04:05")))
		}
		l.add(v)
	}
	if l.target.number == 0 {
		l.withdrawn()
	}
	return nil
}

// withdrawn adds the entries that were taken back, as published: which ones it were depends on the publications, and
// not on the samples alone. Each has the sample that no longer had it.
func (l *liveTrace) withdrawn() {
	if l.row == nil {
		return
	}
	for _, w := range l.row.Withdrawn {
		e := football.TimelineEntry{State: football.VisualState(w.State), Minute: whole(w.Minute), Second: whole(w.Second), Added: int(valueOr(w.Added, 0))}
		words := []string{w.State, w.Reason}
		if w.SideProven != string(football.SideNone) {
			words = append(words, w.SideProven)
		}
		v := Value{Field: "taken back, " + placeOf(e), State: HasValue, Value: strings.Join(words, " "), Rule: withdrawals[football.WithdrawalReason(w.Reason)]}
		if s := l.stepAt(w.WithdrawnAt); s != nil {
			v.From = l.places(s, evidence(s, e)...)
		}
		l.add(v)
	}
}

var withdrawals = map[football.WithdrawalReason]string{football.TookBack: "the provider's list does not have it any more",
	football.CounterFell: "the counter or the score does not include it any more", football.Replaced: "another entry is in its place", football.Restarted: "the timeline began again"}

func whole(n *int32) football.Field[int] {
	if n == nil {
		return football.Field[int]{}
	}
	return football.Of(int(*n))
}

func placeOf(entry football.TimelineEntry) string {
	minute, ok := entry.Minute.Get()
	if !ok {
		return "no timer sent"
	}
	if entry.Added > 0 {
		return fmt.Sprintf("%02d+%d", minute, entry.Added)
	}
	if second, ok := entry.Second.Get(); ok {
		return fmt.Sprintf("%02d:%02d", minute, second)
	}
	return fmt.Sprintf("%02d:--", minute)
}

// stepAt returns the first step at or after a time, nil if the time is before the first step.
func (l *liveTrace) stepAt(at time.Time) *tracking.Step {
	if at.IsZero() {
		return nil
	}
	for i, s := range l.steps {
		if s.After.At().Before(at) {
			continue
		}
		if i == 0 && s.Before != nil && !s.Before.At().Before(at) {
			return nil
		}
		return s
	}
	return nil
}

// states maps the provider's events to states of the timeline.
var states = map[input.IncidentKind]football.VisualState{input.IncidentGoal: football.VisualGoal, input.IncidentCorner: football.VisualCorner,
	input.IncidentYellowCard: football.VisualCard, input.IncidentRedCard: football.VisualCard, input.IncidentPenalty: football.VisualPenalty,
	input.IncidentSubstitution: football.VisualSubstitution}

// listed returns the fields of the provider's own events in a step's sample, as far as they have
// the kind, side and minute of an entry.
func listed(s *tracking.Step, entry football.TimelineEntry) (fields []string) {
	if s.Sample == nil {
		return nil
	}
	minute := entry.Minute.Or(0) + max(0, entry.Added-1)
	for _, i := range s.Sample.Incidents.Or(nil) {
		isOther := i.Side != entry.SideProven && i.Side != football.SideNone && entry.SideProven != football.SideNone
		if states[i.Kind] != entry.State || isOther {
			continue
		}
		if i.Minute-1+i.Added == minute {
			fields = append(fields, provider.FieldIncident+i.ID)
		}
	}
	return fields
}

// evidence returns the fields of a step's sample that prove an entry: the clock and the changed
// counters.
func evidence(s *tracking.Step, entry football.TimelineEntry) []string {
	fields := []string{provider.FieldClock}
	counters := map[football.VisualState][]football.Metric{
		football.VisualCorner: {football.Corners}, football.VisualCard: {football.YellowCards, football.RedCards}, football.VisualPenalty: {football.Penalties},
		football.VisualSubstitution: {football.Substitutions}, football.VisualAttack: {football.DangerousAttacks, football.Attacks},
		football.VisualDanger:   {football.OnTarget, football.OffTarget, football.DangerousAttacks},
		football.VisualPressure: {football.DangerousAttacks, football.OnTarget, football.OffTarget, football.Corners},
	}[entry.State]
	before, after := countersOf(s.Before), countersOf(s.After)
	for _, m := range counters {
		if before[m] != after[m] {
			fields = append(fields, provider.FieldCounter+string(m))
		}
	}
	if entry.State == football.VisualGoal && s.Before != nil && s.Before.Brief().Score != s.After.Brief().Score {
		fields = append(fields, provider.FieldScore)
	}
	return fields
}

func countersOf(s *live.State) map[football.Metric]string {
	texts := map[football.Metric]string{}
	if s != nil {
		for _, c := range s.Brief().Counters {
			texts[c.Metric] = counterText(c)
		}
	}
	return texts
}
