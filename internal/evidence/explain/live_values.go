package explain

import (
	"fmt"
	"time"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform/live"
	"mkt/transform/live/rules"
	"mkt/transform/tracking"
)

// values adds the requested values to the report.
func (l *liveTrace) values() error {
	switch l.target.live {
	case "minute":
		return l.minute()
	case "timeline":
		return l.timeline()
	case "momentum":
		l.momentum()
		return nil
	}
	s := l.newestSample()
	switch {
	case s == nil && l.target.live == "counter":
		return l.unknown()
	case s == nil: // nothing to show
	case l.target.live == "counter":
		l.counter(s, l.target.name)
	case l.target.live == "score":
		l.score(s)
	case l.target.live == "clock":
		l.clock(s)
	default:
		l.fixtureInPlay(s)
	}
	return nil
}

// add adds a value. An absent value gets ruleAbsent as its rule.
func (l *liveTrace) add(v Value) {
	if v.State == IsAbsent {
		v.Rule = ruleAbsent
	}
	l.report.add(v)
}

func (l *liveTrace) fixtureInPlay(s *tracking.Step) {
	x := s.After.Brief().Fixture
	l.text(s, provider.FieldHome, x.Home)
	l.text(s, provider.FieldAway, x.Away)
	l.text(s, provider.FieldLeague, x.League)
	starts, _ := x.StartsAt.Get()
	from := l.places(s, provider.FieldStartsAt)
	l.add(Value{Field: provider.FieldStartsAt, State: stateOf(x.StartsAt.State()), Value: timeText(starts), Rule: startRule(from), From: from})
	l.score(s)
	l.clock(s)
	for _, c := range s.After.Brief().Counters {
		l.counter(s, string(c.Metric))
	}
}

func (l *liveTrace) text(s *tracking.Step, field string, value football.Field[string]) {
	l.add(Value{Field: field, State: stateOf(value.State()), Value: value.Or(""), Rule: ruleVerbatim, From: l.places(s, field)})
}

func stateOf(s football.State) State {
	return map[football.State]State{football.Missing: IsAbsent, football.Null: IsNull, football.Present: HasValue}[s]
}

func (l *liveTrace) score(s *tracking.Step) {
	score := s.After.Brief().Score
	v := Value{Field: provider.FieldScore, State: stateOf(score.Home.State()), Rule: "home first, as sent", From: l.places(s, provider.FieldScore)}
	if home, sent := score.Home.Get(); sent {
		v.Value = fmt.Sprintf("%d-%d", home, score.Away.Or(0))
	}
	l.add(v)
}

func (l *liveTrace) clock(s *tracking.Step) {
	l.add(Value{Field: provider.FieldClock, State: HasValue, Value: clockOf(s.After), From: l.places(s, provider.FieldClock),
		Rule: "the provider's clock, compared with the time since the sample before; stoppage time belongs to its half"})
}

func (l *liveTrace) counter(s *tracking.Step, name string) {
	v := Value{Field: "counters." + name, State: IsAbsent, Rule: ruleVerbatim + ": both sides of the newest sample", From: l.places(s, provider.FieldCounter+name)}
	for _, c := range s.After.Brief().Counters {
		if string(c.Metric) == name {
			v.State, v.Value = HasValue, counterText(c)
			if c.State() == football.BucketNull {
				v.State = IsNull
			}
		}
	}
	l.add(v)
}

// momentum adds the number and its inputs.
func (l *liveTrace) momentum() {
	last := l.last().After
	m, in := last.Momentum(), last.Inputs()
	v := Value{Field: "momentum", State: HasValue, Value: fmt.Sprintf("%d-%d, %s %s", m.Home, m.Away, m.Leader, m.Strength), Rule: in.Rule()}
	if !m.Available() {
		v.State, v.Value = IsNull, string(m.Reason)
	}
	l.add(v)
	for _, part := range in.Parts() {
		l.add(Value{Field: part.Name, State: HasValue, Value: part.Value, Rule: part.Rule})
	}
	l.add(Value{Field: "observed", State: HasValue, Value: fmt.Sprintf("%d s of match clock without a gap", in.Observed), Rule: fmt.Sprintf("%d s are enough", in.Enough)})
	if l.start == nil {
		l.report.doubt("no earlier state is kept: the trace began with a baseline, so fast and slow lack what came before it")
	} else {
		l.report.note(fmt.Sprintf("%d steps from the state that canonical cycle %s stores", len(l.steps), l.start.Cycle))
	}
	for _, s := range l.steps {
		switch {
		case s.Sample == nil:
		case s.Before == nil:
			l.step(s, "baseline")
		default:
			now := s.After.Inputs()
			l.step(s, fmt.Sprintf("fast %.3f home, %.3f away; slow %.3f home, %.3f away", now.Fast[0], now.Fast[1], now.Slow[0], now.Slow[1]))
		}
	}
}

// step adds a sample with its changed counters and its effect.
func (l *liveTrace) step(s *tracking.Step, gave string) {
	moved, fields := []string{}, []string{}
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
	l.report.Steps = append(l.report.Steps, Step{Cycle: string(s.Cycle), FetchedAt: s.At.UTC(), Sampled: s.Sample != nil, Clock: clockOf(s.After), Moved: moved,
		Gave: gave, From: l.places(s, append(fields, provider.FieldClock)...)})
}

// minute adds a minute and the samples with its points.
func (l *liveTrace) minute() error {
	n, added := l.target.number, l.target.added
	last := bucketOf(l.last().After, n, added)
	v := Value{Field: fmt.Sprintf("minute %d", n), State: HasValue, Value: fmt.Sprintf("%d-%d", last.Home, last.Away), Rule: rules.Minute(last.State)}
	if added > 0 {
		v.Field += fmt.Sprintf("+%d", added)
	}
	switch last.State {
	case football.BucketMissing:
		v.State, v.Value = IsAbsent, ""
	case football.BucketNull:
		v.State, v.Value = IsNull, ""
	}
	served, found, err := l.servedMinute(n, added)
	if err != nil {
		return err
	}
	if found && served != last {
		l.report.doubt(fmt.Sprintf("%s %d-%d was served, the samples give %s %d-%d", served.State, served.Home, served.Away, last.State, last.Home, last.Away))
	}
	l.report.add(v)
	for _, s := range l.steps {
		before, after := bucketOf(s.Before, n, added), bucketOf(s.After, n, added)
		if before != after || s.Sample != nil && isInMinute(s.After, n, added) {
			l.step(s, fmt.Sprintf("%+d home, %+d away: %s %d-%d", after.Home-before.Home, after.Away-before.Away, after.State, after.Home, after.Away))
		}
	}
	if len(l.report.Steps) == 0 {
		l.report.doubt("no archived sample is of that minute")
	}
	return nil
}

func bucketOf(s *live.State, minute, added int) football.Bucket {
	if s != nil {
		for _, b := range s.Live().Series.Buckets {
			if b.Minute == minute && b.Added == added {
				return b
			}
		}
	}
	return football.Bucket{Minute: minute, Added: added, State: football.BucketMissing}
}

func isInMinute(s *live.State, minute, added int) bool {
	c := s.Brief().Clock
	m, known := c.Minute.Get()
	half := c.Phase.Half()
	if !known || half == 0 {
		return false
	}
	regular := min(m+1, football.HalfEnds(half))
	return regular == minute && m+1-regular == added
}

func (l *liveTrace) servedMinute(n, added int) (b football.Bucket, found bool, err error) {
	if l.row == nil || l.row.DetailRank == nil {
		return b, false, nil
	}
	err = scan(l.explainer, layout.LiveBucketsFile, func(r *table.LiveBucketRow) bool {
		if r.FixtureID == l.target.fixture && int(r.Minute) == n && int(r.Added) == added {
			b, found = football.Bucket{Minute: n, Added: added, State: football.BucketState(r.State), Home: int(valueOr(r.Home, 0)), Away: int(valueOr(r.Away, 0))}, true
		}
		return r.FixtureID > l.target.fixture
	})
	return b, found, err
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
