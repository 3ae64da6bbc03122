package explain

import (
	"fmt"
	"slices"
	"strings"

	"mkt/fetch/provider"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
	"mkt/transform/live"
)

// tell says what was asked for.
func (l *liveTrail) tell() error {
	switch l.target.live {
	case "minute":
		return l.minute()
	case "timeline":
		return l.timeline()
	case "momentum":
		l.momentum()
		return nil
	case "counter":
		return l.counter(l.target.name)
	case "score", "clock":
		l.reading(l.target.live)
		return nil
	}
	l.fixtureInPlay()
	return nil
}

// fixtureInPlay tells of everything the newest sample said.
func (l *liveTrail) fixtureInPlay() {
	for _, field := range []string{provider.FieldHome, provider.FieldAway, provider.FieldLeague, provider.FieldStartsAt} {
		l.plain(field)
	}
	l.reading(provider.FieldScore)
	l.reading(provider.FieldClock)
	if s := l.newestSample(); s != nil {
		for _, c := range s.After.Brief().Counters {
			_ = l.counter(string(c.Metric)) // it is there
		}
	}
}

// plain tells of a text or time of the newest sample.
func (l *liveTrail) plain(field string) {
	s := l.newestSample()
	if s == nil {
		return
	}
	x := s.After.Brief().Fixture
	v := Value{Field: field, Rule: ruleVerbatim, From: l.pieces(s, field)}
	text := map[string]football.Field[string]{provider.FieldHome: x.Home, provider.FieldAway: x.Away, provider.FieldLeague: x.League}[field]
	if at, sent := x.StartsAt.Get(); field == provider.FieldStartsAt {
		v.Rule = ruleEpoch
		text = football.NullField[string]()
		if sent {
			text = football.Of(*timeText(&at))
		}
		if x.StartsAt.State() == football.Missing {
			text = football.Field[string]{}
		}
	}
	v.State, v.Value = stateOf(text.State()), text.Or("")
	l.add(v)
}

func stateOf(s football.State) State {
	return map[football.State]State{football.Missing: IsAbsent, football.Null: IsNull, football.Present: HasValue}[s]
}

// add adds a value, with its state in the rule where there is none.
func (l *liveTrail) add(v Value) {
	if v.State == IsAbsent {
		v.Rule = "the payload does not have the field"
	}
	if v.From == nil {
		v.From = []Piece{}
	}
	l.report.Values = append(l.report.Values, v)
}

// reading tells of the score or the clock.
func (l *liveTrail) reading(field string) {
	s := l.newestSample()
	if s == nil {
		return
	}
	v := Value{Field: field, State: HasValue, From: l.pieces(s, field)}
	if field == provider.FieldClock {
		v.Value, v.Rule = clockOf(s.After), "the provider's clock, held against the time that went by since the sample before; stoppage time belongs to its half"
	} else {
		score := s.After.Brief().Score
		v.State, v.Rule = stateOf(score.Home.State()), "home first, as sent"
		if home, sent := score.Home.Get(); sent {
			v.Value = fmt.Sprintf("%d-%d", home, score.Away.Or(0))
		}
	}
	l.add(v)
}

// counter tells of one counter.
func (l *liveTrail) counter(name string) error {
	s := l.newestSample()
	if s == nil {
		return l.unknown()
	}
	v := Value{Field: "counters." + name, State: IsAbsent, Rule: ruleVerbatim + ": both sides of the newest sample", From: l.pieces(s, provider.FieldCounter+name)}
	for _, c := range s.After.Brief().Counters {
		if string(c.Metric) == name {
			v.State, v.Value = HasValue, counterText(c)
			if c.State() == football.BucketNull {
				v.State = IsNull
			}
		}
	}
	l.add(v)
	return nil
}

// momentum tells what the number was made of.
func (l *liveTrail) momentum() {
	last := &l.steps[len(l.steps)-1]
	m, in := last.After.Momentum(), last.After.Inputs()
	v := Value{Field: "momentum", State: HasValue, Value: fmt.Sprintf("%d-%d, %s %s", m.Home, m.Away, m.Leader, m.Strength)}
	if !m.Available() {
		v.State, v.Value = IsNull, string(m.Reason)
	}
	v.Rule = fmt.Sprintf("home = round(100 × (%.3f + %.0f) / (%.3f + %.3f + 2 × %.0f)): pressure of both sides and a prior (docs/momentum.md)",
		in.Pressure[0], in.Prior, in.Pressure[0], in.Pressure[1], in.Prior)
	l.add(v)
	for _, part := range []struct {
		field, rule string
		value       [2]float64
	}{{"pressure", "max(0, fast) + 0.2 × max(0, slow)", in.Pressure}, {"fast", "points, halved every 120 s of match clock", in.Fast},
		{"slow", "points and possession, halved every 1800 s", in.Slow}} {
		l.add(Value{Field: part.field, State: HasValue, Value: fmt.Sprintf("%.6f home, %.6f away", part.value[0], part.value[1]), Rule: part.rule})
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
	return fmt.Sprintf("fast %.3f-%.3f, slow %.3f-%.3f", now.Fast[0], now.Fast[1], now.Slow[0], now.Slow[1])
}

// step adds a sample with the counters that are others than before.
func (l *liveTrail) step(s *transform.LiveStep, gave string) {
	var moved, fields []string
	before := map[football.Metric]string{}
	if s.Before != nil {
		for _, c := range s.Before.Brief().Counters {
			before[c.Metric] = counterText(c)
		}
	}
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

// bucketOf is a minute of a state; missing when it has not begun.
func bucketOf(s *live.State, minute int) football.Bucket {
	if s != nil {
		for _, b := range s.Live().Series.Buckets {
			if b.Minute == minute {
				return b
			}
		}
	}
	return football.Bucket{Minute: minute, State: football.BucketMissing}
}

// minute tells which samples gave a minute its points.
func (l *liveTrail) minute() error {
	n := l.target.number
	last := bucketOf(l.steps[len(l.steps)-1].After, n)
	rule := "2 × dangerous attacks + shots + 2 × corners (+ attacks, where dangerous ones are not sent) that moved while the clock ran in the minute; stoppage time belongs to 45, 90, 105 and 120"
	v := Value{Field: fmt.Sprintf("minute %d", n), State: HasValue, Value: fmt.Sprintf("%d-%d", last.Home, last.Away), Rule: rule}
	switch last.State {
	case football.BucketMissing:
		v.State, v.Value, v.Rule = IsAbsent, "", "no sample of the minute could be compared with one before"
	case football.BucketNull:
		v.State, v.Value = IsNull, ""
	}
	served, found, err := l.servedMinute(n)
	if err != nil {
		return err
	}
	if found && served != last {
		l.report.doubt(fmt.Sprintf("served was %s %d-%d, the samples give %s %d-%d", served.State, served.Home, served.Away, last.State, last.Home, last.Away))
	}
	v.From = []Piece{}
	l.report.Values = append(l.report.Values, v)
	for i := range l.steps {
		s := &l.steps[i]
		before, after := bucketOf(s.Before, n), bucketOf(s.After, n)
		if before == after {
			if s.Sample == nil || !plays(s.After, n) {
				continue
			}
		}
		l.step(s, fmt.Sprintf("%+d home, %+d away: %s %d-%d", after.Home-before.Home, after.Away-before.Away, after.State, after.Home, after.Away))
	}
	if len(l.report.Steps) == 0 {
		l.report.doubt("no archived sample is of that minute")
	}
	return nil
}

// plays tells whether a state's clock stands in a minute of play.
func plays(s *live.State, minute int) bool {
	c := s.Brief().Clock
	m, known := c.Minute.Get()
	return known && c.Phase.Half() != 0 && (m+1 == minute || m+1 > minute && slices.Contains([]int{45, 90, 105, 120}, minute) && m < minute+15)
}

// servedMinute is the minute as the snapshot has it; false when that has none.
func (l *liveTrail) servedMinute(n int) (b football.Bucket, found bool, err error) {
	if l.row == nil || l.row.DetailRank == nil {
		return b, false, nil
	}
	err = scan(l.explainer, layout.LiveBucketsFile, func(r *table.LiveBucketRow) bool {
		if r.FixtureID == l.target.fixture && int(r.Minute) == n {
			b, found = football.Bucket{Minute: n, State: football.BucketState(r.State), Home: number32(r.Home), Away: number32(r.Away)}, true
		}
		return r.FixtureID > l.target.fixture
	})
	return b, found, err
}

func number32(n *int32) int {
	if n == nil {
		return 0
	}
	return int(*n)
}

// timeline tells the rule of every entry, or of one, and the step it came with.
func (l *liveTrail) timeline() error {
	entries := l.steps[len(l.steps)-1].After.Live().Timeline
	if l.target.number > len(entries) {
		return fmt.Errorf("%s: there are %d entries: %w", l.target.text, len(entries), ErrUnknown)
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
