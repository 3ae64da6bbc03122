package feed

import (
	"time"

	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/play"
)

// Match is a fixture with everything that happens in it and when the feed reports it.
type Match struct {
	Fixture competition.Fixture
	Whistle time.Time // the true kick-off, a little after the one announced
	Opens   time.Time // when the in-play list first has it
	Over    time.Time // when the feed reports its end, a little after the last whistle
	Leaves  time.Time // when the in-play list no longer has it
	feed    *Feed
	*undated
}

// Match returns the match of a fixture as the feed reports it. script is what happens in it, and is
// called if it is not cached.
func (b *Feed) Match(f competition.Fixture, script func() *play.Script) Match {
	u := b.undated.Get(f.Number, func() *undated { return newUndated(f, script(), b.oddities) })
	over := Over(f, u.script.End())
	return Match{
		Fixture: f, Whistle: whistle(f), Over: over, feed: b, undated: u,
		Opens:  Opens(f),
		Leaves: over.Add(lingering(f)),
	}
}

// whistle is the true kick-off, up to two minutes late.
func whistle(f competition.Fixture) time.Time {
	switch {
	case f.Replayed():
		return f.Begins
	case f.League.Kind == competition.Esoccer:
		return f.KickOff.Add(time.Duration(f.Lot(20, 73)) * time.Second)
	}
	return f.KickOff.Add(time.Duration(5+f.Lot(140, 73)) * time.Second)
}

// Opens is when the in-play list first has a match, some minutes before the announced kick-off.
func Opens(f competition.Fixture) time.Time {
	return f.KickOff.Add(-time.Duration(f.Lot(300, 74)) * time.Second)
}

// Over is when the feed reports the end of a match that ends so long after the kick-off whistle.
func Over(f competition.Fixture, end time.Duration) time.Time {
	confirmed := time.Duration(20+f.Lot(130, 75)) * time.Second
	if f.League.Kind == competition.Esoccer {
		confirmed = time.Duration(4+f.Lot(20, 75)) * time.Second
	}
	return whistle(f).Add(end + confirmed)
}

// lingering is how long an ended match stays in the list; one in three leaves at once.
func lingering(f competition.Fixture) time.Duration {
	if f.Lot(3, 76) == 0 {
		return 0
	}
	return time.Duration(30+f.Lot(300, 77)) * time.Second
}
