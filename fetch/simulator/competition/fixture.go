// Package competition has the leagues, the teams with their players, and the fixtures of the
// simulated world. All names are invented.
package competition

import (
	"math"
	"time"

	"mkt/fetch/simulator/random"
)

// Epoch is when the calendar of every world begins. It is fixed so that a fixture keeps
// its number whenever a simulator is started.
var Epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Status of a fixture.
type Status uint8

const (
	NotStarted Status = iota
	InPlay
	Ended
	Postponed
	Cancelled
	Withdrawn // removed from the list without any status
)

// Fixture is one match at one moment.
type Fixture struct {
	Number  int64 // identifies the fixture in the calendars for good
	League  League
	Home    Team
	Away    Team
	KickOff time.Time // UTC, whole minutes
	Status  Status
	Moved   bool        // the kick-off is not the one first announced
	Dice    random.Dice // random numbers of this fixture
	Begins  time.Time   // the true kick-off of a replayed real match, else the zero time
}

// Lot returns a number in [0, n) that never changes for a fixture and a subject.
func (f Fixture) Lot(n int, about ...uint64) int { return f.Dice.Under(n, about...) }

// Namesake reports whether both sides have a player of the same name: the second of each
// squad, on one fixture in thirty.
func (f Fixture) Namesake() bool {
	return len(f.Home.Players) > 1 && len(f.Away.Players) > 1 && f.Lot(30, 25) == 0
}

// Replayed reports whether it is a replayed real match.
func (f Fixture) Replayed() bool { return !f.Begins.IsZero() }

// Edge is how much stronger the home side is, including the home advantage.
func (f Fixture) Edge() float64 { return f.Home.Strength - f.Away.Strength + 0.25 }

// expected is the mean number of goals of each side.
func (f Fixture) ExpectedGoals() (home, away float64) { return Split(f.League.Goals, f.Edge()*0.5) }

// Split divides a total between home and away; lean above 0 favours home.
func Split(total, lean float64) (home, away float64) {
	share := 1 / (1 + math.Exp(-lean))
	return total * share, total * (1 - share)
}
