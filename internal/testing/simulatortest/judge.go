// Package simulatortest compares a program's reading of a simulated feed with the true
// events of its matches. It knows neither rows nor JSON, so tests of both can use it.
package simulatortest

import (
	"time"

	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/world"
)

// Minute is one minute of play as published.
type Minute struct {
	Reported   bool // it has a number
	Home, Away int  // points, 0 without a number
}

// Place is a minute of play; Added is the minute of stoppage time.
type Place struct{ Minute, Added int }

// Entry is one entry of a timeline as published.
type Entry struct {
	At, Until       time.Time
	Minute, Second  *int // nil if the scoreboard is not known
	Added           *int // nil outside stoppage time
	State           string
	Side, Certainty string
}

// Published is everything published about a match that was tracked to its end.
type Published struct {
	Match    feed.Match
	Met      time.Time // when it was first seen
	Minutes  map[Place]Minute
	Timeline []Entry
	// Missing from the feed of this match.
	WithoutTimer, WithoutTimeline, WithoutAttacks bool
	CountersLag                                   time.Duration // how old its counters may be
}

// Judge reports errors with Errorf.
type Judge struct {
	World  *world.World
	Errorf func(format string, args ...any)
}

const (
	// tolerance is how far a sample may lag behind: the cadence and the scoreboard's whole
	// seconds.
	tolerance = 10 * time.Second
	// maxDelay is how long the timeline may take to report an incident.
	maxDelay = 40 * time.Second
	// disturbance is how near an error of the feed may be to have an effect.
	disturbance = 150 * time.Second
	// maxGap is the gap after which an event can no longer be dated.
	maxGap = 60 * time.Second
)

func (p *Published) since(at time.Time) time.Duration { return at.Sub(p.Match.Whistle) }

// undisturbed reports whether the feed was right around a time, and tracked before it.
func (j Judge) undisturbed(p *Published, from, to time.Duration) bool {
	wide := feed.Span{From: from - disturbance, To: to + disturbance}
	for _, c := range p.Match.Corrections() {
		if overlap(c.Span, wide) {
			return false
		}
	}
	for _, g := range p.Match.Gaps() {
		if overlap(g.Span, wide) {
			return false
		}
	}
	return j.moving(p, wide) && p.since(p.Met) < max(to-time.Minute, 0) && p.since(p.Met) < max(from, 0)+time.Minute && !p.WithoutTimer
}

func (j Judge) moving(p *Published, during feed.Span) bool {
	for _, stall := range p.Match.Stalls() {
		if overlap(stall, during) {
			return false
		}
	}
	return j.feedMoves(p, during)
}

func (j Judge) feedMoves(p *Published, during feed.Span) bool {
	for at := during.From; at < during.To; at += 20 * time.Second {
		when := p.Match.Whistle.Add(at)
		if !j.World.FeedTime(when).Equal(when) {
			return false
		}
	}
	return true
}

func overlap(a, b feed.Span) bool { return a.From < b.To && a.To > b.From }
