package explain

import (
	"fmt"

	"mkt/fetch/provider"
	"mkt/transform"
)

// momentum tells what the number was made of.
func (l *liveTrail) momentum() {
	last := &l.steps[len(l.steps)-1]
	m, in := last.After.Momentum(), last.After.Inputs()
	v := Value{Field: "momentum", State: HasValue, Value: fmt.Sprintf("%d-%d, %s %s", m.Home, m.Away, m.Leader, m.Strength)}
	if !m.Available() {
		v.State, v.Value = IsNull, string(m.Reason)
	}
	v.Rule = in.Rule()
	l.add(v)
	for _, part := range in.Parts() {
		l.add(Value{Field: part.Name, State: HasValue, Value: part.Value, Rule: part.Rule})
	}
	l.add(Value{Field: "observed", State: HasValue, Value: fmt.Sprintf("%d s of match clock without a gap", in.Observed), Rule: fmt.Sprintf("%d s are enough", in.Enough)})
	if !l.began {
		l.report.doubt("no state from before is kept: the walk began with a baseline, so that fast and slow lack what came before it")
	} else {
		l.report.note(fmt.Sprintf("from the state that canonical cycle %s keeps, %d steps", l.begin.Cycle, len(l.steps)))
	}
	for i := range l.steps {
		if s := &l.steps[i]; s.Sample != nil {
			l.step(s, pointsText(s))
		}
	}
}

// pointsText is how a step moved the fast part.
func pointsText(s *transform.LiveStep) string {
	if s.Before == nil {
		return "baseline"
	}
	now := s.After.Inputs()
	return fmt.Sprintf("fast %.3f home, %.3f away; slow %.3f home, %.3f away", now.Fast[0], now.Fast[1], now.Slow[0], now.Slow[1])
}

// step adds a sample with the counters that are others than before.
func (l *liveTrail) step(s *transform.LiveStep, gave string) {
	var moved, fields []string
	before := countersOf(s.Before)
	for _, c := range s.After.Brief().Counters {
		if was, met := before[c.Metric]; met && was != counterText(c) {
			moved = append(moved, fmt.Sprintf("%s %s → %s", c.Metric, was, counterText(c)))
			fields = append(fields, provider.FieldCounter+string(c.Metric))
		}
	}
	if s.Before != nil && s.Before.Brief().Score != s.After.Brief().Score {
		moved, fields = append(moved, "score"), append(fields, provider.FieldScore)
	}
	fields = append(fields, provider.FieldClock)
	x := Step{Cycle: string(s.Cycle), FetchedAt: s.At.UTC(), Sampled: s.Sample != nil, Clock: clockOf(s.After), Moved: moved, Gave: gave, From: l.pieces(s, fields...)}
	if x.Moved == nil {
		x.Moved = []string{}
	}
	l.report.Steps = append(l.report.Steps, x)
}
