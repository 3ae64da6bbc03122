package clock

import (
	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/live/rules"
)

// Resolve interprets a sample's clock by the previous one, which is nil at first.
// elapsed is the time between the two samples, in seconds.
func Resolve(previous *Clock, s *input.Sample, elapsed int) Clock {
	r := &s.Clock
	next := Clock{Clock: football.Clock{Minute: r.Minute, Second: r.Second, Added: r.Added, Running: r.Running}}
	minute, sent := r.Minute.Get()
	next.Position = minute*60 + r.Second.Or(0)
	next.Known = sent
	next.Phase = phase(previous, &next, s, elapsed)
	next.Half = lastHalf(previous, &next, elapsed)
	next.Runs = s.Status == input.InPlay && r.Running.Or(true) && (next.Phase.Half() != 0 || !next.Known)
	return next
}

// lastHalf returns the half being played, or played last. After a half that no sample showed, the
// scoreboard says which it was.
func lastHalf(previous, next *Clock, elapsed int) int {
	p := next.Phase
	half := p.Half()
	if p == football.HalfTime {
		half = 1
	}
	if half == 0 && previous != nil {
		half = previous.Half
	}
	switch {
	case p != football.FullTime && p != football.Break && p != football.Shootout:
		return half
	case p == football.FullTime && half == 1 && elapsed < HalfEnds[1] && next.Position < HalfEnds[2]:
		return half // there was no time for the second one
	case p == football.Break && next.Position >= HalfEnds[3]:
		return max(half, 3)
	case p != football.Break && next.Position >= HalfEnds[4]:
		return 4
	}
	return max(half, 2)
}

func phase(previous, next *Clock, s *input.Sample, elapsed int) football.Phase {
	switch {
	case s.Status == input.Over:
		return football.FullTime
	case s.Status == input.NotStarted:
		return football.NoPhase
	case s.Clock.Shootout && s.Status != input.Off:
		return football.Shootout
	case s.Status == input.Off, !next.Known:
		return continuedPhase(previous)
	}
	half, ok := s.Clock.Half.Get()
	if !ok {
		half = guessHalf(previous, next, elapsed)
	}
	half = playedHalf(previous, next, half, elapsed)
	if !next.Running.Or(true) {
		return atRest(previous, half, next.Position, s)
	}
	switch half {
	case 0, 1:
		return football.FirstHalf
	case 2:
		return football.SecondHalf
	case 3:
		return football.ExtraFirstHalf
	case 4:
		return football.ExtraSecondHalf
	}
	return phaseAfterLastHalf(s)
}

// playedHalf returns the half being played, or played last. A provider may name the next half too
// early or too late, or another half in a single sample. The clock decides: it is set back at the
// beginning of a half, and at no other time.
func playedHalf(previous, next *Clock, half, elapsed int) int {
	running := next.Running.Or(true)
	if running && half >= 2 && half <= 4 && next.Position < HalfBegins[half] {
		half-- // its clock cannot show this position
	}
	if previous == nil || !previous.Known {
		return half
	}
	playing := previous.Phase.Half()
	switch {
	case playing == 0:
		ended := previous.Half
		if running && ended > 0 && ended < 4 && half == ended && next.Position >= HalfBegins[ended+1] && next.Position <= HalfBegins[ended+1]+elapsed+rules.ClockSlack {
			return ended + 1 // the provider does not name it yet
		}
	case half < playing && next.Position >= HalfBegins[playing]:
		return playing
	case running && half == playing+1 && distance(next.Position, previous.Position+elapsed) <= rules.ClockSlack:
		return playing
	}
	return half
}

func continuedPhase(previous *Clock) football.Phase {
	if previous == nil {
		return football.NoPhase
	}
	return previous.Phase
}

// guessHalf returns the half for a provider of minutes without a half. A minute between 45 and 60
// could be of either half.
func guessHalf(previous, next *Clock, elapsed int) int {
	switch {
	case next.Position < HalfEnds[1]:
		return 1
	case next.Position == HalfEnds[1] && !next.Running.Or(true):
		return 2 // half-time
	case next.Position > 60*60:
		return 2
	}
	if previous != nil && previous.Phase == football.FirstHalf &&
		distance(next.Position, previous.Position+elapsed) <= rules.ClockSlack {
		return 1
	}
	return 2
}

// atRest returns the phase of a stopped clock. At the first or last second of a half it is a
// break, elsewhere a stop in play.
func atRest(previous *Clock, half, position int, s *input.Sample) football.Phase {
	switch half {
	case 0, 1:
		if position == 0 {
			return football.NoPhase
		}
		if position == HalfEnds[1] {
			return football.HalfTime
		}
		return football.FirstHalf
	case 2:
		if position <= HalfBegins[2] {
			return football.HalfTime
		}
		if position == HalfEnds[2] {
			return football.FullTime
		}
		if previous != nil && previous.Phase == football.FirstHalf && position < 60*60 {
			return football.FirstHalf // a stop in stoppage time, the half called early
		}
		return football.SecondHalf
	case 3:
		if position <= HalfBegins[3] || position == HalfEnds[3] {
			return football.Break
		}
		return football.ExtraFirstHalf
	case 4:
		if position <= HalfBegins[4] {
			return football.Break
		}
		if position < HalfEnds[4] {
			return football.ExtraSecondHalf
		}
	}
	return phaseAfterLastHalf(s)
}

// phaseAfterLastHalf returns the phase after the last half, if the provider does not say whether
// a shoot-out follows. Only a level score leads to one.
func phaseAfterLastHalf(s *input.Sample) football.Phase {
	home, okHome := s.Score.Home.Get()
	away, okAway := s.Score.Away.Get()
	if okHome && okAway && home != away {
		return football.FullTime
	}
	return football.Shootout
}
