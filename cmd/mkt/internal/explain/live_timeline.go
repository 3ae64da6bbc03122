package explain

import (
	"fmt"
	"strings"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/transform"
	"mkt/transform/live"
)

// timeline tells the rule of every entry, or of one, and the step it came with.
func (l *liveTrail) timeline() error {
	entries := l.steps[len(l.steps)-1].After.Live().Timeline
	if l.target.number > len(entries) {
		return fmt.Errorf("%s: %w: the timeline has %d so far", l.target.text, ErrUnknown, len(entries))
	}
	for i, entry := range entries {
		if n := l.target.number; n > 0 && n != i+1 {
			continue
		}
		words := []string{string(entry.State), string(entry.Certainty)}
		if entry.SideProven != football.SideNone {
			words = append(words, string(entry.SideProven))
		}
		v := Value{Field: fmt.Sprintf("timeline %d, %02d:%02d", i+1, entry.Minute, entry.Second), State: HasValue,
			Value: strings.Join(words, " "), Rule: live.RuleOf(entry.State, entry.Certainty)}
		if s := l.stepAt(entry); s != nil {
			v.From = l.pieces(s, l.evidence(s, entry)...)
			if l.target.number > 0 {
				l.step(s, "entered "+v.Value)
			}
		} else {
			l.report.note(fmt.Sprintf("entry %d came before the samples that are still there: %s", i+1, entry.At.UTC().Format("15:04:05")))
		}
		l.add(v)
	}
	return nil
}

// stepAt is the step that an entry came with.
func (l *liveTrail) stepAt(entry football.TimelineEntry) *transform.LiveStep {
	for i := range l.steps {
		if s := &l.steps[i]; s.After.At().Equal(entry.At) {
			return s
		}
	}
	return nil
}

// evidence are the fields of a step's sample that an entry speaks of: what moved,
// the clock, and the events of the provider's own list in its minute.
func (l *liveTrail) evidence(s *transform.LiveStep, entry football.TimelineEntry) []string {
	fields := []string{provider.FieldClock}
	if entry.Certainty == football.Exact && s.Sample != nil {
		for _, i := range s.Sample.Incidents.Or(nil) {
			if i.Minute-1+i.Added == entry.Minute || i.Minute == entry.Minute {
				fields = append(fields, provider.FieldIncident+i.ID)
			}
		}
	}
	counters := map[football.VisualState][]football.Metric{
		football.VisualCorner: {football.Corners}, football.VisualCard: {football.YellowCards, football.RedCards}, football.VisualPenalty: {football.Penalties},
		football.VisualSubstitution: {football.Substitutions}, football.VisualAttack: {football.DangerousAttacks, football.Attacks},
		football.VisualDanger:   {football.OnTarget, football.OffTarget, football.DangerousAttacks},
		football.VisualPressure: {football.DangerousAttacks, football.OnTarget, football.OffTarget, football.Corners},
	}[entry.State]
	for _, m := range counters {
		fields = append(fields, provider.FieldCounter+string(m))
	}
	if entry.State == football.VisualGoal {
		fields = append(fields, provider.FieldScore)
	}
	return fields
}
