package play

// Metric is a counter of a match in play.
type Metric uint8

const (
	Attacks Metric = iota
	DangerousAttacks
	OnTarget // shots, goals included
	OffTarget
	Blocked
	Corners
	Goals
	YellowCards
	RedCards      // second yellows included
	SecondYellows // not among the yellow cards
	Penalties
	Substitutions
	Fouls
	FreeKicks
	Offsides
	Saves
	GoalKicks
	ThrowIns
	BallSafe
	Injuries
	Crosses
	KeyPasses
	Possession    // tenths of a second with the ball in play
	ExpectedGoals // hundredths
	Metrics       // the number of metrics
)

var metricNames = [Metrics]string{"attacks", "dangerous attacks", "on target", "off target", "blocked", "corners", "goals",
	"yellow cards", "red cards", "second yellows", "penalties", "substitutions", "fouls", "free kicks", "offsides", "saves",
	"goal kicks", "throw-ins", "ball safe", "injuries", "crosses", "key passes", "possession", "expected goals"}

func (m Metric) String() string {
	if m < Metrics {
		return metricNames[m]
	}
	return "unknown"
}

// Side of a match.
type Side uint8

const (
	Home Side = iota
	Away
)

// Other is the opposite side.
func (s Side) Other() Side { return 1 - s }

// Counts holds every metric of both sides.
type Counts [2][Metrics]int32

// Of returns both sides of a metric, home first.
func (c Counts) Of(m Metric) [2]int { return [2]int{int(c[Home][m]), int(c[Away][m])} }

// Score is the goals of both sides.
func (c Counts) Score() [2]int { return c.Of(Goals) }

// HomePossession is the home side's percent of the time with the ball in play,
// rounded, as feeds send it; false before the ball was in play.
func (c *Counts) HomePossession() (int, bool) {
	home, away := int(c[Home][Possession]), int(c[Away][Possession])
	if home+away <= 0 {
		return 0, false
	}
	return (200*home + home + away) / (2 * (home + away)), true
}

// PossessionOf is a side's percent of that time; before the ball was in play, 0 and 100.
func (c *Counts) PossessionOf(s Side) int {
	percent, _ := c.HomePossession()
	if s == Away {
		return 100 - percent
	}
	return percent
}
