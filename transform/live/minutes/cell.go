package minutes

import (
	"mkt/publish/football"
	"mkt/transform/live/rules"
)

// cell is one minute.
type cell struct {
	home, away uint16 // points
	// seconds of the minute already played, by the state of its counters.
	seconds [3]uint8
}

// The states of a minute's counters.
const (
	carrySeen    = iota // they could be compared
	CarryMissing        // not sent, or not comparable
	carryNull           // sent without a value
)

// state returns the state of the minute. It has a number only if nearly all of its played seconds
// were seen.
func (c cell) state() football.BucketState {
	missing, null := int(c.seconds[CarryMissing]), int(c.seconds[carryNull])
	switch blind := missing + null; {
	case c == (cell{}): // nothing of the minute was played yet
		return football.BucketMissing
	case blind <= min(rules.BlindSlack, int(c.seconds[carrySeen])):
		if c.home > 0 || c.away > 0 {
			return football.BucketValue
		}
		return football.BucketZero
	case null > missing:
		return football.BucketNull
	}
	return football.BucketMissing
}

var unseen = cell{seconds: [3]uint8{CarryMissing: 60}}
