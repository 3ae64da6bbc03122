package explain

import (
	"fmt"

	"mkt/fetch/provider"
	"mkt/publish/football"
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
